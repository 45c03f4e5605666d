/// Dates with all digits of a floating-point number.
extension ISODate {
  /// Returns a date such as `2026-11-21T09:12:00.25Z`, from which ``exactSeconds(_:)`` reads the same number; nil for a date
  /// before 1970 or after the year 9999.
  ///
  /// - Parameter seconds: Seconds since 1970.
  package static func exactText(_ seconds: Double) -> String? {
    guard seconds >= 0, seconds < Double(fourDigitYears.upperBound) else { return nil }
    let parts = "\(seconds)".split(separator: ".")
    guard parts.count == 2, let whole = Int64(parts[0]), parts[1].utf8.allSatisfy(isDigit) else { return nil }
    return text(whole).dropLast() + ".\(parts[1])Z"
  }

  /// Reads a date with a fraction in UTC; nil for any other text.
  ///
  /// - Returns: Seconds since 1970.
  package static func exactSeconds(_ text: Span<UInt8>) -> Double? {
    guard let point = text.indices.first(where: { text[$0] == UInt8(ascii: ".") }), text.count <= 60 else {
      return nil
    }
    let digits = (point + 1)..<max(point + 1, text.count - 1)
    let whole = (0..<point).map { text[$0] } + [UInt8(ascii: "Z")]
    guard !digits.isEmpty, digits.allSatisfy({ isDigit(text[$0]) }),
      text[text.count - 1] == UInt8(ascii: "Z"),
      let seconds = seconds(whole.span)
    else { return nil }
    let fraction = String(decoding: digits.map { text[$0] }, as: UTF8.self)
    guard seconds < 0 else { return Double("\(seconds).\(fraction)") }
    return Double("0.\(fraction)").map { Double(seconds) + $0 }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
