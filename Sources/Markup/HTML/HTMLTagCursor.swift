/// Moves over an HTML tag as browsers read it (HTML Standard, section 13.2.5). The caller passes the same text
/// to each method.
package struct HTMLTagCursor {
  /// An attribute, as ranges in the text.
  package struct Attribute {
    package let name: Range<Int>
    /// The value as written, without quotation marks.
    package let value: Range<Int>
  }

  /// The index of the next byte; after the tag's end, of the first byte after it.
  package private(set) var index: Int
  /// True after the tag's `>`.
  package private(set) var isAtEnd = false
  /// True if a slash directly precedes the tag's end.
  package private(set) var isSelfClosing = false

  private let endsOpenValues: Bool

  /// - Parameter endsOpenValues: True to end a value without its second quotation mark with its tag. Browsers
  ///   lose the rest of the document instead, and so does false.
  package init(at index: Int, endsOpenValues: Bool) {
    (self.index, self.endsOpenValues) = (index, endsOpenValues)
  }

  /// Moves past the tag's name, and returns its range.
  package mutating func name(_ text: Span<UInt8>) -> Range<Int> {
    let start = index
    while index < text.count, !text[index].endsHTMLName { index += 1 }
    return start..<index
  }

  /// Moves past the next attribute. Returns nil after the last one, at the tag's end or at the text's end.
  package mutating func attribute(_ text: Span<UInt8>) -> Attribute? {
    while index < text.count {
      let byte = text[index]
      if byte == UInt8(ascii: ">") {
        index += 1
        isAtEnd = true
        return nil
      }
      isSelfClosing = byte == UInt8(ascii: "/")
      guard byte.isHTMLSpace || isSelfClosing else { break }
      index += 1
    }
    guard index < text.count else { return nil }
    let start = index
    // An equals sign at the start belongs to the name.
    repeat {
      index += 1
    } while index < text.count && !text[index].endsHTMLName
      && text[index] != UInt8(ascii: "=")
    let name = start..<index
    skipSpace(text)
    guard index < text.count, text[index] == UInt8(ascii: "=") else {
      return Attribute(name: name, value: index..<index)
    }
    index += 1
    skipSpace(text)
    return value(text).map { Attribute(name: name, value: $0) }
  }

  private mutating func skipSpace(_ text: Span<UInt8>) {
    while index < text.count, text[index].isHTMLSpace { index += 1 }
  }

  /// Moves past the value after an equals sign; returns nil if it does not end.
  private mutating func value(_ text: Span<UInt8>) -> Range<Int>? {
    guard index < text.count else { return nil }
    let quote = text[index]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      let start = index
      while index < text.count, !text[index].isHTMLSpace, text[index] != UInt8(ascii: ">") { index += 1 }
      return start..<index
    }
    let start = index + 1
    if let end = text.firstIndex(of: quote, from: start) {
      index = end + 1
      return start..<end
    }
    guard endsOpenValues, let end = text.firstIndex(of: UInt8(ascii: ">"), from: start) else {
      index = text.count
      return nil
    }
    index = end
    return start..<end
  }

  /// Returns the index after the comment that begins at an index; nil if it does not end.
  package static func endOfComment(in text: Span<UInt8>, at start: Int) -> Int? {
    for whole in ["<!-->", "<!--->"] as [StaticString] where text.hasPrefix(whole, at: start) {
      return start + whole.utf8CodeUnitCount
    }
    var place = start + 4
    while let dash = text.firstIndex(of: UInt8(ascii: "-"), from: place) {
      if text.hasPrefix("-->", at: dash) { return dash + 3 }
      if text.hasPrefix("--!>", at: dash) { return dash + 4 }
      place = dash + 1
    }
    return nil
  }
}
