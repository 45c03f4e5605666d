internal import Markup
internal import TextOutput

/// Reads the words in a simple document in one pass, without a tree.
///
/// A document is simple if all its elements are well nested and no element can be hidden or moved. Optional
/// end tags may be missing. Most articles are simple, and the first search index reads the words in all
/// articles. For such a document, the result has the same words as the tree: a random test compares them.
struct SimpleWords {
  private(set) var result: [UInt8]
  private var index = 0
  private var open: [HTMLTag] = []
  /// The number of open elements that need no end tag.
  private var implied = 0
  /// The position of the open superscript, if it may be a footnote number.
  private var footnote: Int?

  /// Appends the words in HTML to others. Returns false, and leaves the others unchanged, if the document is
  /// not simple.
  static func append(_ html: Span<UInt8>, to words: inout [UInt8]) -> Bool {
    // The parser drops nulls.
    guard html.firstIndex(of: 0 as UInt8) == nil else { return false }
    let count = words.count
    var reader = SimpleWords(result: [])
    swap(&reader.result, &words)
    let isSimple = reader.read(html)
    swap(&reader.result, &words)
    if !isSimple { words.removeLast(words.count - count) }
    return isSimple
  }

  private init(result: [UInt8]) { self.result = result }

  private mutating func read(_ html: Span<UInt8>) -> Bool {
    while index < html.count {
      let mark =
        html.firstIndex(from: index) { $0.marks(of: UInt8(ascii: "<")) | $0.marks(of: UInt8(ascii: "&")) }
        ?? html.count
      if index < mark { result.append(html.extracting(index..<mark)) }
      index = mark
      guard index < html.count else { return true }
      if html[index] == UInt8(ascii: "&") {
        appendReference(html, to: html.count, isInAttribute: false)
      } else if !readTag(html) {
        return false
      }
    }
    return true
  }

  private mutating func appendReference(_ html: Span<UInt8>, to end: Int, isInAttribute: Bool) {
    let after = HTMLEntity.appendReference(
      in: html.extracting(..<end), at: index, isInAttribute: isInAttribute, to: &result)
    if after == index { result.append(UInt8(ascii: "&")) }
    index = max(after, index + 1)
  }

  // MARK: Tags

  private mutating func readTag(_ html: Span<UInt8>) -> Bool {
    guard index + 1 < html.count else { return false }
    let isEnd = html[index + 1] == UInt8(ascii: "/")
    let start = index + (isEnd ? 2 : 1)
    guard start < html.count, html[start].isASCIILetter else {
      guard !isEnd, html[start] != UInt8(ascii: "!"), html[start] != UInt8(ascii: "?") else {
        return readComment(html)
      }
      result.append(UInt8(ascii: "<"))
      index += 1
      return true
    }
    var cursor = HTMLTagCursor(at: start, endsOpenValues: true)
    let name = NameHash(html.extracting(cursor.name(html)))
    guard let tag = HTMLTag.byName[name], Self.simple.contains(tag) else { return false }
    if !WordsWriter.inline.contains(tag) { result.append(UInt8(ascii: " ")) }
    guard isEnd ? end(tag) : self.start(tag) else { return false }
    return readAttributes(html, of: isEnd ? nil : tag, &cursor)
  }

  private mutating func readComment(_ html: Span<UInt8>) -> Bool {
    guard html.hasPrefix("<!--", at: index), let end = HTMLTagCursor.endOfComment(in: html, at: index) else {
      return false
    }
    index = end
    return true
  }

  private mutating func start(_ tag: HTMLTag) -> Bool {
    switch tag {
    case .br, .img, .wbr: return true
    case let tag where WordsWriter.inline.contains(tag):
      if tag == .sup { footnote = result.placeOfFootnote }
      open.append(tag)
      return open.count < 200
    default: break
    }
    // A block inside a formatting element may end a paragraph or an item around that.
    if let last = open.last, WordsWriter.inline.contains(last), implied > 0 { return false }
    if open.last == .p { pop() }
    switch tag {
    case .hr: return true
    case .li:
      if open.last == .li { pop() }
      guard open.last == .ul || open.last == .ol else { return false }
    case .dd, .dt:
      if open.last == .dd || open.last == .dt { pop() }
      guard open.last == .dl else { return false }
    case let tag where HTMLTag.headings.contains(tag):
      if let last = open.last, HTMLTag.headings.contains(last) { return false }
    default: break
    }
    open.append(tag)
    if Self.ends.contains(tag) { implied += 1 }
    return open.count < 200
  }

