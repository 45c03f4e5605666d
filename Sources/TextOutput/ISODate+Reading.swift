extension ISODate {
  /// Reads a date in the form that ``text(_:microseconds:)`` writes without a fraction; nil for any other
  /// text.
  ///
  /// - Returns: Seconds since 1970.
  package static func seconds(_ text: Span<UInt8>) -> Int64? {
    // A year outside four digits has a sign and six digits.
    let hasSign = text.count > 0 && (text[0] == UInt8(ascii: "-") || text[0] == UInt8(ascii: "+"))
    let yearEnd = hasSign ? 7 : 4
    guard text.count == yearEnd + 16, let year = number(text, hasSign ? 1 : 0, yearEnd),
      let month = number(text, after: "-", yearEnd), let day = number(text, after: "-", yearEnd + 3),
      let hour = number(text, after: "T", yearEnd + 6), let minute = number(text, after: ":", yearEnd + 9),
      let second = number(text, after: ":", yearEnd + 12), text[yearEnd + 15] == UInt8(ascii: "Z"),
      1...12 ~= month, 1...31 ~= day, hour < 24, minute < 60, second < 60
    else { return nil }
    let isNegative = hasSign && text[0] == UInt8(ascii: "-")
    let days = CivilDate.days(year: isNegative ? -year : year, month: month, day: day)
    let seconds = Int64(days * 86400 + hour * 3600 + minute * 60 + second)
    // A date such as 30 February is written as another date.
    var again: [UInt8] = []
    append(seconds, to: &again)
    guard again.count == text.count, again.indices.allSatisfy({ again[$0] == text[$0] }) else { return nil }
    return seconds
  }

  private static func number(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> Int? {
    var number = 0
    for index in start..<end {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= text[index] else { return nil }
      number = number * 10 + Int(text[index] - UInt8(ascii: "0"))
    }
    return number
  }

  private static func number(_ text: Span<UInt8>, after separator: Unicode.Scalar, _ start: Int) -> Int? {
    text[start] == UInt8(ascii: separator) ? number(text, start + 1, start + 3) : nil
  }
}
