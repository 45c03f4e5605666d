internal import Markup

/// Builds items and details from a document's events.
///
/// It is a value, so that all its state changes under one exclusive access for each event. It decides the
/// meanings of elements. ``ItemBuilder`` and ``DetailsBuilder`` keep the data, ``TextBuffer`` and ``Capture``
/// the texts.
struct FeedBuilder {
  typealias Role = ElementRole

  struct Frame {
    var role: Role
    var scope = TextBuffer.Scope()
  }

  /// The element table. It is a property because access to a global variable costs more.
  private let rules = ElementTable.rules
  var texts: TextBuffer
  var item = ItemBuilder()
  var feed = DetailsBuilder()
  /// The complete items.
  private var batch = ParsedItemBatch()

  var frames: [Frame] = []
  var capture = Capture()
  var isCapturing = false
  var person = PersonInProgress()

  /// True if the current `source` has no content so far.
  var isSourceEmpty = false
  /// The fields after a `source` without an end tag.
  var fieldsBehindSource: [LocalName] = []
  /// True if an item is inside another one, so that the document must be read as a damaged one.
  private(set) var needsRepair = false
  private(set) var isInRepair = false
  var root = DocumentRoot()
  /// True if items were moved out.
  private var hasGivenItems = false

  init(source: DocumentSource, limits: ParserLimits) {
    texts = TextBuffer(url: source.url, limits: limits)
    frames.reserveCapacity(32)
  }

  /// The count of complete items.
  var pendingItemCount: Int { batch.items.count }
  /// The size of the complete items and the unfinished texts, in bytes.
  var pendingByteCount: Int { batch.byteCount + texts.bytes.count }
  /// The approximate memory for the complete items and the unfinished texts, in bytes.
  var memory: Int { batch.byteCount + texts.bytes.capacity }
  var exceeded: XMLLimit? { texts.exceeded }

  // MARK: Events