  private mutating func pop() {
    guard let tag = open.popLast() else { return }
    if Self.ends.contains(tag) { implied -= 1 }
  }

  private mutating func end(_ tag: HTMLTag) -> Bool {
    if tag != .p {
      while let last = open.last, last != tag, HTMLTag.impliedEnd.contains(last) { pop() }
    }
    guard open.last == tag else { return false }
    if tag == .sup { result.separateFootnote(at: &footnote) }
    pop()
    return true
  }

  // MARK: Attributes

  /// - Parameter tag: The element with the attributes; nil for an end tag.
  private mutating func readAttributes(
    _ html: Span<UInt8>, of tag: HTMLTag?, _ cursor: inout HTMLTagCursor
  ) -> Bool {
    var (alt, title): (Range<Int>?, Range<Int>?) = (nil, nil)
    while let attribute = cursor.attribute(html) {
      let (name, value) = (attribute.name, attribute.value)
      guard tag != nil else { continue }
      switch html[name.lowerBound] | 0x20 {
      case UInt8(ascii: "h"), UInt8(ascii: "s"), UInt8(ascii: "w"):
        if isOfInterest(html.extracting(name), html.extracting(value), tag) { return false }
      case UInt8(ascii: "a") where tag == .img && html.extracting(name).equalsIgnoringCase("alt"):
        alt = alt ?? value
      case UInt8(ascii: "t") where tag == .img && html.extracting(name).equalsIgnoringCase("title"):
        title = title ?? value
      default: break
      }
    }
    index = cursor.index
    guard cursor.isAtEnd else { return false }
    return tag != .img || append(html, alt ?? 0..<0, title ?? 0..<0)
  }

  /// Returns whether an attribute may hide its element.
  private func isOfInterest(_ name: Span<UInt8>, _ value: Span<UInt8>, _ tag: HTMLTag?) -> Bool {
    if name.equalsIgnoringCase("hidden") { return true }
    if name.equalsIgnoringCase("style") {
      return value.containsIgnoringCase("none") || value.containsIgnoringCase("hidden")
        || value.firstIndex(of: 0x26) != nil
        || tag == .img && value.containsIgnoringCase("height") && InlineStyle(value.text).isTiny
    }
    guard tag == .img, name.equalsIgnoringCase("width") || name.equalsIgnoringCase("height") else {
      return false
    }
    // Pictures that count readers.
    return value.count == 0 || !(0x31...0x39).contains(value[0]) || value[0] == 0x31 && value.count < 4
  }

  /// Appends a picture's words; returns false if it has two texts, which may be the same.
  private mutating func append(_ html: Span<UInt8>, _ alt: Range<Int>, _ title: Range<Int>) -> Bool {
    guard alt.isEmpty || title.isEmpty else { return false }
    let text = alt.isEmpty ? title : alt
    let after = index
    index = text.lowerBound
    while index < text.upperBound {
      if html[index] == UInt8(ascii: "&") {
        appendReference(html, to: text.upperBound, isInAttribute: true)
      } else {
        result.append(html[index])
        index += 1
      }
    }
    index = after
    if !text.isEmpty { result.append(UInt8(ascii: " ")) }
    return true
  }

  // MARK: Elements

  /// The elements that may be open at a block that ends them.
  private static let ends: TagSet = [.p, .li, .dd, .dt, .h1, .h2, .h3, .h4, .h5, .h6]

  private static let simple: TagSet = [
    .a, .abbr, .address, .article, .aside, .b, .big, .blockquote, .br, .center, .cite, .code, .dd, .div, .dl,
    .dt,
    .em, .figcaption, .figure, .font, .footer, .h1, .h2, .h3, .h4, .h5, .h6, .header, .hr, .i, .img, .kbd,
    .li,
    .main, .mark, .nav, .ol, .p, .pre, .q, .s, .samp, .section, .small, .span, .strong, .sub, .sup, .time,
    .tt,
    .u, .ul, .var, .wbr,
  ]
}
