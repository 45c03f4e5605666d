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
    let days = days(hasSign && text[0] == UInt8(ascii: "-") ? -year : year, month, day)
    let seconds = days * 86400 + hour * 3600 + minute * 60 + second
    // A date such as 30 February is written as another date.
    var again: [UInt8] = []
    append(seconds, to: &again)
    guard again.count == text.count, again.indices.allSatisfy({ again[$0] == text[$0] }) else { return nil }
    return seconds
  }

  private static func number(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> Int64? {
    var number: Int64 = 0
    for index in start..<end {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= text[index] else { return nil }
      number = number * 10 + Int64(text[index] - UInt8(ascii: "0"))
    }
    return number
  }

  private static func number(_ text: Span<UInt8>, after separator: Unicode.Scalar, _ start: Int) -> Int64? {
    text[start] == UInt8(ascii: separator) ? number(text, start + 1, start + 3) : nil
  }

  /// Returns the days since 1970-01-01 in the Gregorian calendar. Years begin in March, so that a leap day
  /// comes last.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
