internal import XMLStream

/// Makes items and details of the events of a document. A value, so that all its state changes under one
/// exclusive access an event; its extensions hold what is done in each part of a feed.
///
/// Texts are collected at the end of `batch.bytes`. Those of the item that is being read come behind
/// `itemStart`, and its slices count from there until it is complete.
struct FeedBuilder {
  /// What an open element is.
  enum Role: UInt8 {
    /// No feed (yet): an unknown root and what is inside.
    case outside
    /// `rss` or `rdf:RDF`.
    case root
    /// `channel`, or Atom's `feed`.
    case feed
    case item
    case person
    /// RSS `image`.
    case image
    /// Where an item came from.
    case source
    /// `media:group` and `media:content`.
    case media
    /// `itunes:category`, which holds others.
    case categories
    case skipHours
    case skipDays
    /// Part of a module that only holds others.
    case holder
    /// The element whose text is collected.
    case captured
    /// Markup inside it.
    case markup
    case skipped
  }

  struct Frame {
    var role: Role
    var hasBase = false
    var hasLanguage = false
  }

  /// A base that is longer is no address; each relative address would become as long.
  static let longestBase = 4096
  /// Each item gets a copy of the language around it: what is longer is none.
  static let longestLanguage = 64
  /// How much room a batch has from the beginning: growing would copy it, memory that is not written costs nothing.
  static let usualBatchBytes = 96 << 10

  let limits: ParserLimits
  var names = NameCache()
  var details = FeedDetails()
  var ranks = FeedRanks()
  var batch = ParsedItemBatch()

  var frames: [Frame] = []
  var bases: [URLBase] = []
  /// The values of `xml:lang` around this place.
  var languages: [[UInt8]] = []
  var capture = Capture()
  var isCapturing = false
  /// The elements of markup that are open in the captured text.
  var markNames: [XMLName] = []

  var item = ItemInProgress()
  var isInItem = false
  var itemStart = 0
  /// The lists of the item that is being read.
  var pendingAuthors: [ParsedAuthor] = []
  var pendingTags: [ByteSlice] = []
  var pendingAttachments: [ParsedAttachment] = []
  var pendingExtensions: [ParsedExtension] = []
  var person = PersonInProgress()
  /// The attributes of the feed's category that is being read.
  var capturedCategory = FeedDetails.Category(term: "")
  /// Used for texts that must be rewritten.
  var scratch: [UInt8] = []

  /// Whether the namespace of RSS 0.90 is declared.
  private var declares090 = false
  var exceeded: XMLLimit?
  /// The first element, when it is none of a feed.
  var foreignRoot: String?

  init(source: DocumentSource, limits: ParserLimits) {
    self.limits = limits
    if let url = source.url, let base = URLBase(url.utf8), url.utf8.count <= Self.longestBase {
      bases.append(base)
    }
    frames.reserveCapacity(32)
  }

  var isAtom: Bool { details.format == .atom10 || details.format == .atom03 }

  // MARK: Events

  mutating func declare(_ namespace: Span<UInt8>) {
    if !declares090 { declares090 = Vocabulary.named(namespace) == .rss090 }
  }

  mutating func start(_ name: XMLName, _ attributes: XMLAttributes) {
    if isCapturing, !switchToPart(of: name) {
      startMarkup(name, attributes)
      return
    }
    let meaning = names.meaning(of: name)
    var frame = Frame(role: .skipped)
    if attributes.count > 0 { readContext(attributes, &frame) }
    frames.append(frame)
    let role = startElement(meaning, name, attributes)
    frames[frames.count - 1].role = isCapturing ? .captured : role
  }

  /// The end of an element; whether everything up to here is settled.
  mutating func end() -> Bool {
    guard let frame = frames.last else { return false }
    if isCapturing {
      if frames.count == capture.depth {
        isCapturing = false
        finishCapture()
      } else {
        endMarkup()
      }
    } else {
      endElement(frame.role)
    }
    frames.removeLast()
    if frame.hasBase { bases.removeLast() }
    if frame.hasLanguage { languages.removeLast() }
    if isInItem || isCapturing { return false }
    guard let role = frames.last?.role else { return true }
    return role == .feed || role == .root || role == .outside
  }

  /// Inlined: there are more texts than anything else.
  @inline(__always)
  mutating func text(_ bytes: Span<UInt8>) {
    guard isCapturing, !capture.isFull else { return }
    if capture.isXHTML { appendEscaped(bytes) } else { batch.bytes.append(bytes) }
    checkField()
  }

  /// Stops collecting a text that is over its limit; what is there of it stays.
  @inline(__always)
  mutating func checkField() {
    if batch.bytes.count - capture.start > limits.fieldBytes { capture.isFull = true }
  }

