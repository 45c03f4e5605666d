internal import Markup

/// Builds items and details from the events of a document.
///
/// It is a value, so that all its state changes under one exclusive access for each event. Its extensions contain the
/// parts of a feed.
///
/// Texts are collected at the end of `batch.bytes`. Those of the current item come after `itemStart`, and its slices
/// count from there until it is complete.
struct FeedBuilder {
  /// The role of an open element.
  enum Role: UInt8 {
    /// Outside a feed: an unknown root and its content.
    case outside
    /// `rss` or `rdf:RDF`.
    case root
    /// `channel`, or Atom's `feed`.
    case feed
    case item
    /// An item after a `source` without an end tag: its fields may be those of the source.
    case itemBehindSource
    case person
    /// RSS `image`.
    case image
    /// RSS `textInput`.
    case textInput
    /// The origin of an item.
    case source
    /// `media:group` and `media:content`.
    case media
    /// `itunes:category`, which may contain others.
    case categories
    case skipHours
    case skipDays
    /// An element of a module that only contains others.
    case holder
    /// Markup around fields of an item.
    case wrapper
    /// An element without a meaning around items.
    case group
    /// Content of an entry in several forms.
    case alternatives
    /// The element whose text is collected.
    case captured
    /// Markup inside the collected text.
    case markup
    case skipped
    /// An element that is skipped, and in which nothing ends it: the rest of an item that could not be read, or that
    /// ended too early.
    case passedOver

    /// True for an item, also after a `source` that may have no end tag.
    var isItem: Bool { self == .item || self == .itemBehindSource }

    /// True if an element that ended inside it is settled.
    @inline(__always)
    var maySettle: Bool { self == .feed || self == .root || self == .outside || self == .group }
  }

  struct Frame {
    var role: Role
    var hasBase = false
    var hasLanguage = false
  }

  /// The maximum length of a base. Each relative address would become as long.
  static let longestBase = 4096
  /// The maximum length of a language, of which each item has a copy.
  static let longestLanguage = 64
  /// The maximum length of an entry of a list of the feed, in bytes. Longer ones are dropped.
  static let longestEntry = 4096
  /// The initial capacity of a batch. Growing copies it, and memory that is not written costs nothing.
  static let usualBatchBytes = 96 << 10

  let limits: ParserLimits
  /// The table of elements, as a property because access to a global variable costs more.
  let rules = ElementTable.rules
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
  /// The open elements of markup in the collected text.
  var markNames: [XMLName] = []

  var item = ItemInProgress()
  var isInItem = false
  /// True if the current `source` has no content so far.
  var isSourceEmpty = false
  /// True if an item is inside another one, so that the document must be read as a damaged one.
  var needsRepair = false
  private(set) var isInRepair = false
  var itemStart = 0
  /// The lists of the current item.
  var pendingAuthors: [ParsedAuthor] = []
  var pendingTags: [ByteSlice] = []
  var pendingAttachments: [ParsedAttachment] = []
  var pendingExtensions: [ParsedExtension] = []
  var person = PersonInProgress()
  /// The attributes of the feed's current category.
  var capturedCategory = FeedDetails.Category(term: "")
  /// The attributes of the feed's current `podcast:location`.
  var capturedPlace = PodcastPlace()
  /// The `purpose` of the feed's current `podcast:txt`.
  var capturedPurpose: String?
  /// A buffer for texts that are rewritten.
  var scratch: [UInt8] = []

  /// True if the namespace of RSS 0.90 is declared.
  private(set) var declares090 = false
  var exceeded: XMLLimit?
  /// The first element, if it is not an element of a feed.
  var foreignRoot: String?
  /// The kind of the document if it contains nothing of a feed; its root may have another meaning.
  var otherwise: String?

  init(source: DocumentSource, limits: ParserLimits) {
    self.limits = limits
    if let url = source.url, let base = URLBase(url.utf8), url.utf8.count <= Self.longestBase {
      bases.append(base)
    }
    frames.reserveCapacity(32)
  }

  /// True if the current root is Atom's.
  var isAtom = false
  /// True if the current root comes after a whole feed: its items are used, but the fields are those of the first.
  var isBehindFeed = false
  /// True if items were moved out.
  var hasGivenItems = false

