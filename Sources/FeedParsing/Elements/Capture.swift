internal import Markup

/// The text that is being collected, and its purpose.
struct Capture {
  /// The field that the text fills.
  enum Field: UInt8 {
    case title, link, id, description, content, published, modified, category, keywords, language, imageURL
    case feedTitle, feedLink, feedDescription, feedIcon, feedLanguage, feedRights, feedGenerator, feedModified
    case feedPublished, timeToLive, skipHour, skipDay, updatePeriod, updateFrequency
    case personText, personName, personEmail, personURL
    /// A member of the item, or a detail of the feed.
    case extensionText, feedText
  }

  /// The way in which markup inside the text is read.
  enum Kind: UInt8 {
    /// A word, an address or a date: markup is dropped.
    case plain
    /// Plain text.
    case text
    /// HTML, or text that may be HTML.
    case html
    /// Markup of the document itself (XHTML).
    case xhtml
    case base64Text
    case base64HTML
    /// An image, sound or film, which has no text.
    case binary
    /// Several forms of one text, each in its own element.
    case alternatives
  }

  var field = Field.title
  var kind = Kind.plain
  /// The rank of the source; a lower rank wins.
  var rank: UInt8 = 0
  /// The value of RSS `guid`'s `isPermaLink`; nil without it.
  var isPermaLink: Bool?
  /// True if the text of a `link` is the address of a file.
  var isEnclosure = false
  /// True if the text of a module is an address.
  var isAddress = false
  /// The kind and the field of a module's text.
  var extensionKind = ParsedExtension.Kind.category
  var extensionField = ParsedExtension.Field.text
  /// True if the category has a scheme or a label.
  var isQualified = false
  /// The detail of the feed that the text fills.
  var detail = FeedText.id
  /// The offset at which the text begins.
  var start = 0
  /// The number of open elements inside the text's element, including itself.
  var depth = 0
  /// True if the text contains elements.
  var hasMarkup = false
  /// True if the text exceeds its limit, so that nothing more is added.
  var isFull = false
  /// True if a leading `div` is part of the content.
  var isUnwrapped = false
  /// The depth of the `div` around XHTML content, which is not part of it.
  var wrapperDepth = 0

  var isXHTML: Bool { kind == .xhtml }

  /// Returns whether a media type is an image, a sound or a film.
  static func isMedia(_ type: Span<UInt8>) -> Bool {
    type.hasPrefixIgnoringCase("image/") || type.hasPrefixIgnoringCase("audio/")
      || type.hasPrefixIgnoringCase("video/")
  }
}

extension FeedBuilder {
  /// Begins to collect the text of the element that was opened last.
  mutating func startCapture(_ field: Capture.Field, _ kind: Capture.Kind, rank: UInt8 = 0) -> Role {
    if isInItem {
      checkItem()
      if exceeded != nil { return .skipped }
    }
    capture = Capture(field: field, kind: kind, rank: rank, start: batch.bytes.count, depth: frames.count)
    isCapturing = true
    return .captured
  }

  /// Returns the kind of an Atom text according to its `type` and `mode`.
  mutating func kind(of attributes: XMLAttributes, otherwise: Capture.Kind) -> Capture.Kind {
    guard attributes.count > 0 else { return otherwise }
    let start = batch.bytes.count
    defer { batch.bytes.removeSubrange(start...) }
    let hasType = append(.type, of: attributes)
    let typeEnd = batch.bytes.count
    let hasMode = append(.mode, of: attributes)
    let type = batch.bytes.span.extracting(start..<typeEnd)
    let mode = batch.bytes.span.extracting(typeEnd...)
    let isHTML = type.equalsIgnoringCase("html") || type.hasPrefixIgnoringCase("text/html")
    let isXML =
      type.equalsIgnoringCase("xhtml") || type.hasPrefixIgnoringCase("application/xhtml")
      || (type.count > 3 && type.hasPrefixIgnoringCase("xml", at: type.count - 3))
    if hasType, !isXML, Capture.isMedia(type) { return .binary }
    if hasMode, mode.equalsIgnoringCase("base64") { return isHTML || isXML ? .base64HTML : .base64Text }
    if hasMode, mode.equalsIgnoringCase("escaped") { return hasType && !isHTML && !isXML ? .text : .html }
    if !hasType { return otherwise }
    if isHTML { return hasMode && mode.equalsIgnoringCase("xml") ? .xhtml : .html }
    if isXML { return .xhtml }
    if type.equalsIgnoringCase("text") || type.hasPrefixIgnoringCase("text/") { return .text }
    if type.hasPrefixIgnoringCase("multipart/") { return .alternatives }
    return type.firstIndex(of: UInt8(ascii: "/")) == nil ? otherwise : .base64Text
  }

  // MARK: Markup in texts

  /// Switches to the parts of a person, which are elements: the text collected so far is white space.
  mutating func switchToPart(of name: XMLName) -> Bool {
    guard capture.field == .personText, frames.count == capture.depth else { return endTitle(before: name) }
    switch names.meaning(of: name).local {
    case .name, .email, .uri, .url, .homepage:
      batch.bytes.removeSubrange(capture.start...)
      isCapturing = false
      frames[frames.count - 1].role = .person
      return true
    default: return false
    }
  }

