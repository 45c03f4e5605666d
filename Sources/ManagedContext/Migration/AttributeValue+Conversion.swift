internal import struct Foundation.Date

extension AttributeValue {
  /// Returns the value as another type, if nothing is lost: a number as text and text as the number that it
  /// writes, a number as a Boolean, and text as its UTF-8 bytes. Decimal digits are the nearest floating-point
  /// number.
  ///
  /// - Returns: Nil if the value has no equal of that type.
  func converted(to type: AttributeType) -> AttributeValue? {
    switch (self, type) {
    case (.null, _), (.text, .text), (.bytes, .bytes), (.real, .real), (.date, .date),
      (.real, .secondsSince1970):
      return self
    // As a number, a date is in seconds since 1970.
    case (.date(let seconds), _):
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      return AttributeValue.secondsSince1970(date).converted(to: type)
    case (.real, .date): return Date(attributeValue: self)?.attributeValue
    case (.reference(let id), _): return AttributeValue.integer(id.key).converted(to: type)
    case (.integer, .integer), (.integer, .reference): return self
    case (.integer(let number), .real), (.integer(let number), .secondsSince1970):
      return Double(exactly: number) == nil ? nil : self
    case (.integer(let number), .date):
      return Double(exactly: number).flatMap { AttributeValue.real($0).converted(to: .date) }
    case (.integer(let number), .boolean): return .integer(number == 0 ? 0 : 1)
    case (.integer(let number), .text): return .text(String(number))
    case (.real(let number), .boolean): return .integer(number == 0 ? 0 : 1)
    case (.real(let number), .text): return .text(String(number))
    case (.integer, .bytes), (.real, .bytes), (.text, .bytes):
      guard case .text(let text)? = converted(to: .text) else { return nil }
      return .bytes(Array(text.utf8))
    case (.real(let number), _):
      return Int64(exactly: number).flatMap { AttributeValue.integer($0).converted(to: type) }
    case (.text(let text), .integer), (.text(let text), .reference):
      return Self.wholeNumber(in: text.trimmed).map { .integer($0) }
    case (.text(let text), _):
      return Self.number(in: text.trimmed).flatMap { AttributeValue.real($0).converted(to: type) }
    case (.bytes(let bytes), .text): return String(validating: bytes, as: UTF8.self).map { .text($0) }
    case (.bytes, _): return nil
    }
  }

  /// Returns the floating-point number that a text writes in decimal digits.
  private static func number(in text: Substring) -> Double? {
    // Double also reads names and hexadecimal digits.
    guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let number = Double(text)
    else { return nil }
    // A number that is too small for the type is not 0.
    let isZero = !text.prefix { $0 != "e" && $0 != "E" }.contains { ("1"..."9").contains($0) }
    return number.isFinite && (number != 0 || isZero) ? number : nil
  }

  /// Returns the whole number that a text writes in decimal digits, such as `12`, `12.0` and `1.2e1`.
  private static func wholeNumber(in text: Substring) -> Int64? {
    if let number = Int64(text) { return number }
    guard let number = number(in: text) else { return nil }
    if number == 0 { return 0 }
    let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
    let mantissa = parts[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard var digits = mantissa.first, var exponent = parts.count > 1 ? Int(parts[1]) : 0 else { return nil }
    if mantissa.count > 1 {
      digits += mantissa[1]
      exponent -= mantissa[1].utf8.count
    }
    while exponent < 0, digits.last == "0" {
      digits.removeLast()
      exponent += 1
    }
    // 2⁶³ has 19 digits.
    return (0..<19).contains(exponent) ? Int64(digits + String(repeating: "0", count: exponent)) : nil
  }
}

extension String {
  /// The text without blanks at its ends.
  fileprivate var trimmed: Substring {
    let text = self[...].trimmingPrefix(while: \.isWhitespace)
    let end = text.lastIndex { !$0.isWhitespace }.map { text.index(after: $0) } ?? text.startIndex
    return text[..<end]
  }
}
