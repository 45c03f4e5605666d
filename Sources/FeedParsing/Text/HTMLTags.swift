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
  private let text: [UInt8]
  /// True if the page is XML, where an element may end with its start tag.
  private let isXHTML: Bool
  /// The index of the first unread byte.
  private var position = 0
  private var name = 0..<0
  private(set) var attributes: [HTMLTagCursor.Attribute] = []
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
      case UInt8(ascii: "!") where text.span.hasPrefix("!--", at: position):
        position = HTMLTagCursor.endOfComment(in: text.span, at: open) ?? text.count
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

  /// Reads a tag from its name on; returns false if the page ends before the tag does.
  private mutating func readTag() -> Bool {
    var cursor = HTMLTagCursor(at: position, endsOpenValues: false)
    name = cursor.name(text.span)
    attributes.removeAll(keepingCapacity: true)
    while let attribute = cursor.attribute(text.span) {
      if attributes.count < Self.mostAttributes { attributes.append(attribute) }
    }
    (position, isSelfClosing) = (cursor.index, cursor.isSelfClosing)
    return cursor.isAtEnd
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
        end < text.count, text[end].endsHTMLName
      {
        position = open
        return
      }
    }
    position = text.count
  }
}
