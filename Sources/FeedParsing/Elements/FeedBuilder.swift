internal import Markup

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
    /// An item behind a `source` that nobody closed: what comes may still be of the source.
    case itemBehindSource
    case person
    /// RSS `image`.
    case image
    /// RSS `textInput`.
    case textInput
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
    /// Markup around fields of an item.
    case wrapper
    /// What stands around items and means nothing.
    case group
    /// Content of an entry in several forms.
    case alternatives
    /// The element whose text is collected.
    case captured
    /// Markup inside it.
    case markup
    case skipped
    /// As `skipped`, and nothing in it ends it: the rest of an item that could not be read, or ended too early.
    case passedOver

    /// An item, or what comes in it behind a `source` that may never have been closed.
    var isItem: Bool { self == .item || self == .itemBehindSource }

    /// Whether what ended inside of it is settled.
    @inline(__always)
    var maySettle: Bool { self == .feed || self == .root || self == .outside || self == .group }
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
  /// An entry of a list of the feed that is longer is dropped, in bytes.
  static let longestEntry = 4096
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
  /// Whether nothing was found in the `source` that is being read.
  var isSourceEmpty = false
  /// Whether an item stands inside another one, so that the document must be read as a damaged one.
  var needsRepair = false
  private(set) var isInRepair = false
  var itemStart = 0
  /// The lists of the item that is being read.
  var pendingAuthors: [ParsedAuthor] = []
  var pendingTags: [ByteSlice] = []
  var pendingAttachments: [ParsedAttachment] = []
  var pendingExtensions: [ParsedExtension] = []
  var person = PersonInProgress()
  /// The attributes of the feed's category that is being read.
  var capturedCategory = FeedDetails.Category(term: "")
  /// The attributes of the feed's `podcast:location` that is being read.
  var capturedPlace = PodcastPlace()
  /// `purpose` of the feed's `podcast:txt` that is being read.
  var capturedPurpose: String?
  /// Used for texts that must be rewritten.
  var scratch: [UInt8] = []

  /// Whether the namespace of RSS 0.90 is declared.
  private(set) var declares090 = false
  var exceeded: XMLLimit?
  /// The first element, when it is none of a feed.
  var foreignRoot: String?
  /// What the document is when nothing of a feed is found in it: its root may be that of something else.
  var otherwise: String?

  init(source: DocumentSource, limits: ParserLimits) {
    self.limits = limits
    if let url = source.url, let base = URLBase(url.utf8), url.utf8.count <= Self.longestBase {
      bases.append(base)
    }
    frames.reserveCapacity(32)
  }

  /// Whether the root that is being read is one of Atom.
  var isAtom = false
  /// Whether that root comes behind a whole feed: its items count, but the fields are those of the first.
  var isBehindFeed = false
  /// Whether items were moved out.
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
    return role.maySettle
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
    if exceeded == nil, !needsRepair { exceeded = XMLLimit(name: name, value: value) }
    isCapturing = false
  }

  /// The state that determines how the document is read on.
  var state: XMLHandlerState {
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
      // The root begins anew, if it is one.
      details.format = nil
      isAtom = false
      foreignRoot = nil
      otherwise = nil
    }
    cutFrames(toDepth: depth)
    forgetTexts()
  }

  /// As ``rollBack(toDepth:)`` where what came since the settled point cannot be read again: what is not settled is
  /// passed over to its end. `depth` elements are open where reading goes on.
  private mutating func passOver(toDepth depth: Int) {
    needsRepair = false
    isInRepair = true
    let settled = frames.lastIndex { $0.role.maySettle } ?? -1
    for index in frames.indices where index > settled { frames[index].role = .passedOver }
    cutFrames(toDepth: depth)
    while frames.count < depth { frames.append(Frame(role: .passedOver)) }
    forgetTexts()
  }

  /// Whether items may be passed over because they stand in an element that nobody closed.
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

  /// Where the texts of the complete items end.
  private var itemEnd: Int { isInItem ? itemStart : min(itemStart, batch.bytes.count) }
}
