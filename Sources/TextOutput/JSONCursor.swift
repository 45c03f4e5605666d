/// Moves over a JSON value and checks it (RFC 8259). The caller passes the same text to each method.
///
/// A strict cursor rejects what publishers write by mistake; others pass over it.
public struct JSONCursor: Sendable {
  /// The index of the next byte; after a mistake, of the first wrong byte.
  public private(set) var index: Int
  /// True if the value contains something that JSON does not allow: a comma after the last member or element,
  /// `NaN`, `Infinity`, an unknown escape, or a control character in a string.
  public private(set) var hasRepaired = false

  private let isStrict: Bool

  /// The maximum depth of arrays and objects in a value.
  private static let mostLevels = 64

  public init(at index: Int = 0, isStrict: Bool = false) {
    (self.index, self.isStrict) = (index, isStrict)
  }

  /// Moves past the next value; returns nil if it is not JSON.
  ///
  /// - Parameter level: The number of arrays and objects around the value.
  public mutating func value(_ text: Span<UInt8>, level: Int = 0) -> JSONMembers.Value? {
    skipSpace(text)
    guard index < text.count else { return nil }
    let start = index
    let mayContain = level < Self.mostLevels
    switch text[index] {
    case UInt8(ascii: "\""): return string(text).map { .string($0.range, hasEscapes: $0.hasEscapes) }
    case UInt8(ascii: "{"):
      return mayContain && members(text, level: level + 1) { _, _ in } ? .nested(start..<index) : nil
    case UInt8(ascii: "["):
      return mayContain && elements(text, level: level + 1) { _ in } ? .nested(start..<index) : nil
    case UInt8(ascii: "t"): return word(text, "true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return word(text, "false") ? .bool(false) : nil
    case UInt8(ascii: "n"): return word(text, "null") ? .null : nil
    // Programs write these words for a value that is not a number.
    case UInt8(ascii: "N"): return repairs() && word(text, "NaN") ? .null : nil
    case UInt8(ascii: "I"): return repairs() && word(text, "Infinity") ? .null : nil
    default: return number(text)
    }
  }

  /// Moves past an object; returns false for any other value.
  ///
  /// - Parameters:
  ///   - level: The number of arrays and objects around the members.
  ///   - visit: Receives each key's characters between its quotation marks, and the value. The rest of the
  ///     object may not be JSON.
  public mutating func members(
    _ text: Span<UInt8>, level: Int = 0, _ visit: (_ key: Range<Int>, _ value: JSONMembers.Value) -> Void
  ) -> Bool {
    guard take(text, UInt8(ascii: "{")) else { return false }
    while !take(text, UInt8(ascii: "}")) {
      guard let key = string(text), take(text, UInt8(ascii: ":")), let value = value(text, level: level)
      else { return false }
      visit(key.range, value)
      guard separator(text, UInt8(ascii: "}")) else { return false }
    }
    return true
  }

  /// Moves past an array; returns false for any other value.
  ///
  /// - Parameters:
  ///   - level: The number of arrays and objects around the elements.
  ///   - visit: Receives each element. The rest of the array may not be JSON.
  public mutating func elements(
    _ text: Span<UInt8>, level: Int = 0, _ visit: (_ element: JSONMembers.Value) -> Void
  ) -> Bool {
    guard take(text, UInt8(ascii: "[")) else { return false }
    while !take(text, UInt8(ascii: "]")) {
      guard let element = value(text, level: level) else { return false }
      visit(element)
      guard separator(text, UInt8(ascii: "]")) else { return false }
    }
    return true
  }

  public mutating func skipSpace(_ text: Span<UInt8>) {
    while index < text.count {
      switch text[index] {
      case 0x20, 0x09, 0x0A, 0x0D: index += 1
      default: return
      }
    }
  }

  // MARK: Pieces

  /// Records a mistake that many programs make; returns false if the cursor is strict.
  private mutating func repairs() -> Bool {
    hasRepaired = true
    return !isStrict
  }

  private func isNext(_ text: Span<UInt8>, _ byte: UInt8) -> Bool {
    index < text.count && text[index] == byte
  }

  /// Moves past white space, and past `byte` if it follows; returns whether it does.
  private mutating func take(_ text: Span<UInt8>, _ byte: UInt8) -> Bool {
    skipSpace(text)
    guard isNext(text, byte) else { return false }
    index += 1
    return true
  }

  /// Moves past the comma after a member or element that is not the last; returns false if neither a comma
  /// nor the end follows.
  private mutating func separator(_ text: Span<UInt8>, _ close: UInt8) -> Bool {
    skipSpace(text)
    if isNext(text, close) { return true }
    guard take(text, UInt8(ascii: ",")) else { return false }
    skipSpace(text)
    return !isNext(text, close) || repairs()
  }

  /// Moves past a string; returns the range between its quotation marks.
  private mutating func string(_ text: Span<UInt8>) -> (range: Range<Int>, hasEscapes: Bool)? {
    guard isNext(text, UInt8(ascii: "\"")) else { return nil }
    index += 1
    let start = index
    var hasEscapes = false
    while let mark = text.firstIndex(from: index, marks: Self.stringMarks) {
      index = mark
      switch text[mark] {
      case UInt8(ascii: "\""):
        index += 1
        return (start..<mark, hasEscapes)
      case UInt8(ascii: "\\"):
        hasEscapes = true
        guard escape(text) else { return nil }
      default:
        guard repairs() else { return nil }
        index += 1
      }
    }
    index = text.count
    return nil
  }

  /// Marks quotation marks, backslashes and control characters. At a byte below 0x20 the subtraction borrows.
  @inline(__always)
  private static func stringMarks(_ bytes: UInt64) -> UInt64 {
    bytes.marks(of: UInt8(ascii: "\"")) | bytes.marks(of: UInt8(ascii: "\\"))
      | (bytes &- 0x2020_2020_2020_2020) & ~bytes & 0x8080_8080_8080_8080
  }

  private mutating func escape(_ text: Span<UInt8>) -> Bool {
    guard index + 1 < text.count else { return false }
    switch text[index + 1] {
    case UInt8(ascii: "u"):
      guard JSONMembers.hexadecimal(text, at: index + 2) != nil else { return false }
      index += 6
      return true
    case UInt8(ascii: "n"), UInt8(ascii: "\""), UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "t"),
      UInt8(ascii: "r"), UInt8(ascii: "b"), UInt8(ascii: "f"):
      break
    default: guard repairs() else { return false }
    }
    index += 2
    return true
  }

