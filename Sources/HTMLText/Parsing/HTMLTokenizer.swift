internal import Markup
internal import TextOutput

/// Splits HTML into tags and texts (HTML Standard, section 13.2.5). Comments are left out.
struct HTMLTokenizer {
  enum Token {
    case start(Tag)
    case end(Tag)
    /// Characters, in the tokenizer's text.
    case text(HTMLTree.Slice)
    /// A document type; true for HTML.
    case doctype(isHTML: Bool)
    case endOfDocument
  }

  struct Tag {
    var tag = HTMLTag.other
    var name = NameHash()
    /// The known attributes, in the tokenizer's list.
    var attributes = HTMLTree.Slice(start: 0, count: 0)
    /// A hash of all attributes on a formatting element, independent of their order.
    var hash: UInt64 = 0
    var isSelfClosing = false
  }

  /// The way to read an element's content.
  enum Content {
    case markup
    /// Text with references, up to the end tag.
    case escapableText
    /// Text without references, up to the end tag.
    case rawText
    case script
    /// Text up to the end of the document.
    case plainText
  }

  private(set) var text: [UInt8] = []
  private(set) var attributes: [HTMLTree.Attribute] = []
  /// True if the current element belongs to SVG or MathML, in which CDATA sections are text.
  var isForeign = false
  /// True if a null in text is replaced; it is ignored otherwise.
  var keepsNulls = false
  /// The last tag's range in the document.
  var tagRange: Range<Int> { tagStart..<max(tagStart, index) }
  private var tagStart = 0
  private var index = 0
  private var content = Content.markup
  /// The element to read: its end tag ends the content.
  private var container = NameHash()
  /// True if a line end at the beginning of the next text is left out.
  private var skipsLineEnd = false

  init(size: Int) { text.reserveCapacity(size) }

  /// Reads the content of the last returned start tag's element in another way, up to its end tag.
  mutating func read(_ content: Content, of tag: Tag) { (self.content, container) = (content, tag.name) }

  /// Leaves out a line end that follows immediately.
  mutating func skipLineEnd() { skipsLineEnd = true }

  // MARK: Tokens

  /// Returns the next token.
  mutating func next(_ source: Span<UInt8>) -> Token {
    let start = text.count
    switch content {
    case .markup: appendText(source)
    case .plainText: appendRaw(source, index..<source.count, decodes: false)
    case .escapableText, .rawText, .script:
      let end = endOfContent(source)
      appendRaw(source, index..<end, decodes: content == .escapableText)
      content = .markup
    }
    if skipsLineEnd {
      skipsLineEnd = false
      if text.count > start, text[start] == UInt8(ascii: "\n") { text.remove(at: start) }
    }
    if text.count > start {
      return .text(HTMLTree.Slice(start: Int32(start), count: Int32(text.count - start)))
    }
    return index < source.count ? tagOrDoctype(source) : .endOfDocument
  }

  /// Appends text up to a tag, a document type or the end. Comments in it are skipped.
  private mutating func appendText(_ source: Span<UInt8>) {
    while index < source.count {
      let mark = nextMark(source, from: index)
      append(source, index..<mark)
      index = mark
      guard index < source.count else { return }
      switch source[index] {
      case UInt8(ascii: "&"): appendReference(source, to: source.count, isInAttribute: false)
      case UInt8(ascii: "\r"): appendLineEnd(source)
      case 0:
        if keepsNulls { appendReplacement() }
        index += 1
      default:
        if isTag(source) { return }
      }
    }
  }

