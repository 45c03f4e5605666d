internal import Markup

/// Moves over a JSON value that stands whole in a text, and checks it; each method is given the text.
///
/// It calls itself for each level: who gives it the text has looked at its depth (``JSONSplitter``).
struct JSONCursor {
  /// Where the next byte is that is read.
  private(set) var index: Int
  /// Whether there was something that JSON does not allow: a comma behind the last member or element, a number that is
  /// none, a line end in a string.
  private(set) var hasRepaired = false

  init(at index: Int = 0) {
    self.index = index
  }

  /// Moves behind the value; false when it is no JSON.
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

  /// Moves behind an object; false when it is none.
  ///
  /// - Parameter visit: Is told each key and where its value begins, before it is known that all is JSON. A null is as
  ///   if the member were not there.
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
        // The value is looked at below.
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

  /// Moves behind an array; false when it is none.
  ///
  /// - Parameter visit: Is told where each element begins, before it is known that all is JSON.
  mutating func elements(_ text: Span<UInt8>, _ visit: (_ element: Int) -> Void) -> Bool {
    guard take(text, UInt8(ascii: "[")) else { return false }
    while !take(text, UInt8(ascii: "]")) {
      visit(index)
      guard value(text), separator(text, UInt8(ascii: "]")) else { return false }
    }
    return true
  }

  /// Takes the comma behind a member or element, if that is not the last; false when neither comes.
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

  /// Takes `byte` when it comes next, and white space on either side.
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

  /// What programs write for a number that is none, although JSON has no word for it.
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
