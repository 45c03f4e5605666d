internal import Markup

/// The start tags in a UTF-8 HTML page, one after the other, recognised like in browsers (HTML Standard,
/// section 13.2.5).
///
/// Comments, scripts and other texts without tags are skipped, names may be in any case, and values may lack
/// quotation marks.
///
/// A search for links needs no tree. One pass takes linear time, even for a hostile page. Parsers that build
/// a tree take quadratic time for end tags that match nothing.
struct HTMLTags {
  struct Attribute {
    var name: Range<Int>
    var value: Range<Int>
  }

  private let text: [UInt8]
  /// True if the page is XML, where an element may end with its start tag.
  private let isXHTML: Bool
  /// The index of the first unread byte.
  private var position = 0
  private var name = 0..<0
  private(set) var attributes: [Attribute] = []
  private var isSelfClosing = false

  /// The most attributes that are read from a tag.
  private static let mostAttributes = 64

  /// The elements that contain only text, up to their end tag.
  private static let textElements: [StaticString] = [
    "script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes",
  ]

  init(_ text: [UInt8], isXHTML: Bool = false) {
    self.text = text
    self.isXHTML = isXHTML
  }

  /// Moves to the next start tag; returns false at the page's end, also inside a tag.
  mutating func next() -> Bool {
    while let open = text.span.firstIndex(of: UInt8(ascii: "<"), from: position) {
      position = open + 1
      guard position < text.count else { return false }
      switch text[position] {
      case UInt8(ascii: "!") where text.span.hasPrefix("!--", at: position): skipComment()
      case UInt8(ascii: "!"), UInt8(ascii: "?"): skip(past: UInt8(ascii: ">"))
      case UInt8(ascii: "/"):
        position += 1
        if position < text.count, text[position].isASCIILetter {
          _ = readTag()
        } else {
          skip(past: UInt8(ascii: ">"))
        }
      case let byte where byte.isASCIILetter:
        guard readTag() else { return false }
        skipText()
        return true
      default: break
      }
    }
    return false
  }

  /// Returns whether the tag has a name, which is in lower case.
  func isNamed(_ name: StaticString) -> Bool {
    text.span.extracting(self.name).equalsIgnoringCase(name)
  }

  /// Returns an attribute's value with decoded references; nil if the tag does not have the attribute.
  func value(of name: StaticString) -> [UInt8]? {
    let span = text.span
    guard let found = attributes.first(where: { span.extracting($0.name).equalsIgnoringCase(name) }) else {
      return nil
    }
    return HTMLAddresses.decoded(span.extracting(found.value), isInAttribute: true)
  }

  /// Returns the text between the tag and the next one, at most `limit` bytes, with decoded references.
  func content(upTo limit: Int) -> [UInt8] {
    let end = text.span.firstIndex(of: UInt8(ascii: "<"), from: position) ?? text.count
    return HTMLAddresses.decoded(
      text.span.extracting(position..<min(end, position + limit)), isInAttribute: false)
  }

  // MARK: Reading

  private mutating func skip(past byte: UInt8) {
    position = text.span.firstIndex(of: byte, from: position).map { $0 + 1 } ?? text.count
  }

  /// Moves past a comment. `<!-->` and `<!--->` are also comments; a comment without an end extends to the
  /// page's end.
  private mutating func skipComment() {
    let start = position + 3
    position = start
    while position < text.count {
      skip(past: UInt8(ascii: ">"))
      let end = position - 1
      let isEnd =
        end == start || (end == start + 1 && text[start] == UInt8(ascii: "-"))
        || (end >= start + 2 && text.span.hasPrefix("--", at: end - 2))
        || (end >= start + 3 && text.span.hasPrefix("--!", at: end - 3))
      if isEnd { return }
    }
  }

  /// Reads a tag from its name on; returns false if the page ends before the tag does.
  private mutating func readTag() -> Bool {
    let start = position
    while position < text.count, !Self.endsName(text[position]) { position += 1 }
    name = start..<position
    attributes.removeAll(keepingCapacity: true)
    isSelfClosing = false
    while position < text.count {
      let byte = text[position]
      if byte == UInt8(ascii: ">") {
        position += 1
        return true
      }
      isSelfClosing = byte == UInt8(ascii: "/")
      if byte.isHTMLSpace || isSelfClosing {
        position += 1
      } else {
        guard readAttribute() else { return false }
      }
    }
    return false
  }

  private mutating func readAttribute() -> Bool {
    let start = position
    // An equals sign at the start belongs to the name.
    position += 1
    while position < text.count, !Self.endsName(text[position]), text[position] != UInt8(ascii: "=") {
      position += 1
    }
    let name = start..<position
    var end = position
    while end < text.count, text[end].isHTMLSpace { end += 1 }
    var value = position..<position
    if end < text.count, text[end] == UInt8(ascii: "=") {
      position = end + 1
      guard let found = readValue() else { return false }
      value = found
    }
    if attributes.count < Self.mostAttributes { attributes.append(Attribute(name: name, value: value)) }
    return true
  }

  /// Returns the value after the equals sign; nil if the page ends inside its quotation marks.
  private mutating func readValue() -> Range<Int>? {
    while position < text.count, text[position].isHTMLSpace { position += 1 }
    guard position < text.count else { return nil }
    let start = position
    if text[start] == 0x22 || text[start] == 0x27 {
      guard let end = text.span.firstIndex(of: text[start], from: start + 1) else { return nil }
      position = end + 1
      return (start + 1)..<end
    }
    while position < text.count, !text[position].isHTMLSpace, text[position] != UInt8(ascii: ">") {
      position += 1
    }
    return start..<position
  }

  /// Moves to the end tag of an element that contains only text, or to the page's end.
  private mutating func skipText() {
    if isXHTML, isSelfClosing { return }
    guard let element = Self.textElements.first(where: { isNamed($0) }) else { return }
    let text = text
    let span = text.span
    while let open = span.firstIndex(of: UInt8(ascii: "<"), from: position) {
      position = open + 1
      let end = open + 2 + element.utf8CodeUnitCount
      if span.hasPrefix("</", at: open), span.hasPrefixIgnoringCase(element, at: open + 2),
        end < text.count, Self.endsName(text[end])
      {
        position = open
        return
      }
    }
    position = text.count
  }

  private static func endsName(_ byte: UInt8) -> Bool {
    byte.isHTMLSpace || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">")
  }
}

extension UInt8 {
  /// True for HTML white space: XML white space and the form feed.
  fileprivate var isHTMLSpace: Bool { isXMLSpace || self == 0x0C }
}