  /// Looks at all texts of the item together, those included that a better source has replaced.
  mutating func checkItem() {
    if batch.bytes.count - itemStart > limits.itemBytes { exceed("bytes of an item", limits.itemBytes) }
  }

  /// A limit is exceeded: the reader stops soon, and the item that is being read never ends. Its bytes stay until
  /// then, because the caller may be in the middle of them.
  @inline(never)
  mutating func exceed(_ name: String, _ value: Int) {
    if exceeded == nil { exceeded = XMLLimit(name: name, value: value) }
    isCapturing = false
  }

  /// Forgets what came since the last settled point, where `depth` elements were open.
  mutating func rollBack(toDepth depth: Int) {
    while frames.count > depth, let frame = frames.popLast() {
      if frame.hasBase { bases.removeLast() }
      if frame.hasLanguage { languages.removeLast() }
    }
    isCapturing = false
    markNames.removeAll()
    if isInItem { dropItem() }
    batch.bytes.removeSubrange(itemEnd...)
    person = PersonInProgress()
  }

  /// Where the texts of the complete items end.
  private var itemEnd: Int { isInItem ? itemStart : min(itemStart, batch.bytes.count) }

  // MARK: Structure

  /// Looks for `xml:base` and `xml:lang`.
  mutating func readContext(_ attributes: XMLAttributes, _ frame: inout Frame) {
    for index in 0..<attributes.count {
      guard let name = attributes.name(at: index), name.hasPrefix else { continue }
      let meaning = names.meaning(of: name)
      guard meaning.vocabulary == .xml else { continue }
      let start = batch.bytes.count
      attributes.appendValue(at: index, to: &batch.bytes)
      if meaning.local == .lang, batch.bytes.count - start <= Self.longestLanguage {
        languages.append(Array(batch.bytes[start...]))
        frame.hasLanguage = true
      } else if meaning.local == .base, let base = newBase(from: start) {
        bases.append(base)
        frame.hasBase = true
      }
      batch.bytes.removeSubrange(start...)
    }
  }

  /// The base that the bytes from `start` on make, resolved against the one around it.
  private func newBase(from start: Int) -> URLBase? {
    let text = batch.bytes.span.extracting(start...)
    guard text.count <= Self.longestBase else { return nil }
    guard let outer = bases.last else { return URLBase(batch.bytes[start...]) }
    var absolute: [UInt8] = []
    HTMLAddresses.append(address: text, outer, to: &absolute)
    return absolute.count <= Self.longestBase ? URLBase(absolute) : nil
  }

  private mutating func startElement(
    _ meaning: ElementName, _ name: XMLName, _ attributes: XMLAttributes
  ) -> Role {
    guard frames.count > 1 else { return startRoot(meaning, name, attributes) }
    switch frames[frames.count - 2].role {
    case .outside: return startRoot(meaning, name, attributes)
    case .root: return startInRoot(meaning, attributes)
    case .feed: return startInFeed(meaning, attributes)
    case .item: return startInItem(meaning, attributes)
    case .person: return startInPerson(meaning)
    case .image: return startInImage(meaning)
    case .source: return startInSource(meaning, attributes)
    case .holder: return isInItem ? startModule(meaning, attributes) : .skipped
    case .media: return startInMedia(meaning, attributes)
    case .categories: return startInCategories(meaning, attributes)
    case .skipHours: return startCapture(.skipHour, .plain)
    case .skipDays: return startCapture(.skipDay, .plain)
    case .captured, .markup, .skipped: return .skipped
    }
  }

  private mutating func endElement(_ role: Role) {
    switch role {
    case .item: finishItem()
    case .person: finishPerson()
    default: break
    }
  }

  private mutating func startRoot(
    _ meaning: ElementName, _ name: XMLName, _ attributes: XMLAttributes
  ) -> Role {
    switch (meaning.vocabulary, meaning.local) {
    case (_, .rss):
      if !meaning.vocabulary.isCore { names.adopt(name, as: .rss) }
      details.format = isOldRSS(attributes) ? .rss09 : .rss20
      return .root
    case (.rdf, .rdf), (.other, .rdf):
      if meaning.vocabulary == .other { names.adopt(name, as: .rdf) }
      details.format = declares090 ? .rss09 : .rss10
      return .root
    case (.other, .feed):
      names.adopt(name, as: .atom)
      beginAtom(ElementName(.atom, .feed), attributes)
      return .feed
    case (.atom, .feed), (.atom03, .feed), (.rss, .feed):
      beginAtom(meaning, attributes)
      return .feed
    case (.atom, .entry), (.atom03, .entry):
      beginAtom(meaning, attributes)
      return beginItem(meaning, attributes)
    case (.rss, .channel):
      details.format = .rss20
      return .feed
    case (_, .item) where meaning.vocabulary.isCore && details.format != nil:
      // Behind an end tag too many.
      return beginItem(meaning, attributes)
    default:
      return noteForeign(name)
    }
  }

