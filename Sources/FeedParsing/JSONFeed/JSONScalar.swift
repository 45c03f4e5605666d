internal import Markup

/// Strings and numbers of JSON as the fields of a feed.
enum JSONScalar {
  /// A longer number has no value that a feed means.
  private static let longestNumber = 40

  /// Appends a string's characters, or a number as it is written, because feeds have numbers for ids; false for all
  /// else.
  static func append(_ text: Span<UInt8>, at start: Int, to bytes: inout [UInt8]) -> Bool {
    if text[start] == UInt8(ascii: "\"") { return JSONString.append(text, at: start, to: &bytes) }
    guard let end = endOfNumber(text, at: start) else { return false }
    bytes.append(text.extracting(start..<end))
    return true
  }

  /// The value of a number; nil when it is none, or none that is finite.
  static func number(_ text: Span<UInt8>, at start: Int) -> Double? {
    guard let end = endOfNumber(text, at: start), end - start <= longestNumber,
      let number = Double(text.extracting(start..<end).text),
      number.isFinite
    else { return nil }
    return number
  }

  private static func endOfNumber(_ text: Span<UInt8>, at start: Int) -> Int? {
    guard text[start] == UInt8(ascii: "-") || text[start].isASCIIDigit else { return nil }
    var end = start + 1
    while end < text.count, isOfNumber(text[end]) { end += 1 }
    return end
  }

  private static func isOfNumber(_ byte: UInt8) -> Bool {
    byte.isASCIIDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E")
  }
}