  /// Returns whether a tag or a document type begins at a `<`. Otherwise text and CDATA sections are
  /// appended, and a comment is skipped.
  private mutating func isTag(_ source: Span<UInt8>) -> Bool {
    let next = index + 1 < source.count ? source[index + 1] : 0
    switch next {
    case UInt8(ascii: "!"):
      if source.hasPrefix("<!--", at: index) {
        index = HTMLTagCursor.endOfComment(in: source, at: index) ?? source.count
      } else if source.hasPrefixIgnoringCase("<!doctype", at: index) {
        return true
      } else if isForeign, source.hasPrefix("<![CDATA[", at: index) {
        let start = index + 9
        let end = source.firstIndex(of: "]]>", from: start) ?? source.count
        appendRaw(source, start..<end, decodes: false)
        index = min(end + 3, source.count)
      } else {
        skip(source, toAfter: UInt8(ascii: ">"))
      }
      return false
    case UInt8(ascii: "/"):
      let letter = index + 2 < source.count ? source[index + 2] : 0
      if letter.isASCIILetter { return true }
      if index + 2 >= source.count {
        append(source, index..<source.count)
        index = source.count
      } else {
        // "</>" is nothing, others are comments.
        index += 2
        skip(source, toAfter: UInt8(ascii: ">"))
      }
      return false
    case UInt8(ascii: "?"):
      skip(source, toAfter: UInt8(ascii: ">"))
      return false
    default:
      if next.isASCIILetter { return true }
      text.append(UInt8(ascii: "<"))
      index += 1
      return false
    }
  }

  private mutating func skip(_ source: Span<UInt8>, toAfter byte: UInt8) {
    index = source.firstIndex(of: byte, from: index).map { $0 + 1 } ?? source.count
  }

  // MARK: Tags

  private mutating func tagOrDoctype(_ source: Span<UInt8>) -> Token {
    tagStart = index
    if source[index + 1] == UInt8(ascii: "!") {
      var place = index + 9
      while place < source.count, source[place].isHTMLSpace { place += 1 }
      let isHTML = source.hasPrefixIgnoringCase("html", at: place)
      skip(source, toAfter: UInt8(ascii: ">"))
      return .doctype(isHTML: isHTML)
    }
    let isEnd = source[index + 1] == UInt8(ascii: "/")
    let (texts, count) = (text.count, attributes.count)
    var cursor = HTMLTagCursor(at: index + (isEnd ? 2 : 1), endsOpenValues: true)
    var tag = Tag(name: NameHash(source.extracting(cursor.name(source))))
    tag.tag = HTMLTag.byName[tag.name] ?? .other
    readAttributes(source, of: &tag, &cursor)
    // An unclosed tag is left out.
    index = cursor.isAtEnd ? cursor.index : source.count
    guard cursor.isAtEnd else { return .endOfDocument }
    tag.isSelfClosing = cursor.isSelfClosing
    if isEnd {
      text.removeLast(text.count - texts)
      attributes.removeLast(attributes.count - count)
      return .end(tag)
    }
    tag.attributes = HTMLTree.Slice(start: Int32(count), count: Int32(attributes.count - count))
    return .start(tag)
  }

  /// Reads a tag's attributes up to its end.
  private mutating func readAttributes(
    _ source: Span<UInt8>, of tag: inout Tag, _ cursor: inout HTMLTagCursor
  ) {
    let first = attributes.count
    let isHashed = HTMLTag.formatting.contains(tag.tag)
    while let found = cursor.attribute(source) {
      let name = NameHash(source.extracting(found.name))
      if isHashed {
        var hash = name
        hash.add(source.extracting(found.value))
        tag.hash &+= hash.value
      }
      guard let attribute = HTMLAttribute.byName[name],
        !attributes[first...].contains(where: { $0.name == attribute })
      else { continue }
      let start = text.count
      index = found.value.lowerBound
      appendValue(source, to: found.value.upperBound)
      attributes.append(
        HTMLTree.Attribute(
          name: attribute,
          value: HTMLTree.Slice(start: Int32(start), count: Int32(text.count - start))))
    }
  }

  private mutating func appendValue(_ source: Span<UInt8>, to end: Int) {
    while index < end {
      switch source[index] {
      case UInt8(ascii: "&"): appendReference(source, to: end, isInAttribute: true)
      case UInt8(ascii: "\r"): appendLineEnd(source)
      case 0:
        appendReplacement()
        index += 1
      default:
        text.append(source[index])
        index += 1
      }
    }
  }

  // MARK: Texts

  private mutating func append(_ source: Span<UInt8>, _ range: Range<Int>) {
    guard !range.isEmpty else { return }
    text.append(source.extracting(range))
  }

