internal import Markup

/// The text that is being collected, and its purpose.
struct Capture {
  /// The field that the text fills.
  enum Field: UInt8 {
    case title, link, id, description, content, published, modified, category, keywords, language, imageURL
    case feedTitle, feedLink, feedDescription, feedIcon, feedLanguage, feedRights, feedGenerator, feedModified
    case feedPublished, feedID, feedCategory
    case timeToLive, skipHour, skipDay, updatePeriod, updateFrequency, updateBase
    case personText, personName, personEmail, personURL
    /// A member of the item.
    case extensionText
  }

  /// The way to read markup inside the text.
  enum Kind: UInt8 {
    /// A word, an address or a date: markup is dropped.
    case plain
    /// Plain text.
    case text
    /// HTML, or text that may be HTML.
    case html
    /// Markup that belongs to the document itself (XHTML).
    case xhtml
    case base64Text
    case base64HTML
    /// An image, sound or film, which has no text.
    case binary
    /// Several forms for one text, each in its own element.
    case alternatives
  }

  var field = Field.title
  var kind = Kind.plain
  /// The rank of the source; a lower rank wins.
  var rank: UInt8 = 0
  /// The attribute `isPermaLink` of RSS `guid`; nil without it.
  var isPermaLink: Bool?
  /// True if a `link`'s text is a file's address.
  var isEnclosure = false
  /// True if a module's text is an address.
  var isAddress = false
  /// The kind and the field for a module's text.
  var extensionKind = ParsedExtension.Kind.category
  var extensionField = ParsedExtension.Field.text
  /// True if the category has a scheme or a label.
  var isQualified = false
  /// The offset at which the text begins.
  var start = 0
  /// The count of open elements inside the text's element, including itself.
  var depth = 0
  /// True if the text contains elements.
  private(set) var hasMarkup = false
  /// True if the text exceeds its limit, so that nothing more is added.
  var isFull = false
  /// True if a leading `div` belongs to the content.
  private var isUnwrapped = false
  /// The depth of the `div` that wraps XHTML content without belonging to it.
  private var wrapperDepth = 0

  init() {}

  /// - Parameter depth: The count of open elements, including the text's element.
  init(_ field: Field, _ kind: Kind, rank: UInt8, start: Int, depth: Int) {
    (self.field, self.kind, self.rank, self.start, self.depth) = (field, kind, rank, start, depth)
  }

  /// Inlined, because texts are the most frequent events.
  @inline(__always)
  mutating func append(_ text: Span<UInt8>, _ texts: inout TextBuffer) {
    if isFull { return }
    if kind == .xhtml { texts.appendEscaped(text) } else { texts.bytes.append(text) }
    check(texts.bytes.count, texts.limits.fieldBytes)
  }

  /// Stops collecting a text that exceeds its limit. The part so far stays.
  @inline(__always)
  private mutating func check(_ end: Int, _ limit: Int) {
    if end - start > limit { isFull = true }
  }

  // MARK: Markup

  /// True if elements in the text belong to it.
  private var keepsMarkup: Bool { kind != .plain && field != .personText && !isFull }

  /// Begins an element in the text.
  ///
  /// - Parameter depth: The count of open elements around it.
  /// - Returns: The scope for its base and language.
  mutating func startMarkup(
    _ name: XMLName, _ attributes: XMLAttributes, depth: Int, _ texts: inout TextBuffer
  ) -> TextBuffer.Scope {
    guard keepsMarkup else { return TextBuffer.Scope() }
    let isFirst = !hasMarkup
    hasMarkup = true
    // Escaped HTML in an XHTML `div` stays escaped HTML until another element occurs.
    let isDiv = texts.names.meaning(of: name) == ElementName(.xhtml, .div)
    let isWrapper = isFirst && kind == .html && isDiv
    if !isWrapper { takeAsMarkup(isWrapped: isDiv, &texts) }
    name.withLocalBytes { local in
      if isFirst, isWrapper || (kind == .xhtml && !isUnwrapped), depth == self.depth,
        local.equalsIgnoringCase("div"), texts.isBlank(from: start)
      {
        wrapperDepth = depth + 1
      } else {
        texts.bytes.append(UInt8(ascii: "<"))
        texts.bytes.append(local)
      }
    }
    let scope = texts.enter(attributes)
    guard wrapperDepth != depth + 1 else { return scope }
    for index in 0..<attributes.count { texts.appendMarkup(attributes, at: index) }
    texts.bytes.append(UInt8(ascii: ">"))
    texts.openMarkup.append(name)
    check(texts.bytes.count, texts.limits.fieldBytes)
    return scope
  }