  mutating func startMarkup(_ name: XMLName, _ attributes: XMLAttributes) {
    var frame = Frame(role: .markup)
    defer { frames.append(frame) }
    guard capture.kind != .plain, capture.field != .personText, !capture.isFull else { return }
    let isFirst = !capture.hasMarkup
    capture.hasMarkup = true
    // Escaped HTML in a `div` of XHTML stays escaped HTML until another element occurs.
    let isWrapper = isFirst && capture.kind == .html && names.meaning(of: name) == ElementName(.xhtml, .div)
    if !isWrapper { takeAsMarkup(name) }
    name.withLocalBytes { local in
      if isFirst, isWrapper || (capture.isXHTML && !capture.isUnwrapped), frames.count == capture.depth,
        local.equalsIgnoringCase("div"),
        isBlank(from: capture.start)
      {
        capture.wrapperDepth = frames.count + 1
      } else {
        batch.bytes.append(UInt8(ascii: "<"))
        batch.bytes.append(local)
      }
    }
    readBase(attributes, &frame)
    guard capture.wrapperDepth != frames.count + 1 else { return }
    for index in 0..<attributes.count { append(attributes, at: index) }
    batch.bytes.append(UInt8(ascii: ">"))
    markNames.append(name)
    checkField()
  }

  /// Continues the text as markup. A text with elements is not escaped HTML, so other characters in it are text (RFC
  /// 4287, section 3.1.1.3). The part before the first element is HTML if it contains end tags, as a leading CDATA
  /// section does.
  private mutating func takeAsMarkup(_ name: XMLName) {
    guard capture.kind == .html || capture.kind == .text else { return }
    let isWrapped = names.meaning(of: name) == ElementName(.xhtml, .div)
    let isHTML = capture.kind == .html && batch.bytes.span.hasEndTag(from: capture.start)
    if !isHTML, batch.bytes.span.firstMarkup(from: capture.start) != nil {
      let text = Array(batch.bytes[capture.start...])
      batch.bytes.removeSubrange(capture.start...)
      appendEscaped(text.span)
    }
    capture.kind = .xhtml
    capture.isUnwrapped = !isWrapped
  }

  mutating func endMarkup() {
    if capture.wrapperDepth == frames.count {
      // A second `div` is content.
      capture.wrapperDepth = 0
      return
    }
    guard capture.kind != .plain, capture.field != .personText, !capture.isFull,
      let name = markNames.popLast()
    else { return }
    writeEndTag(name)
  }

  private mutating func writeEndTag(_ name: XMLName) {
    name.withLocalBytes { local in
      guard !HTMLTag.isVoid(local) else { return }
      batch.bytes.append(contentsOf: [UInt8(ascii: "<"), UInt8(ascii: "/")])
      batch.bytes.append(local)
      batch.bytes.append(UInt8(ascii: ">"))
    }
  }

  /// Cuts a text that exceeds its limit, between characters and outside tags. Open elements are closed.
  mutating func shorten() {
    details.shortenedTextCount += 1
    let end = TextEnd.cut(
      batch.bytes.span.extracting(capture.start...), at: limits.fieldBytes,
      isHTML: capture.kind == .html || capture.kind == .xhtml)
    batch.bytes.removeSubrange((capture.start + end)...)
    while let name = markNames.popLast() { writeEndTag(name) }
  }

  private func isBlank(from start: Int) -> Bool { batch.bytes[start...].allSatisfy(\.isXMLSpace) }

  private mutating func readBase(_ attributes: XMLAttributes, _ frame: inout Frame) {
    guard attributes.count > 0 else { return }
    readContext(attributes, &frame)
  }

  /// Appends an attribute of markup, with its address resolved.
  private mutating func append(_ attributes: XMLAttributes, at index: Int) {
    guard let name = attributes.name(at: index) else { return }
    let vocabulary = names.meaning(of: name).vocabulary
    if vocabulary == .xml { return }
    batch.bytes.append(0x20)
    if name.hasPrefix {
      name.withPrefixBytes { batch.bytes.append($0) }
      batch.bytes.append(UInt8(ascii: ":"))
    }
    name.withLocalBytes { batch.bytes.append($0) }
    batch.bytes.append(contentsOf: [UInt8(ascii: "="), 0x22])
    let start = batch.bytes.count
    attributes.appendValue(at: index, to: &batch.bytes)
    if let base = bases.last {
      let kind = name.withLocalBytes { HTMLAddresses.kind(of: $0) }
      if kind != .text {
        var resolved = takeScratch()
        if kind == .list {
          HTMLAddresses.append(list: batch.bytes.span.extracting(start...), base, to: &resolved)
        } else {
          HTMLAddresses.append(address: batch.bytes.span.extracting(start...), base, to: &resolved)
        }
        replace(from: start, with: resolved)
      }
    }
    escapeValue(from: start)
    batch.bytes.append(0x22)
  }

  /// Replaces the characters of an attribute's value, from `start` on, by their form in quoted HTML.
  private mutating func escapeValue(from start: Int) {
    guard let first = batch.bytes.span.firstMarkup(from: start) else { return }
    let value = Array(batch.bytes[first...])
    batch.bytes.removeSubrange(first...)
    for byte in value {
      switch byte {
      case 0x22: batch.bytes.append(contentsOf: "&quot;".utf8)
      case 0x26: batch.bytes.append(contentsOf: "&amp;".utf8)
      case 0x3C: batch.bytes.append(contentsOf: "&lt;".utf8)
      default: batch.bytes.append(byte)
      }
    }
  }

  /// Appends text of the document as HTML.
  mutating func appendEscaped(_ text: Span<UInt8>) {
    var start = 0
    while let index = text.firstMarkup(from: start) {
      batch.bytes.append(text.extracting(start..<index))
      switch text[index] {
      case 0x26: batch.bytes.append(contentsOf: "&amp;".utf8)
      case 0x3C: batch.bytes.append(contentsOf: "&lt;".utf8)
      case 0x3E: batch.bytes.append(contentsOf: "&gt;".utf8)
      default: batch.bytes.append(text[index])
      }
      start = index + 1
    }
    batch.bytes.append(text.extracting(start...))
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
