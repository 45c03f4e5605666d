internal import Markup

/// Moves over a JSON value that a text contains as a whole, and checks it. The caller passes the text to each
/// method.
///
/// The methods call themselves for each nesting level; ``JSONSplitter`` has limited the depth before.
struct JSONCursor {
  /// The index of the next byte to be read.
  private(set) var index: Int
  /// True if the value contains something that JSON does not allow: a comma after the last member or element,
  /// `NaN`, `Infinity`, or a line end in a string.
  private(set) var hasRepaired = false

  init(at index: Int = 0) {
    self.index = index
  }

  /// Moves past the value; returns false if it is not JSON.
  mutating func value(_ text: Span<UInt8>) -> Bool {
    skipSpace(text)
    guard index < text.count else { return false }
    switch text[index] {
    case UInt8(ascii: "\""): return string(text)
    case UInt8(ascii: "{"): return members(text) { _, _ in }
    case UInt8(ascii: "["): return elements(text) { _ in }
    case UInt8(ascii: "t"): return word(text, "true")
    case UInt8(ascii: "f"): return word(text, "false")
    case UInt8(ascii: "n"): return word(text, "null")
    case UInt8(ascii: "N"), UInt8(ascii: "I"): return noNumber(text)
    default: return number(text)
    }
  }

  /// Moves past an object; returns false for any other value.
  ///
  /// - Parameter visit: Receives each key and its value's index, before the rest is known to be JSON. A null
  ///   counts as a missing member.
  mutating func members(_ text: Span<UInt8>, _ visit: (_ key: Span<UInt8>, _ value: Int) -> Void) -> Bool {
    guard take(text, UInt8(ascii: "{")) else { return false }
    while !take(text, UInt8(ascii: "}")) {
      let start = index
      guard start < text.count, text[start] == UInt8(ascii: "\""), string(text) else { return false }
      let end = index
      guard take(text, UInt8(ascii: ":")) else { return false }
      skipSpace(text)
      let name = text.extracting((start + 1)..<(end - 1))
      if index < text.count, text[index] == UInt8(ascii: "n") {
        // The value is read below.
      } else if name.firstIndex(of: UInt8(ascii: "\\")) == nil {
        visit(name, index)
      } else {
        var key: [UInt8] = []
        _ = JSONString.append(text, at: start, to: &key)
        visit(key.span, index)
      }
      guard value(text), separator(text, UInt8(ascii: "}")) else { return false }
    }
    return true
  }

  /// Moves past an array; returns false for any other value.
  ///
  /// - Parameter visit: Receives each element's index, before the rest is known to be JSON.
  mutating func elements(_ text: Span<UInt8>, _ visit: (_ element: Int) -> Void) -> Bool {
    guard take(text, UInt8(ascii: "[")) else { return false }
    while !take(text, UInt8(ascii: "]")) {
      visit(index)
      guard value(text), separator(text, UInt8(ascii: "]")) else { return false }
    }
    return true
  }

  /// Moves past the comma after a member or element that is not the last; returns false if neither a comma
  /// nor the end follows.
  private mutating func separator(_ text: Span<UInt8>, _ close: UInt8) -> Bool {
    skipSpace(text)
    guard index < text.count else { return false }
    if text[index] == close { return true }
    guard take(text, UInt8(ascii: ",")) else { return false }
    skipSpace(text)
    if index < text.count, text[index] == close { hasRepaired = true }
    return true
  }

  mutating func skipSpace(_ text: Span<UInt8>) {
    while index < text.count, text[index].isXMLSpace { index += 1 }
  }

  /// Moves past `byte` and the white space around it, if it is next.
  private mutating func take(_ text: Span<UInt8>, _ byte: UInt8) -> Bool {
    skipSpace(text)
    guard index < text.count, text[index] == byte else { return false }
    index += 1
    skipSpace(text)
    return true
  }

  private mutating func string(_ text: Span<UInt8>) -> Bool {
    guard let end = JSONString.end(of: text, at: index, &hasRepaired) else { return false }
    index = end
    return true
  }

  private mutating func word(_ text: Span<UInt8>, _ word: StaticString) -> Bool {
    guard text.hasPrefix(word, at: index) else { return false }
    index += word.utf8CodeUnitCount
    return index == text.count || !text[index].isASCIIAlphanumeric
  }

  /// Moves past a word that programs write for a value that is not a number. JSON has no such word.
  private mutating func noNumber(_ text: Span<UInt8>) -> Bool {
    hasRepaired = true
    return text[index] == UInt8(ascii: "N") ? word(text, "NaN") : word(text, "Infinity")
  }

  private mutating func number(_ text: Span<UInt8>) -> Bool {
    if text[index] == UInt8(ascii: "-") { index += 1 }
    if index < text.count, text[index] == UInt8(ascii: "I") { return noNumber(text) }
    guard digits(text) else { return false }
    if index < text.count, text[index] == UInt8(ascii: ".") {
      index += 1
      guard digits(text) else { return false }
    }
    if index < text.count, text[index] == UInt8(ascii: "e") || text[index] == UInt8(ascii: "E") {
      index += 1
      if index < text.count, text[index] == UInt8(ascii: "+") || text[index] == UInt8(ascii: "-") {
        index += 1
      }
      guard digits(text) else { return false }
    }
    return index == text.count || !text[index].isASCIIAlphanumeric
  }

  private mutating func digits(_ text: Span<UInt8>) -> Bool {
    let start = index
    while index < text.count, text[index].isASCIIDigit { index += 1 }
    return index > start
  }
}