  // MARK: Events

  mutating func start(_ name: XMLName, _ attributes: XMLAttributes) {
    for index in 0..<attributes.namespaceCount where !declares090 {
      attributes.withNamespace(at: index) { declares090 = Vocabulary.named($0) == .rss090 }
    }
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

  /// Ends an element. Returns true if everything up to here is settled.
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
    return role.maySettle
  }

  /// Inlined, because texts are the most frequent events.
  @inline(__always)
  mutating func text(_ bytes: Span<UInt8>) {
    guard isCapturing, !capture.isFull else { return }
    if capture.isXHTML { appendEscaped(bytes) } else { batch.bytes.append(bytes) }
    checkField()
  }

  /// Stops collecting a text that exceeds its limit. The part so far stays.
  @inline(__always)
  mutating func checkField() {
    if batch.bytes.count - capture.start > limits.fieldBytes { capture.isFull = true }
  }

  /// Checks the size of all texts of the item, including those that a better source has replaced.
  mutating func checkItem() {
    if batch.bytes.count - itemStart > limits.itemBytes { exceed("bytes of an item", limits.itemBytes) }
  }

  /// Notes an exceeded limit. The reader stops soon, and the current item never ends. Its bytes stay until then,
  /// because the caller may be in the middle of them.
  @inline(never)
  mutating func exceed(_ name: String, _ value: Int) {
    if exceeded == nil, !needsRepair { exceeded = XMLLimit(name: name, value: value) }
    isCapturing = false
  }

  /// Returns the state that determines how the document is read on. Mutating, because a getter behind a pointer would copy the
  /// whole builder.
  mutating func currentState() -> XMLHandlerState {
    var state = XMLHandlerState()
    state.exceededLimit = exceeded
    state.needsRepair = needsRepair
    state.mayPassOver = mayPassOver
    state.mayEndEarly = mayEndEarly
    state.isInText = isCapturing
    return state
  }

  mutating func recover(_ step: XMLRecovery) {
    switch step {
    case .rollBack(let depth): rollBack(toDepth: depth)
    case .passOver(let depth): passOver(toDepth: depth)
    // The following belongs to an item that ended too early, where another one began in it.
    case .reopenPart: frames.append(Frame(role: .passedOver))
    }
  }

  /// Forgets everything since the last settled point, where `depth` elements were open.
  private mutating func rollBack(toDepth depth: Int) {
    needsRepair = false
    isInRepair = true
    if depth == 0, !frames.isEmpty {
      // A feed's root begins again.
      details.format = nil
      isAtom = false
      foreignRoot = nil
      otherwise = nil
    }
    cutFrames(toDepth: depth)
    forgetTexts()
  }

  /// Skips the elements that are not settled, if the document cannot be read again from the settled point. `depth`
  /// elements are open where reading continues.
  private mutating func passOver(toDepth depth: Int) {
    needsRepair = false
    isInRepair = true
    let settled = frames.lastIndex { $0.role.maySettle } ?? -1
    for index in frames.indices where index > settled { frames[index].role = .passedOver }
    cutFrames(toDepth: depth)
    while frames.count < depth { frames.append(Frame(role: .passedOver)) }
    forgetTexts()
  }

  /// True if items may be skipped because they are inside an element without an end tag.
  private var mayPassOver: Bool {
    guard !isInItem, details.format != nil, let role = frames.last?.role else { return false }
    return !role.maySettle
  }

  private mutating func cutFrames(toDepth depth: Int) {
    while frames.count > depth, let frame = frames.popLast() {
      if frame.hasBase { bases.removeLast() }
      if frame.hasLanguage { languages.removeLast() }
    }
  }

  private mutating func forgetTexts() {
    isCapturing = false
    markNames.removeAll()
    if isInItem { dropItem() }
    batch.bytes.removeSubrange(itemEnd...)
    person = PersonInProgress()
  }

  /// The end of the texts of the complete items.
  private var itemEnd: Int { isInItem ? itemStart : min(itemStart, batch.bytes.count) }
}
