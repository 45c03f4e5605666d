/// Reads a JSON object strictly (RFC 8259), without changing any character: the lines of an export.
public enum JSONMembers {
  /// A value, as a range in the text.
  public enum Value: Sendable, Equatable {
    case null
    case bool(Bool)
    /// A number as written.
    case number(Range<Int>)
    /// The characters between the quotation marks.
    case string(Range<Int>, hasEscapes: Bool)
    /// An array or an object as written.
    case nested(Range<Int>)
  }

  /// Visits the members of an object that is the whole text.
  ///
  /// - Parameter visit: Receives each key's characters between its quotation marks, and the value.
  /// - Returns: The position of the first wrong byte, from 0, after the members before it were visited; nil for an object.
  @discardableResult
  public static func read(
    _ text: Span<UInt8>, _ visit: (_ key: Range<Int>, _ value: Value) -> Void
  ) -> Int? {
    var cursor = JSONCursor(isStrict: true)
    let isObject = cursor.members(text, visit)
    if isObject { cursor.skipSpace(text) }
    return isObject && cursor.index == text.count ? nil : cursor.index
  }

  /// Visits the elements of an array that is the whole text; none if the text is not one JSON array.
  public static func readArray(_ text: Span<UInt8>, _ visit: (_ value: Value) -> Void) {
    var cursor = JSONCursor(isStrict: true)
    guard case .nested(let range)? = cursor.value(text), text[range.lowerBound] == UInt8(ascii: "[") else {
      return
    }
    cursor.skipSpace(text)
    if cursor.index == text.count { readElements(text, of: range, visit) }
  }

  /// Visits an array's elements. ``read(_:_:)`` must have checked the array. Ranges refer to the whole text.
  ///
  /// - Parameter range: The array's range.
  public static func readElements(
    _ text: Span<UInt8>, of range: Range<Int>, _ visit: (_ value: Value) -> Void
  ) {
    var cursor = JSONCursor(at: range.lowerBound, isStrict: true)
    _ = cursor.elements(text, visit)
  }

  /// Returns a value as written.
  public static func written(_ value: Value, in text: Span<UInt8>) -> [UInt8] {
    let place: Range<Int>
    switch value {
    case .null: return Array("null".utf8)
    case .bool(let isTrue): return Array((isTrue ? "true" : "false").utf8)
    case .number(let range), .nested(let range): place = range
    case .string(let range, _): place = range.lowerBound - 1..<range.upperBound + 1
    }
    return unsafe text.extracting(place).withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// Returns the characters in a range, as written.
  public static func text(_ text: Span<UInt8>, _ range: Range<Int>) -> String {
    unsafe text.extracting(range).withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// Returns a string's characters with its escapes decoded.
  ///
  /// - Parameter range: The characters between the quotation marks, which ``read(_:_:)`` has checked.
  public static func unescaped(_ text: Span<UInt8>, _ range: Range<Int>) -> String {
    guard range.contains(where: { text[$0] == UInt8(ascii: "\\") }) else { return self.text(text, range) }
    var bytes: [UInt8] = []
    append(text, range, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends a string's characters with its escapes decoded.
  ///
  /// - Parameters:
  ///   - range: The characters between the quotation marks.
  ///   - character: Returns the character that replaces an escaped one.
  public static func append(
    _ text: Span<UInt8>, _ range: Range<Int>, to bytes: inout [UInt8], character: (UInt32) -> UInt32 = { $0 }
  ) {
    let string = text.extracting(..<range.upperBound)
    var index = range.lowerBound
    while let escape = string.firstIndex(from: index, marks: { $0.marks(of: UInt8(ascii: "\\")) }) {
      bytes.append(string.extracting(index..<escape))
      // Readers refuse a backslash at the end.
      guard escape + 1 < string.count else { return }
      index = escape + 2
      switch string[escape + 1] {
      case UInt8(ascii: "n"): bytes.append(0x0A)
      case UInt8(ascii: "t"): bytes.append(0x09)
      case UInt8(ascii: "r"): bytes.append(0x0D)
      case UInt8(ascii: "b"): append(character(0x08), to: &bytes)
      case UInt8(ascii: "f"): append(character(0x0C), to: &bytes)
      case UInt8(ascii: "u"):
        let code = code(in: string, at: &index)
        append(character(code), to: &bytes)
      case let other: bytes.append(other)
      }
    }
    bytes.append(string.extracting(min(index, string.count)...))
  }

  private static func append(_ code: UInt32, to bytes: inout [UInt8]) {
    // A single surrogate does not form a character.
    bytes.append(contentsOf: UTF8.encode(Unicode.Scalar(code) ?? "\u{FFFD}") ?? .init())
  }

  /// Returns the code in four digits at `index`, or in a surrogate pair, and moves past it.
  private static func code(in text: Span<UInt8>, at index: inout Int) -> UInt32 {
    let code = hexadecimal(text, at: index) ?? 0xFFFD
    index += 4
    guard code & 0xFC00 == 0xD800, index + 6 <= text.count, text[index] == UInt8(ascii: "\\"),
      text[index + 1] == UInt8(ascii: "u"), let low = hexadecimal(text, at: index + 2), low & 0xFC00 == 0xDC00
    else { return code }
    index += 6
    return 0x1_0000 + ((code & 0x3FF) << 10) + (low & 0x3FF)
  }

  /// Returns the number in four hexadecimal digits; nil for other bytes.
  static func hexadecimal(_ text: Span<UInt8>, at start: Int) -> UInt32? {
    guard start + 4 <= text.count else { return nil }
    var code: UInt32 = 0
    for index in start..<(start + 4) {
      let digit: UInt8
      switch text[index] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = text[index] - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = text[index] - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = text[index] - UInt8(ascii: "A") + 10
      default: return nil
      }
      code = code << 4 | UInt32(digit)
    }
    return code
  }
}

/// The two kinds of JSON values that contain other values.
public enum JSONShape: UInt8, Sendable {
  case array = 0x5B
  case object = 0x7B

  /// The value in place of a missing one: an empty list; nil for null.
  public var empty: String? { self == .array ? "[]" : nil }

  /// Returns whether a text is a whole value of this kind, on one line.
  public func matches(_ text: Span<UInt8>) -> Bool {
    guard text.count > 1, text[0] == rawValue else { return false }
    for index in text.indices where text[index] < 0x20 { return false }
    var cursor = JSONCursor(isStrict: true)
    return cursor.value(text) != nil && cursor.index == text.count
  }

  /// Returns whether a text is a whole value of this kind, on one line.
  public func matches(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { unsafe matches($0.span) }
  }

  /// Returns whether a value of this kind has no elements.
  public static func isEmpty(_ value: Span<UInt8>) -> Bool {
    value.indices.dropFirst().dropLast().allSatisfy { value[$0] <= 0x20 }
  }
}
