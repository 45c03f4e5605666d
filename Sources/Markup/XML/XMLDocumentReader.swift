/// Reads a document in any encoding in chunks: bytes to events.
///
/// The strict parser reads first and costs well-formed documents nothing. At the first damage the handler
/// rolls back to the last settled point, and the tolerant parser reads the rest from there. Not Sendable: a
/// reader and its handler belong to one context.
public final class XMLDocumentReader {
  private let handler: XMLEventHandler
  private let limits: XMLReaderLimits
  private let parts: [StaticString]
  private let decoder: CharacterDecoder
  private var lineEnds = LineEnds()
  private let entities: EntityTable
  private let strict: StrictParser
  private var tolerant: TolerantParser?

  /// The UTF-8 since the settled point, kept in case of damage; begins at `replayOffset`. If it became too
  /// long, only the bytes that the strict parser has not read yet.
  private var replay: [UInt8] = []
  private var replayOffset = 0
  private var decodedBytes = 0
  /// True if the text since the settled point was too long to keep.
  private var hasLostReplay = false
  /// The long comment that is being skipped.
  private var comment: LongComment?
  private var hasBegun = false
  private var hasLeadingSpace = false
  private var failure: XMLReadError?

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - handler: Receives the events.
  ///   - contentType: The document's media type; its charset takes precedence over the XML declaration.
  ///   - parts: The local names, in lower case, for elements that are parts of the document. In damaged
  ///     documents, nothing in a part ends an element around it.
  ///   - limits: The limits.
  public init(
    handler: XMLEventHandler, contentType: String? = nil, parts: [StaticString] = [],
    limits: XMLReaderLimits = XMLReaderLimits()
  ) throws(XMLReadError) {
    self.handler = handler
    self.parts = parts
    self.limits = limits
    decoder = CharacterDecoder(.xml, contentType: contentType)
    entities = EntityTable(largestExpansion: limits.expandedBytes)
    strict = try StrictParser(handler: handler, limits: limits, entities: entities)
  }

  /// The approximate memory for bytes that may be read again or wait for more, in bytes.
  public var memory: Int { replay.capacity + (tolerant?.buffer.capacity ?? 0) }

  /// The encoding used for decoding, in lower case; after an error, the encoding that the beginning declared.
  ///
  /// After an error, the number of decoded bytes depends on the chunks.
  public var encodingName: String { failure == nil ? decoder.encodingName : decoder.firstEncodingName }

  /// True if tags or quotes are damaged, so that elements may be missing or wrong.
  public var hasDamagedTags: Bool { tolerant != nil }

  /// True if the document was not well-formed and was repaired.
  public var hasRepaired: Bool {
    tolerant != nil || (failure == nil && decoder.hasRepaired) || entities.metUnknownName || hasLeadingSpace
      || strict.hasUndeclaredPrefix
  }

  /// The number of open elements: after the end, greater than 0 if the document was cut.
  public var depth: Int { tolerant?.open.depth ?? strict.open.depth }

  /// Reads a chunk.
  public func read(_ bytes: UnsafeRawBufferPointer) throws(XMLReadError) {
    if let failure { throw failure }
    try unsafe bytes.withMemoryRebound(to: UInt8.self) { buffer throws(XMLReadError) in
      // In pieces, so that libxml2 never has more bytes of a tag before its length is checked.
      var start = 0
      while start < buffer.count {
        let end = min(start + StrictParser.pieceBytes, buffer.count)
        try unsafe decode(UnsafeBufferPointer(rebasing: buffer[start..<end]), isLast: false)
        start = end
      }
    }
  }

  /// Ends the document. A cut document is not an error: see ``depth``.
  public func finish() throws(XMLReadError) {
    if let failure { throw failure }
    try unsafe decode(UnsafeBufferPointer(start: nil, count: 0), isLast: true)
    if tolerant == nil {
      let open = hasLostReplay ? strict.open : nil
      strict.finish()
      try checkStrict(unread: Span(), openBefore: open)
    }
    tolerant?.finish()
    try checkTolerant()
  }

  private func decode(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) throws(XMLReadError) {
    try unsafe decoder.decode(bytes, isLast: isLast) { text throws(XMLReadError) in
      try lineEnds.normalize(text) { lines throws(XMLReadError) in try parse(lines) }
    }
  }