  /// Continues the text as markup.
  ///
  /// A text with elements is not escaped HTML, so other characters in it are text (RFC 4287,
  /// section 3.1.1.3). The part before the first element is HTML if it contains end tags, as a leading CDATA
  /// section does.
  private mutating func takeAsMarkup(isWrapped: Bool, _ texts: inout TextBuffer) {
    guard kind == .html || kind == .text else { return }
    let isHTML = kind == .html && texts.bytes.span.hasEndTag(from: start)
    if !isHTML { texts.escape(from: start) }
    kind = .xhtml
    isUnwrapped = !isWrapped
  }

  /// Ends an element in the text.
  ///
  /// - Parameter depth: The count of open elements, including it.
  mutating func endMarkup(depth: Int, _ texts: inout TextBuffer) {
    if wrapperDepth == depth {
      // A second `div` is content.
      wrapperDepth = 0
      return
    }
    guard keepsMarkup, let name = texts.openMarkup.popLast() else { return }
    texts.appendEndTag(name)
  }

  // MARK: The end

  /// Completes the text in the buffer: cut, decoded and without CDATA marks.
  ///
  /// - Returns: False if it was cut.
  @inline(__always)
  func finish(_ texts: inout TextBuffer) -> Bool {
    defer { if !texts.openMarkup.isEmpty { texts.openMarkup.removeAll(keepingCapacity: true) } }
    if kind == .binary { texts.bytes.removeSubrange(start...) }
    let isCut = isFull && kind != .binary
    if isCut { shorten(&texts) }
    if kind == .base64HTML || kind == .base64Text { decodeBase64(&texts) }
    if start < texts.bytes.count, texts.bytes[start] <= UInt8(ascii: "<") { unwrapCharacterData(&texts) }
    return !isCut
  }

  /// Cuts a text that exceeds its limit, between characters and outside tags, and closes its open elements.
  private func shorten(_ texts: inout TextBuffer) {
    let end = TextEnd.cut(
      texts.bytes.span.extracting(start...), at: texts.limits.fieldBytes,
      isHTML: kind == .html || kind == .xhtml)
    texts.bytes.removeSubrange((start + end)...)
    while let name = texts.openMarkup.popLast() { texts.appendEndTag(name) }
  }

  /// Removes CDATA marks that belong to the text because the whole text was escaped once more, or several
  /// times.
  private func unwrapCharacterData(_ texts: inout TextBuffer) {
    guard kind == .html || kind == .plain else { return }
    var first = start
    var layers = 0
    while true {
      while first < texts.bytes.count, texts.bytes[first].isXMLSpace { first += 1 }
      guard texts.bytes.span.hasPrefix("<![CDATA[", at: first) else { break }
      first += 9
      layers += 1
    }
    guard layers > 0 else { return }
    // All are removed at once, so that a text with nothing but opening marks takes no longer than another.
    texts.bytes.removeSubrange(start..<first)
    var last = texts.bytes.count
    for _ in 0..<layers {
      while last > start, texts.bytes[last - 1].isXMLSpace { last -= 1 }
      guard last - start >= 3, texts.bytes.span.hasPrefix("]]>", at: last - 3) else { break }
      last -= 3
    }
    texts.bytes.removeSubrange(last...)
  }

  private func decodeBase64(_ texts: inout TextBuffer) {
    guard let text = Base64.decode(texts.bytes.span.extracting(start...)) else { return }
    // A decoded text contains only control characters that XML allows; otherwise the bytes are not text.
    let isText = !text.contains { $0 < 0x20 && !$0.isXMLSpace }
    texts.bytes.removeSubrange(start...)
    if isText { texts.bytes.append(contentsOf: String(decoding: text, as: UTF8.self).utf8) }
  }

  /// Turns the text into plain text, such as a title.
  func makePlainText(isAtom: Bool, _ texts: inout TextBuffer) {
    let markup: PlainText.Markup =
      switch kind {
      case .text, .base64Text, .plain, .binary, .alternatives: hasMarkup ? .html : .none
      case .html: isAtom ? .html : .maybe
      case .xhtml, .base64HTML: .html
      }
    PlainText.make(&texts.bytes, from: start, markup)
  }
}

extension Span<UInt8> {
  /// Returns whether the text contains `</` from `start` on.
  fileprivate func hasEndTag(from start: Int) -> Bool {
    var index = start
    while let found = firstIndex(of: UInt8(ascii: "<"), from: index) {
      if found + 1 < count, self[found + 1] == UInt8(ascii: "/") { return true }
      index = found + 1
    }
    return false
  }
}