  private mutating func appendReplacement() { text.appendUTF8(0xFFFD) }

  private mutating func appendLineEnd(_ source: Span<UInt8>) {
    text.append(UInt8(ascii: "\n"))
    index += 1
    if index < source.count, source[index] == UInt8(ascii: "\n") { index += 1 }
  }

  private mutating func appendReference(_ source: Span<UInt8>, to end: Int, isInAttribute: Bool) {
    let after = HTMLEntity.appendReference(
      in: source.extracting(..<end), at: index, isInAttribute: isInAttribute, to: &text)
    if after == index {
      text.append(UInt8(ascii: "&"))
      index += 1
    } else {
      index = after
    }
  }

  /// Appends text without tags.
  private mutating func appendRaw(_ source: Span<UInt8>, _ range: Range<Int>, decodes: Bool) {
    index = range.lowerBound
    while index < range.upperBound {
      switch source[index] {
      case UInt8(ascii: "&") where decodes:
        appendReference(source, to: range.upperBound, isInAttribute: false)
      case UInt8(ascii: "\r"): appendLineEnd(source)
      case 0:
        appendReplacement()
        index += 1
      default:
        // At least one: the text may begin with a "&" that is plain text here.
        let end = min(nextMark(source, from: index + 1), range.upperBound)
        append(source, index..<end)
        index = end
      }
    }
    index = max(index, range.upperBound)
  }

  /// Returns the index of the end tag that ends the container's content; the end of the document without one.
  private func endOfContent(_ source: Span<UInt8>) -> Int {
    // In a script, comments hide its end tag from a script inside them.
    var isComment = false
    var isInnerScript = false
    var place = index
    while place < source.count {
      switch source[place] {
      case UInt8(ascii: "<"):
        if content == .script, !isComment, source.hasPrefix("<!--", at: place) {
          isComment = true
          // The dashes may also belong to the comment's end.
          place += 2
          continue
        }
        let isEnd = source.hasPrefix("</", at: place)
        if isEnd || isComment, hasName(source, from: place + (isEnd ? 2 : 1)) {
          if !isInnerScript, isEnd { return place }
          isInnerScript = !isEnd
        }
        place += 1
      case UInt8(ascii: "-"):
        if isComment, source.hasPrefix("-->", at: place) { (isComment, isInnerScript) = (false, false) }
        place += 1
      default: place += 1
      }
    }
    return source.count
  }

  /// Returns whether the container's name, and its end, are at a position.
  private func hasName(_ source: Span<UInt8>, from start: Int) -> Bool {
    var place = start
    // No such element has a longer name.
    let limit = min(source.count, start + 10)
    while place < limit, !source[place].endsHTMLName { place += 1 }
    return place < source.count && source[place].endsHTMLName
      && NameHash(source.extracting(start..<place)) == container
  }

  /// Returns the index of the next byte that is more than a character of text; the byte count without one.
  private func nextMark(_ source: Span<UInt8>, from start: Int) -> Int {
    source.firstIndex(from: start) { bytes in
      bytes.marks(of: UInt8(ascii: "<")) | bytes.marks(of: UInt8(ascii: "&"))
        | bytes.marks(of: UInt8(ascii: "\r")) | bytes.marks(of: 0)
    } ?? source.count
  }
}

extension Span<UInt8> {
  /// Returns the first index of a text from `start` on, or nil.
  fileprivate func firstIndex(of text: StaticString, from start: Int) -> Int? {
    guard text.utf8CodeUnitCount > 0 else { return nil }
    let first = unsafe text.utf8Start[0]
    var place = start
    while let found = firstIndex(of: first, from: place) {
      if hasPrefix(text, at: found) { return found }
      place = found + 1
    }
    return nil
  }
}

extension HTMLTokenizer.Content {
  /// Creates the content kind for an element that contains no other elements; nil for others.
  init?(of tag: HTMLTag) {
    switch tag {
    case .title, .textarea: self = .escapableText
    case .style, .xmp, .iframe, .noembed, .noframes: self = .rawText
    case .script: self = .script
    case .plaintext: self = .plainText
    default: return nil
    }
  }
}