  private func parse(_ text: Span<UInt8>) throws(XMLReadError) {
    var text = text
    if !hasBegun {
      let first = text.skippingSpace(from: 0)
      if first > 0 {
        hasLeadingSpace = text.hasPrefix("<?xml", at: first)
        text = text.extracting(first...)
      }
      if text.isEmpty { return }
      hasBegun = true
    }
    if let tolerant {
      tolerant.parse(text)
      try checkTolerant()
      return
    }
    if comment != nil { return try passComment(text) }
    let open = hasLostReplay ? strict.open : nil
    unsafe text.withUnsafeBufferPointer { unsafe strict.parse($0) }
    try checkStrict(unread: text, openBefore: open)
    if tolerant == nil { try keep(text) }
    decodedBytes += text.count
    if tolerant == nil, strict.isInLongComment {
      comment = LongComment(keptBytes: replay.count, after: text)
    }
  }

  /// Skips a long comment. It is kept up to the limit for other content, because its end may be missing.
  private func passComment(_ text: Span<UInt8>) throws(XMLReadError) {
    guard let place = comment?.look(in: text), place != .beyond else {
      if !hasLostReplay, replay.count + text.count <= limits.replayBytes { replay.append(text) }
      return
    }
    replay.removeSubrange(min(comment?.keptBytes ?? 0, replay.count)...)
    comment = nil
    guard case .end(let end) = place else { return try parse(text) }
    // The space, because two hyphens may have come before.
    try parse(Array(" -->".utf8).span)
    try parse(text.extracting(end...))
  }

  /// Checks the state after a piece: the strict parser continues, the tolerant one takes over, or a limit was
  /// exceeded.
  ///
  /// - Parameter open: The elements that were open before the piece, if too much was read since the settled
  ///   point.
  private func checkStrict(
    unread text: Span<UInt8>, openBefore open: OpenElements? = nil
  ) throws(XMLReadError) {
    // The handler's limit comes first: the parser continues after it, but not the other way round. The strict
    // parser's results after the point where reading starts again do not count.
    let state = handler.state
    if !state.needsRepair, let limit = state.exceededLimit ?? strict.exceededLimit {
      throw fail(.limit(limit))
    }
    guard strict.isDamaged || state.needsRepair else { return }
    guard hasLostReplay, let open, strict.settledOffset <= replayOffset else {
      return try readAgain(with: text)
    }
    handler.recover(.passOver(depth: open.depth))
    replay.append(text)
    try readTolerantly(below: open)
  }

  /// Reads everything since the settled point, and the `unread` bytes, with the tolerant parser.
  private func readAgain(with unread: Span<UInt8>) throws(XMLReadError) {
    replay.append(unread)
    replay.removeFirst(min(max(0, strict.settledOffset - replayOffset), replay.count))
    var open = strict.open
    open.cut(toDepth: strict.settledDepth)
    handler.recover(.rollBack(depth: strict.settledDepth))
    try readTolerantly(below: open)
  }

  private func readTolerantly(below open: OpenElements) throws(XMLReadError) {
    guard let names = strict.names else { throw fail(.outOfMemory) }
    let parser = TolerantParser(
      handler: handler, limits: limits, parts: parts, names: names, entities: entities, open: open)
    tolerant = parser
    let replayed = replay
    replay = []
    parser.parse(replayed.span)
    try checkTolerant()
  }

  private func checkTolerant() throws(XMLReadError) {
    if let limit = handler.state.exceededLimit ?? tolerant?.exceededLimit { throw fail(.limit(limit)) }
  }

  private func fail(_ error: XMLReadError) -> XMLReadError {
    failure = error
    return error
  }

  /// Keeps the bytes since the settled point. If they become too many, and a missing end tag may be the
  /// cause, they are read again at once.
  private func keep(_ text: Span<UInt8>) throws(XMLReadError) {
    let settled = strict.settledOffset
    if settled >= decodedBytes {
      replay.removeAll(keepingCapacity: true)
      replay.append(text.extracting(min(settled - decodedBytes, text.count)...))
      replayOffset = settled
      hasLostReplay = false
      return
    }
    if settled > replayOffset {
      replay.removeFirst(min(settled - replayOffset, replay.count))
      replayOffset = settled
      hasLostReplay = false
    }
    if !hasLostReplay, replay.count + text.count > limits.replayBytes {
      if handler.state.mayPassOver { return try readAgain(with: text) }
      hasLostReplay = true
    }
    replay.append(text)
    if hasLostReplay { keepWaiting(upTo: decodedBytes + text.count) }
  }

  /// Keeps only the bytes that the strict parser has not read yet, so that the tolerant parser can continue
  /// there.
  private func keepWaiting(upTo end: Int) {
    let count = min(strict.waitingBytes, replay.count)
    replay = Array(replay.suffix(count))
    replayOffset = end - count
  }
}
