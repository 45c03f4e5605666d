internal import Markup

/// Reads JSON strings.
enum JSONString {
  /// Returns the index of the next quotation mark or backslash, or nil.
  static func stop(in text: Span<UInt8>, from start: Int) -> Int? {
    text.firstIndex(from: start, marks: marks)
  }

  @inline(__always)
  private static func marks(_ bytes: UInt64) -> UInt64 { bytes.marks(of: 0x22) | bytes.marks(of: 0x5C) }

  /// Returns the index after the string that begins at `start`; nil if it does not end or has an invalid
  /// code.
  ///
  /// - Parameter hasRepaired: Set to true if the string contains a control character or an escape that JSON
  ///   does not allow.
  static func end(of text: Span<UInt8>, at start: Int, _ hasRepaired: inout Bool) -> Int? {
    var index = start + 1
    while let stop = stop(in: text, from: index, hasControl: &hasRepaired) {
      if text[stop] == UInt8(ascii: "\"") { return stop + 1 }
      index = stop + 2
      guard index <= text.count else { return nil }
      switch text[stop + 1] {
      case UInt8(ascii: "u"):
        guard fourDigits(text, at: index) != nil else { return nil }
        index += 4
      case UInt8(ascii: "n"), UInt8(ascii: "\""), UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "t"),
        UInt8(ascii: "r"), UInt8(ascii: "b"), UInt8(ascii: "f"):
        break
      default: hasRepaired = true
      }
    }
    return nil
  }

  /// Returns the same as ``stop(in:from:)``, and sets `hasControl` if control characters precede the result.
  private static func stop(in text: Span<UInt8>, from start: Int, hasControl: inout Bool) -> Int? {
    var controls: UInt64 = 0
    defer { if controls != 0 { hasControl = true } }
    return text.firstIndex(from: start) { bytes in
      let found = marks(bytes)
      // Bytes below 0x20, where the subtraction borrows, before the first mark.
      controls |= (bytes &- 0x2020_2020_2020_2020) & ~bytes & 0x8080_8080_8080_8080 & (found &- 1) & ~found
      return found
    }
  }

  /// Appends the characters in the string that begins at `start`; returns false if it does not end.
  static func append(_ text: Span<UInt8>, at start: Int, to result: inout [UInt8]) -> Bool {
    var index = start + 1
    while let stop = stop(in: text, from: index) {
      result.append(text.extracting(index..<stop))
      if text[stop] == UInt8(ascii: "\"") { return true }
      guard stop + 1 < text.count else { return false }
      index = appendEscape(text, at: stop + 1, to: &result)
    }
    return false
  }

  /// Appends the escaped character after the backslash before `start`; returns the index after it.
  private static func appendEscape(_ text: Span<UInt8>, at start: Int, to result: inout [UInt8]) -> Int {
    switch text[start] {
    case UInt8(ascii: "n"): result.append(0x0A)
    case UInt8(ascii: "t"): result.append(0x09)
    case UInt8(ascii: "r"): result.append(0x0D)
    case UInt8(ascii: "b"), UInt8(ascii: "f"): result.append(0x20)
    case UInt8(ascii: "u"): return appendCharacter(text, at: start + 1, to: &result)
    default: result.append(text[start])
    }
    return start + 1
  }

  /// Appends the character with the code at `start`, as four digits or as a surrogate pair; returns the index
  /// after it.
  private static func appendCharacter(_ text: Span<UInt8>, at start: Int, to result: inout [UInt8]) -> Int {
    let first = fourDigits(text, at: start) ?? 0xFFFD
    let end = min(start + 4, text.count)
    if first & 0xFC00 == 0xD800, text.hasPrefix("\\u", at: end),
      let second = fourDigits(text, at: end + 2), second & 0xFC00 == 0xDC00
    {
      result.appendUTF8(0x1_0000 + ((first & 0x3FF) << 10) + (second & 0x3FF))
      return end + 6
    }
    // A single surrogate becomes U+FFFD. A control character, which XML would drop, becomes a space.
    let isControl = first < 0x20 && first != 0x09 && first != 0x0A && first != 0x0D
    // The codes 128 to 159 are meant as windows-1252.
    let isDisguised = first >= 0x80 && first < 0xA0
    let scalar = isDisguised ? WindowsCodePage.scalar(for: UInt8(truncatingIfNeeded: first)) : first
    result.appendUTF8(isControl ? 0x20 : scalar)
    return end
  }

  private static func fourDigits(_ text: Span<UInt8>, at start: Int) -> UInt32? {
    guard let number = text.characterCode(from: start, radix: 16, digits: 4), number.end == start + 4 else {
      return nil
    }
    return number.value
  }
}

/// Reads JSON strings and numbers as feed fields.
enum JSONScalar {
  /// The longest number that is read, in bytes.
  private static let longestNumber = 40

  /// Appends the characters of a string, or a number as written, because feeds use numbers as ids. Returns
  /// false for other values.
  static func append(_ text: Span<UInt8>, at start: Int, to bytes: inout [UInt8]) -> Bool {
    if text[start] == UInt8(ascii: "\"") { return JSONString.append(text, at: start, to: &bytes) }
    guard let end = endOfNumber(text, at: start) else { return false }
    bytes.append(text.extracting(start..<end))
    return true
  }

  /// Returns a number's value; nil if it is not a finite number.
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