  mutating func start(_ name: XMLName, _ attributes: XMLAttributes) {
    root.readNamespaces(attributes)
    if isCapturing, !switchToPart(of: name) {
      let scope = capture.startMarkup(name, attributes, depth: frames.count, &texts)
      frames.append(Frame(role: .markup, scope: scope))
      return
    }
    let meaning = texts.names.meaning(of: name)
    frames.append(
      Frame(role: .skipped, scope: attributes.count > 0 ? texts.enter(attributes) : TextBuffer.Scope()))
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
        capture.endMarkup(depth: frames.count, &texts)
      }
    } else {
      endElement(frame.role)
    }
    frames.removeLast()
    texts.leave(frame.scope)
    if texts.isInItem || isCapturing { return false }
    guard let role = frames.last?.role else { return true }
    return role.maySettle
  }

  /// Inlined, because texts are the most frequent events.
  @inline(__always)
  mutating func text(_ bytes: Span<UInt8>) {
    if isCapturing { capture.append(bytes, &texts) }
  }

  /// Returns the state that determines how reading continues. It is mutating because a getter behind a
  /// pointer would copy the whole builder.
  mutating func currentState() -> XMLHandlerState {
    var state = XMLHandlerState()
    state.exceededLimit = needsRepair ? nil : exceeded
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
    // The following part belongs to an item that ended too early, because another item began in it.
    case .reopenPart: frames.append(Frame(role: .passedOver))
    }
  }

  /// Forgets everything since the last settled point, where `depth` elements were open.
  private mutating func rollBack(toDepth depth: Int) {
    beginRepair()
    if depth == 0, !frames.isEmpty {
      // The feed's root begins again.
      feed.details.format = nil
      root.reset()
    }
    cutFrames(toDepth: depth)
    forgetTexts()
  }

  /// Skips the unsettled elements if the document cannot be read again from the settled point. `depth`
  /// elements are open where reading continues.
  private mutating func passOver(toDepth depth: Int) {
    beginRepair()
    let settled = frames.lastIndex { $0.role.maySettle } ?? -1
    for index in frames.indices where index > settled { frames[index].role = .passedOver }
    cutFrames(toDepth: depth)
    while frames.count < depth { frames.append(Frame(role: .passedOver)) }
    forgetTexts()
  }

  /// True if items may be skipped because they are inside an element without an end tag.
  private var mayPassOver: Bool {
    guard !texts.isInItem, feed.details.format != nil, let role = frames.last?.role else { return false }
    return !role.maySettle
  }

  private mutating func beginRepair() {
    // The text after the settled point is read again, so a limit exceeded there does not count.
    if needsRepair { texts.exceeded = nil }
    needsRepair = false
    isInRepair = true
  }

  private mutating func cutFrames(toDepth depth: Int) {
    while frames.count > depth, let frame = frames.popLast() { texts.leave(frame.scope) }
  }

  private mutating func forgetTexts() {
    isCapturing = false
    texts.openMarkup.removeAll()
    item.drop()
    texts.dropUnfinished()
    person = PersonInProgress()
  }

  /// Rejects an item inside another one, which has no end tag or contains it.
  ///
  /// The outer item's part stays unsettled until the document is read again as a damaged one. In that reading
  /// the outer item ends where the inner one begins.
  mutating func refuseNestedItem() -> Role {
    if !isInRepair, exceeded == nil {
      needsRepair = true
      frames[frames.count - 2].role = .skipped
    }
    return .skipped
  }

  // MARK: Items

  /// True if a whole feed was read before this place.
  var hasReadFeed: Bool {
    feed.details.format != nil && (hasGivenItems || !batch.items.isEmpty || feed.details.saysSomething)
  }

  mutating func beginItem(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    if exceeded != nil || needsRepair { return .skipped }
    if texts.isInItem { dropItem() }
    texts.beginItem()
    item.begin()
    if meaning.vocabulary == .rss090 { feed.details.format = .rss09 }
    setLanguage(rank: 1)
    for index in 0..<attributes.count {
      guard let name = attributes.name(at: index), texts.names.meaning(of: name) == ElementName(.rdf, .about)
      else { continue }
      let start = texts.bytes.count
      attributes.appendValue(at: index, to: &texts.bytes)
      item.fields.id.set(texts.trimmedSlice(from: start), rank: 1)
    }
    return .item
  }

  /// Sets the item's language from `xml:lang` in the element that was opened last.
  mutating func setLanguage(rank: UInt8) {
    guard frames.last?.scope.hasLanguage == true, let language = texts.languages.last,
      item.fields.language.wants(rank)
    else { return }
    let start = texts.bytes.count
    texts.bytes.append(contentsOf: language)
    item.fields.language.set(texts.trimmedSlice(from: start), rank: rank)
  }

  mutating func dropItem() {
    item.drop()
    texts.dropItem()
  }

  /// Ends an item. Its slices then count from the batch's beginning.
  mutating func finishItem() {
    guard texts.isInItem, exceeded == nil else { return }
    guard texts.bytes.count < 1 << 31 else { return texts.exceed("bytes of items at once", 1 << 31) }
    if item.hasNoAuthor, root.isAtom, !root.isBehindFeed {
      item.inherit(feed.details.authorsToPassOn(texts.limits), &texts)
    }
    item.finish(into: &batch, home: feed.details.homePageURL, &texts)
    feed.details.shortenedListCount += item.fields.cuts.count
    texts.endItem()
  }

  /// Moves the complete items out. The next item's part stays.
  mutating func takeItems() -> ParsedItemBatch {
    if batch.items.isEmpty { return ParsedItemBatch() }
    hasGivenItems = true
    var taken = ParsedItemBatch()
    swap(&taken, &batch)
    capture.start = max(0, capture.start - texts.itemStart)
    person.start = max(0, person.start - texts.itemStart)
    taken.bytes = texts.takeItems()
    return taken
  }

  // MARK: Rules

  /// Returns the rule for an element at a place.
  @inline(__always)
  func rule(_ place: ElementTable.Place, _ name: ElementName) -> ElementRule {
    rules[ElementTable.index(place, name)]
  }
}
