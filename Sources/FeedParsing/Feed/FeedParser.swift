internal import Markup

/// Reads a feed in chunks, of any format and encoding.
///
/// Bytes go in by ``push(_:)-([UInt8])``, items that are complete come out by ``takeItems()`` at any time, and
/// ``finish()`` ends the document. Nothing else is read: no file, no network.
/// Not Sendable: a parser belongs to one context.
public final class FeedParser {
  private enum Mode {
    /// Nothing but white space has come.
    case undecided
    case xml(XMLDocumentReader)
    case json(JSONDocumentReader)
    /// The reader of XML failed before this was a feed; more of the beginning may tell that it is a page.
    case doubtful(XMLDocumentReader, FeedError)
    /// A page over which the reader of XML stumbled: only its links are of interest.
    case page
  }

  /// How much is looked at first, and kept until it is known what it is.
  private static let firstBytes = 4096

  private let source: DocumentSource
  private let limits: ParserLimits
  private let handler: FeedEventHandler
  private var mode = Mode.undecided
  /// What came before it was known to be a feed, to say what a document is that is none.
  private var body: [UInt8] = []
  private var byteCount = 0
  private var itemCount = 0
  private var time: TimeBudget

  /// Creates a parser for one document.
  ///
  /// - Parameters:
  ///   - source: What is known of the document beside its bytes.
  ///   - limits: What a hostile document may cost.
  ///   - expectedBytes: About how long the document is: memory for the texts of its items is had at once then, and not
  ///     bit by bit. 0 where that is not known.
  public init(source: DocumentSource, limits: ParserLimits = .standard, expectedBytes: Int = 0) {
    self.source = source
    self.limits = limits
    time = TimeBudget(limits: limits)
    handler = FeedEventHandler(source: source, limits: limits)
    handler.reserveText(expectedBytes)
  }

  /// How many bytes the items take that ``takeItems()`` would give, and the one being read.
  public var pendingByteCount: Int {
    if case .json(let reader) = mode { return reader.pendingByteCount }
    return handler.builder.batch.byteCount + body.count
  }

  /// What is known of the feed so far.
  public var details: FeedDetails {
    switch mode {
    case .undecided, .page: return FeedDetails()
    case .json(let reader): return reader.details
    case .xml(let reader), .doubtful(let reader, _):
      var details = handler.builder.details
      details.encoding = reader.encodingName
      details.isRecovered = reader.hasRepaired
      return details
    }
  }

  /// Reads a chunk; however a document is cut into chunks, the result is the same.
  ///
  /// - Throws: ``FeedError`` when the document is no feed or over a limit. The items that were complete stay, and later
  ///   chunks fail again.
  public func push(_ bytes: [UInt8]) throws(FeedError) {
    try unsafe bytes.span.bytes.withUnsafeBytes { buffer throws(FeedError) in try unsafe push(buffer) }
  }