  private mutating func word(_ text: Span<UInt8>, _ word: StaticString) -> Bool {
    for place in 0..<word.utf8CodeUnitCount {
      guard index < text.count, unsafe text[index] == word.utf8Start[place] else { return false }
      index += 1
    }
    return !isInWord(text)
  }

  private mutating func number(_ text: Span<UInt8>) -> JSONMembers.Value? {
    let start = index
    if isNext(text, UInt8(ascii: "-")) { index += 1 }
    if isNext(text, UInt8(ascii: "I")) { return repairs() && word(text, "Infinity") ? .null : nil }
    let first = index
    guard digits(text) else { return nil }
    if isStrict, text[first] == UInt8(ascii: "0"), index > first + 1 {
      index = first + 1
      return nil
    }
    if isNext(text, UInt8(ascii: ".")) {
      index += 1
      guard digits(text) else { return nil }
    }
    if isNext(text, UInt8(ascii: "e")) || isNext(text, UInt8(ascii: "E")) {
      index += 1
      if isNext(text, UInt8(ascii: "+")) || isNext(text, UInt8(ascii: "-")) { index += 1 }
      guard digits(text) else { return nil }
    }
    return isInWord(text) ? nil : .number(start..<index)
  }

  private mutating func digits(_ text: Span<UInt8>) -> Bool {
    let start = index
    while index < text.count, text[index] &- UInt8(ascii: "0") < 10 { index += 1 }
    return index > start
  }

  /// Returns whether a letter or a digit follows.
  private func isInWord(_ text: Span<UInt8>) -> Bool {
    guard index < text.count else { return false }
    return (text[index] | 0x20) &- UInt8(ascii: "a") < 26 || text[index] &- UInt8(ascii: "0") < 10
  }
}