  private mutating func beginAtom(_ meaning: ElementName, _ attributes: XMLAttributes) {
    let isOld =
      meaning.vocabulary == .atom03
      || (meaning.vocabulary != .atom && hasValue("0.", .version, attributes))
    details.format = isOld ? .atom03 : .atom10
    if let language = languages.last { details.language = String(decoding: language, as: UTF8.self) }
  }

  private mutating func isOldRSS(_ attributes: XMLAttributes) -> Bool {
    hasValue("0.9", .version, attributes)
  }

  private mutating func hasValue(_ text: StaticString, _ name: LocalName, _ attributes: XMLAttributes) -> Bool
  {
    let start = batch.bytes.count
    guard append(name, of: attributes) else { return false }
    let result = batch.bytes.span.hasPrefix(text, at: start)
    batch.bytes.removeSubrange(start...)
    return result
  }

  /// Remembers what a document is that is no feed.
  ///
  /// - Returns: What the element is: scripts and styles of a page may hold what looks like the elements of a feed.
  private mutating func noteForeign(_ name: XMLName) -> Role {
    if foreignRoot == nil { foreignRoot = name.withLocalBytes { $0.text } }
    return name.withLocalBytes {
      $0.equalsIgnoringCase("script") || $0.equalsIgnoringCase("style") ? .skipped : .outside
    }
  }

  private mutating func startInRoot(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard meaning.vocabulary.isCore else { return startInFeed(meaning, attributes) }
    switch meaning.local {
    case .channel:
      if meaning.vocabulary == .rss090 { details.format = .rss09 }
      if details.language == nil {
        details.language = languages.last.map { String(decoding: $0, as: UTF8.self) }
      }
      return .feed
    default: return startInFeed(meaning, attributes)
    }
  }

  // MARK: Attributes

  /// Appends the value of the attribute without a namespace; false when there is none.
  mutating func append(_ local: LocalName, of attributes: XMLAttributes) -> Bool {
    for index in 0..<attributes.count {
      guard let name = attributes.name(at: index), names.meaning(of: name) == ElementName(.rss, local) else {
        continue
      }
      attributes.appendValue(at: index, to: &batch.bytes)
      if isInItem { checkItem() }
      return true
    }
    return false
  }

  /// The value of an attribute as a slice of the item's texts; nil when it is missing or empty.
  mutating func slice(_ local: LocalName, of attributes: XMLAttributes) -> ByteSlice? {
    let start = batch.bytes.count
    guard append(local, of: attributes) else { return nil }
    return trimmedSlice(from: start)
  }

  /// What `body` makes of the value of an attribute, white space around it removed; nil when it is missing or blank.
  mutating func value<Result>(
    _ local: LocalName, of attributes: XMLAttributes, _ body: (Span<UInt8>) -> Result?
  ) -> Result? {
    for index in 0..<attributes.count {
      guard let name = attributes.name(at: index), names.meaning(of: name) == ElementName(.rss, local) else {
        continue
      }
      return attributes.withValue(at: index) { value in
        let text = value.extracting(value.trimmed)
        return text.isEmpty ? nil : body(text)
      }
    }
    return nil
  }

  // MARK: Texts

  /// The texts from `start` on without white space around them, as a slice that counts from `itemStart`; nil
  /// (and nothing kept) when they are blank.
  mutating func trimmedSlice(from start: Int) -> ByteSlice? {
    var first = start
    var last = batch.bytes.count
    while first < last, batch.bytes[first].isXMLSpace { first += 1 }
    while last > first, batch.bytes[last - 1].isXMLSpace { last -= 1 }
    batch.bytes.removeSubrange(last...)
    guard last > first else {
      batch.bytes.removeSubrange(start...)
      return nil
    }
    return ByteSlice(
      offset: UInt32(truncatingIfNeeded: first - itemStart), count: UInt32(truncatingIfNeeded: last - first))
  }

  /// The texts from `start` on as a string, removed; nil when they are blank.
  mutating func takeText(from start: Int) -> String? {
    let slice = trimmedSlice(from: start)
    let text = slice.map { String(decoding: batch.bytes[$0.moved(by: itemStart).range], as: UTF8.self) }
    batch.bytes.removeSubrange(min(start, batch.bytes.count)...)
    return text
  }

  /// The buffer for rewritten text, empty; ``replace(from:with:)`` gives it back.
  mutating func takeScratch() -> [UInt8] {
    var buffer: [UInt8] = []
    swap(&buffer, &scratch)
    buffer.removeAll(keepingCapacity: true)
    return buffer
  }

  /// Puts `text` in the place of the texts from `start` on.
  mutating func replace(from start: Int, with text: [UInt8]) {
    batch.bytes.removeSubrange(start...)
    batch.bytes.append(contentsOf: text)
    scratch = text
  }
}
