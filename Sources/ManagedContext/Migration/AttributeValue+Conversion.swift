internal import struct Foundation.Date

extension AttributeValue {
  /// Returns the value as another type, if nothing is lost: a number as text and text as the number that it
  /// writes, a number as a Boolean, and text as its UTF-8 bytes.
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
    case (.real, .date), (.integer, .date): return Date(attributeValue: self)?.attributeValue
    case (.reference(let id), _): return AttributeValue.integer(id.key).converted(to: type)
    case (.integer, .integer), (.integer, .reference), (.integer, .real), (.integer, .secondsSince1970):
      return self
    case (.integer(let number), .boolean): return .integer(number == 0 ? 0 : 1)
    case (.integer(let number), .text): return .text(String(number))
    case (.real(let number), .text): return .text(String(number))
    case (.integer, .bytes), (.real, .bytes), (.text, .bytes):
      guard case .text(let text)? = converted(to: .text) else { return nil }
      return .bytes(Array(text.utf8))
    case (.real(let number), _):
      return Int64(exactly: number).flatMap { AttributeValue.integer($0).converted(to: type) }
    case (.text(let text), _): return Self.number(in: text)?.converted(to: type)
    case (.bytes(let bytes), .text): return String(validating: bytes, as: UTF8.self).map { .text($0) }
    case (.bytes, _): return nil
    }
  }

  /// Returns the number that a text writes in decimal digits, perhaps between blanks.
  private static func number(in text: String) -> AttributeValue? {
    let text = text.trimmingPrefix(while: \.isWhitespace)
    let end = text.lastIndex { !$0.isWhitespace }.map { text.index(after: $0) } ?? text.startIndex
    let digits = text[..<end]
    if let whole = Int64(digits) { return .integer(whole) }
    // Double also reads names and hexadecimal digits.
    guard digits.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let number = Double(digits),
      number.isFinite
    else { return nil }
    return .real(number)
  }
}