  /// As ``push(_:)-([UInt8])``. The bytes are not kept.
  public func push(_ bytes: UnsafeRawBufferPointer) throws(FeedError) {
    var start = 0
    while start < bytes.count {
      var end = min(start + TimeBudget.pieceBytes, bytes.count)
      if case .undecided = mode { end = min(end, start + Self.firstBytes) }
      // Up to the limit and then on, so that it does not depend on the chunks whether it is met.
      if byteCount < limits.preambleBytes { end = min(end, start + limits.preambleBytes - byteCount) }
      try time.begin()
      try unsafe read(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      try time.end(bytes: end - start)
      start = end
    }
  }

  private func read(_ bytes: UnsafeRawBufferPointer) throws(FeedError) {
    if byteCount >= limits.preambleBytes { try checkPreamble() }
    byteCount += bytes.count
    switch mode {
    case .undecided:
      unsafe body.append(contentsOf: bytes)
      try decide(isLast: false)
    case .xml(let reader):
      if !hasTurnedOut { unsafe keep(bytes) }
      try unsafe read(bytes, with: reader)
    case .json(let reader): try unsafe reader.read(bytes)
    case .doubtful(_, let error):
      unsafe keep(bytes)
      try settleDoubt(error, isLast: false)
    case .page: unsafe keep(bytes)
    }
  }

  /// Ends the document: what was incomplete at its end is dropped.
  ///
  /// - Returns: The details of the feed. A document that was cut says so in ``FeedDetails/isTruncated``.
  /// - Throws: ``FeedError`` when it is no feed, or was cut before it said anything.
  public func finish() throws(FeedError) -> FeedDetails {
    if case .undecided = mode { try decide(isLast: true) }
    switch mode {
    case .json(let reader): return try reader.finish()
    case .undecided:
      throw foreign
    case .xml(let reader):
      do throws(XMLReadError) { try reader.finish() } catch { try passOver(error, of: reader, isLast: true) }
      return try finishXML(reader)
    case .doubtful(_, let error):
      try settleDoubt(error, isLast: true)
      throw foreign
    case .page: throw foreign
    }
  }

  private func finishXML(_ reader: XMLDocumentReader) throws(FeedError) -> FeedDetails {
    var details = details
    guard details.format != nil, hasTurnedOut || details.saysSomething else { throw foreign }
    details.isTruncated = reader.depth > 0
    let hasSomething = itemCount + handler.builder.batch.items.count > 0 || details.title != nil
    if details.isTruncated, !hasSomething { throw .truncated }
    return details
  }

  /// Moves out the items that are complete; the bytes of the next batch begin empty.
  public func takeItems() -> ParsedItemBatch {
    if case .json(let reader) = mode { return reader.takeItems() }
    let batch = handler.takeItems()
    itemCount += batch.items.count
    return batch
  }

  /// Looks at the first character: JSON or XML.
  private func decide(isLast: Bool) throws(FeedError) {
    // White space, byte order marks and the zeros of wide characters say nothing.
    guard let first = body.first(where: { !$0.isXMLSpace && !Self.isOfMark($0) }) else { return }
    let head = body
    if first == UInt8(ascii: "{") {
      let reader = JSONDocumentReader(source: source, limits: limits)
      mode = .json(reader)
      body = []
      try unsafe head.span.bytes.withUnsafeBytes { buffer throws(FeedError) in try unsafe reader.read(buffer)
      }
      return
    }
    let reader: XMLDocumentReader
    do throws(XMLReadError) {
      reader = try XMLDocumentReader(
        handler: handler, contentType: source.contentType, parts: ["item", "entry"],
        limits: limits.reader)
    } catch { throw FeedError(error) }
    mode = .xml(reader)
    try unsafe head.span.bytes.withUnsafeBytes { buffer throws(FeedError) in
      try unsafe read(buffer, with: reader)
    }
  }

  /// Whether a byte may be part of a byte order mark, or a zero of a wide character.
  static func isOfMark(_ byte: UInt8) -> Bool {
    switch byte {
    case 0, 0xEF, 0xBB, 0xBF, 0xFE, 0xFF: true
    default: false
    }
  }

  private func read(_ bytes: UnsafeRawBufferPointer, with reader: XMLDocumentReader) throws(FeedError) {
    do throws(XMLReadError) { try unsafe reader.read(bytes) } catch {
      try passOver(error, of: reader, isLast: false)
    }
    if !body.isEmpty, hasTurnedOut { body = [] }
  }

  /// Whether the document is known to be a feed, and not only by the name of its root.
  private var hasTurnedOut: Bool {
    guard handler.builder.details.format != nil else { return false }
    return handler.builder.otherwise == nil || itemCount + handler.builder.batch.items.count > 0
  }

  /// Throws what the reader of XML met, unless the document is a page: that is no damaged feed, and its links may
  /// still come.
  private func passOver(
    _ error: XMLReadError, of reader: XMLDocumentReader, isLast: Bool
  ) throws(FeedError) {
    guard handler.builder.details.format == nil else { throw FeedError(error) }
    mode = .doubtful(reader, FeedError(error))
    try settleDoubt(FeedError(error), isLast: isLast)
  }

  /// Decides once so much has come as tells the kind of a document, so that it does not depend on the chunks.
  private func settleDoubt(_ error: FeedError, isLast: Bool) throws(FeedError) {
    guard isLast || body.count >= ForeignDocument.headBytes else { return }
    if let kind = ForeignDocument.binaryKind(of: body) { throw .notAFeed(looksLike: kind) }
    guard ForeignDocument.isPage(body: body, root: handler.builder.foreignRoot, source: source) else {
      throw error
    }
    mode = .page
  }

  /// Keeps what came before it is known to be a feed: the links of a page are looked for in it.
  private func keep(_ bytes: UnsafeRawBufferPointer) {
    unsafe body.append(contentsOf: bytes.prefix(max(0, limits.preambleBytes - body.count)))
  }

  /// What is longer than the limit must have turned out to be a feed; JSON looks after that itself.
  private func checkPreamble() throws(FeedError) {
    if case .json = mode { return }
    guard handler.builder.details.format == nil else { return }
    if body.allSatisfy({ $0.isXMLSpace || Self.isOfMark($0) }) { throw preambleLimit }
    throw kindOfDocument.map { .notAFeed(looksLike: $0) } ?? preambleLimit
  }

  private var preambleLimit: FeedError {
    .limit(name: "bytes before the first element", value: limits.preambleBytes)
  }

  /// Whether what has come so far is an HTML page, and no feed.
  public var isWebPage: Bool {
    handler.builder.details.format == nil
      && ForeignDocument.isPage(
        body: Array(body.prefix(limits.preambleBytes)), root: handler.builder.foreignRoot, source: source)
  }

  /// That the document is no feed, and what it is.
  private var foreign: FeedError {
    .notAFeed(
      looksLike: kindOfDocument ?? handler.builder.otherwise ?? ForeignDocument.textDescription(body))
  }

  /// What the document is if it is no feed; nil when neither its bytes nor its first element tell.
  private var kindOfDocument: String? {
    ForeignDocument.description(
      body: Array(body.prefix(limits.preambleBytes)), root: handler.builder.foreignRoot, source: source)
  }
}

extension ParserLimits {
  /// The limits that the reader keeps.
  fileprivate var reader: XMLReaderLimits {
    var reader = XMLReaderLimits()
    reader.depth = depth
    reader.tagBytes = tagBytes
    reader.attributes = attributes
    reader.namespaces = namespaces
    reader.names = names
    reader.expandedBytes = expandedBytes
    reader.replayBytes = replayBytes
    return reader
  }
}

extension FeedError {
  init(_ error: XMLReadError) {
    switch error {
    case .limit(let limit): self = .limit(name: limit.name, value: limit.value)
    case .outOfMemory: self = .outOfMemory
    }
  }
}
