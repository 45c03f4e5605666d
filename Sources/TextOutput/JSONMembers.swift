/// Reads a JSON object strictly (RFC 8259), without changing any character: the lines of an export.
///
/// FeedParsing has another reader, which repairs what publishers write.
package enum JSONMembers {
  /// A value, as a range in the text.
  package enum Value: Equatable {
    case null
    case bool(Bool)
    /// A number as written.
    case number(Range<Int>)
    /// The characters between the quotation marks.
    case string(Range<Int>, hasEscapes: Bool)
    /// An array or an object as written.
    case nested(Range<Int>)
  }

  /// The text is not one JSON object.
  fileprivate struct Mistake: Error {
    /// The position of the first wrong byte, from 0.
    let position: Int
  }

  /// The maximum depth of arrays and objects in a value.
  fileprivate static let mostLevels = 64

  /// Visits the members of an object that is the whole text.
  ///
  /// - Parameter visit: Receives each key's characters between its quotation marks, and the value.
  /// - Returns: The position of the first wrong byte, from 0, after the members before it were visited; nil for an object.
  @discardableResult
  package static func read(
    _ text: Span<UInt8>, _ visit: (_ key: Range<Int>, _ value: Value) -> Void
  ) -> Int? {
    var cursor = JSONTextCursor()
    cursor.skipSpace(text)
    do throws(Mistake) {
      try cursor.object(text, level: 0, visit)
    } catch {
      return error.position
    }
    cursor.skipSpace(text)
    return cursor.index == text.count ? nil : cursor.index
  }

  /// Visits an array's elements. ``read(_:_:)`` must have checked the array. Ranges refer to the whole text.
  ///
  /// - Parameter range: The array's range.
  package static func readElements(
    _ text: Span<UInt8>, of range: Range<Int>, _ visit: (_ value: Value) -> Void
  ) {
    var cursor = JSONTextCursor()
    cursor.index = range.lowerBound + 1
    cursor.skipSpace(text)
    while cursor.index < range.upperBound - 1, let value = try? cursor.value(text, level: 0) {
      visit(value)
      cursor.skipSpace(text)
      // The comma, or the end of the array.
      cursor.index += 1
      cursor.skipSpace(text)
    }
  }

  /// Returns a value as written.
  package static func written(_ value: Value, in text: Span<UInt8>) -> [UInt8] {
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
  package static func text(_ text: Span<UInt8>, _ range: Range<Int>) -> String {
    unsafe text.extracting(range).withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// Returns a string's characters with its escapes decoded.
  ///
  /// - Parameter range: The characters between the quotation marks, which ``read(_:_:)`` has checked.
  package static func unescaped(_ text: Span<UInt8>, _ range: Range<Int>) -> String {
    guard range.contains(where: { text[$0] == UInt8(ascii: "\\") }) else { return self.text(text, range) }
    var bytes: [UInt8] = []
    append(text, range, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends a string's characters with its escapes decoded.
  ///
  /// - Parameter range: The characters between the quotation marks, which ``read(_:_:)`` has checked.
  package static func append(_ text: Span<UInt8>, _ range: Range<Int>, to bytes: inout [UInt8]) {
    var index = range.lowerBound
    while index < range.upperBound {
      var end = index
      while end < range.upperBound, text[end] != UInt8(ascii: "\\") { end += 1 }
      unsafe text.extracting(index..<end).withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
      index = end
      guard index + 1 < range.upperBound else {
        // The end; the reader refuses a backslash there.
        return
      }
      switch text[index + 1] {
      case UInt8(ascii: "n"): bytes.append(0x0A)
      case UInt8(ascii: "t"): bytes.append(0x09)
      case UInt8(ascii: "r"): bytes.append(0x0D)
      case UInt8(ascii: "b"): bytes.append(0x08)
      case UInt8(ascii: "f"): bytes.append(0x0C)
      case UInt8(ascii: "u"):
        index = appendCharacter(text, at: index + 2, to: &bytes)
        continue
      case let other: bytes.append(other)
      }
      index += 2
    }
  }

  private static func appendCharacter(_ text: Span<UInt8>, at start: Int, to bytes: inout [UInt8]) -> Int {
    var code = hexadecimal(text, at: start) ?? 0xFFFD
    var end = start + 4
    if code & 0xFC00 == 0xD800, end + 6 <= text.count, text[end] == UInt8(ascii: "\\"),
      text[end + 1] == UInt8(ascii: "u"), let low = hexadecimal(text, at: end + 2), low & 0xFC00 == 0xDC00
    {
      code = 0x1_0000 + ((code & 0x3FF) << 10) + (low & 0x3FF)
      end += 6
    }
    // A single surrogate does not form a character.
    let scalar = Unicode.Scalar(code) ?? "\u{FFFD}"
    bytes.append(contentsOf: UTF8.encode(scalar) ?? .init())
    return end
  }

  fileprivate static func hexadecimal(_ text: Span<UInt8>, at start: Int) -> UInt32? {
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
package enum JSONShape: UInt8, Sendable {
  case array = 0x5B
  case object = 0x7B

  /// Returns whether a text is a whole value of this kind, on one line.
  package func matches(_ text: Span<UInt8>) -> Bool {
    guard text.count > 1, text[0] == rawValue else { return false }
    for index in text.indices where text[index] < 0x20 { return false }
    var cursor = JSONTextCursor()
    guard (try? cursor.value(text, level: 0)) != nil else { return false }
    return cursor.index == text.count
  }

  /// Returns whether a text is a whole value of this kind, on one line.
  package func matches(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { unsafe matches($0.span) }
  }

  /// Returns whether a value of this kind has no elements.
  package static func isEmpty(_ value: Span<UInt8>) -> Bool {
    value.indices.dropFirst().dropLast().allSatisfy { value[$0] <= 0x20 }
  }
}

/// Moves over JSON. The caller passes the same text to each method.
private struct JSONTextCursor {
  var index = 0

  private var mistake: JSONMembers.Mistake { JSONMembers.Mistake(position: index) }

  mutating func skipSpace(_ text: Span<UInt8>) {
    while index < text.count {
      switch text[index] {
      case 0x20, 0x09, 0x0A, 0x0D: index += 1
      default: return
      }
    }
  }

  mutating func object(
    _ text: Span<UInt8>, level: Int, _ visit: (Range<Int>, JSONMembers.Value) -> Void
  ) throws(JSONMembers.Mistake) {
    try take(text, UInt8(ascii: "{"))
    skipSpace(text)
    if isNext(text, UInt8(ascii: "}")) { return index += 1 }
    while true {
      skipSpace(text)
      let key = try string(text).range
      skipSpace(text)
      try take(text, UInt8(ascii: ":"))
      skipSpace(text)
      visit(key, try value(text, level: level))
      skipSpace(text)
      if isNext(text, UInt8(ascii: "}")) { return index += 1 }
      try take(text, UInt8(ascii: ","))
    }
  }

  private mutating func array(_ text: Span<UInt8>, level: Int) throws(JSONMembers.Mistake) {
    try take(text, UInt8(ascii: "["))
    skipSpace(text)
    if isNext(text, UInt8(ascii: "]")) { return index += 1 }
    while true {
      skipSpace(text)
      _ = try value(text, level: level)
      skipSpace(text)
      if isNext(text, UInt8(ascii: "]")) { return index += 1 }
      try take(text, UInt8(ascii: ","))
    }
  }

  mutating func value(
    _ text: Span<UInt8>, level: Int
  ) throws(JSONMembers.Mistake) -> JSONMembers.Value {
    guard index < text.count else { throw mistake }
    let start = index
    switch text[index] {
    case UInt8(ascii: "\""):
      let (range, hasEscapes) = try string(text)
      return .string(range, hasEscapes: hasEscapes)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard level < JSONMembers.mostLevels else { throw mistake }
      if text[index] == UInt8(ascii: "{") {
        try object(text, level: level + 1) { _, _ in }
      } else {
        try array(text, level: level + 1)
      }
      return .nested(start..<index)
    case UInt8(ascii: "n"):
      try word(text, "null")
      return .null
    case UInt8(ascii: "t"):
      try word(text, "true")
      return .bool(true)
    case UInt8(ascii: "f"):
      try word(text, "false")
      return .bool(false)
    default:
      try number(text)
      return .number(start..<index)
    }
  }

  private mutating func string(
    _ text: Span<UInt8>
  ) throws(JSONMembers.Mistake) -> (range: Range<Int>, hasEscapes: Bool) {
    try take(text, UInt8(ascii: "\""))
    let start = index
    var hasEscapes = false
    while index < text.count {
      let byte = text[index]
      if byte == UInt8(ascii: "\"") {
        index += 1
        return (start..<(index - 1), hasEscapes)
      }
      guard byte >= 0x20 else { throw mistake }
      guard byte == UInt8(ascii: "\\") else {
        index += 1
        continue
      }
      hasEscapes = true
      guard index + 1 < text.count else { throw mistake }
      switch text[index + 1] {
      case UInt8(ascii: "u"):
        guard JSONMembers.hexadecimal(text, at: index + 2) != nil else { throw mistake }
        index += 6
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
        UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
        index += 2
      default: throw mistake
      }
    }
    throw mistake
  }

  private mutating func number(_ text: Span<UInt8>) throws(JSONMembers.Mistake) {
    if isNext(text, UInt8(ascii: "-")) { index += 1 }
    if isNext(text, UInt8(ascii: "0")) { index += 1 } else { try digits(text) }
    if isNext(text, UInt8(ascii: ".")) {
      index += 1
      try digits(text)
    }
    if isNext(text, UInt8(ascii: "e")) || isNext(text, UInt8(ascii: "E")) {
      index += 1
      if isNext(text, UInt8(ascii: "+")) || isNext(text, UInt8(ascii: "-")) { index += 1 }
      try digits(text)
    }
  }

  private mutating func digits(_ text: Span<UInt8>) throws(JSONMembers.Mistake) {
    let start = index
    while index < text.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= text[index] { index += 1 }
    guard index > start else { throw mistake }
  }

  private mutating func word(_ text: Span<UInt8>, _ word: StaticString) throws(JSONMembers.Mistake) {
    for place in 0..<word.utf8CodeUnitCount {
      guard index < text.count, unsafe text[index] == word.utf8Start[place] else { throw mistake }
      index += 1
    }
  }

  private func isNext(_ text: Span<UInt8>, _ byte: UInt8) -> Bool {
    index < text.count && text[index] == byte
  }

  private mutating func take(_ text: Span<UInt8>, _ byte: UInt8) throws(JSONMembers.Mistake) {
    guard isNext(text, byte) else { throw mistake }
    index += 1
  }
}
