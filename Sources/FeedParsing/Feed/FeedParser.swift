internal import Markup

/// Reads a feed in chunks, in any format and encoding.
///
/// Bytes are passed to ``push(_:)-([UInt8])``, complete items are returned by ``takeItems()`` at any time,
/// and ``finish()`` ends the document. The parser uses no file and no network.
///
/// A parser is not Sendable: it belongs to one context.
public final class FeedParser {
  private enum Mode {
    /// Only white space so far.
    case undecided
    case xml(XMLDocumentReader)
    case json(JSONDocumentReader)
    /// The XML reader failed before the document was known to be a feed. Further bytes may show that it is a
    /// page.
    case doubtful(XMLDocumentReader, FeedError)
    /// A page that is not XML: only its links are read.
    case page
  }

  /// The count of bytes that are examined first, and kept until the document's kind is known.
  private static let firstBytes = 4096

  private let source: DocumentSource
  private let limits: ParserLimits
  private let handler: FeedEventHandler
  private var mode = Mode.undecided
  /// The document's beginning until it is known to be a feed. It shows the kind of other documents.
  private var body: [UInt8] = []
  private var byteCount = 0
  private var itemCount = 0
  private var time: TimeBudget
  /// The error that a chunk caused. Later chunks fail with it again.
  private var failure: FeedError?

  /// Creates a parser for one document.
  ///
  /// - Parameters:
  ///   - source: The facts about the document besides its bytes.
  ///   - limits: The limits for hostile documents.
  ///   - expectedBytes: The document's approximate length; 0 if it is unknown. Memory for its items' texts is
  ///     reserved at once.
  public init(source: DocumentSource, limits: ParserLimits = .standard, expectedBytes: Int = 0) {
    self.source = source
    self.limits = limits
    time = TimeBudget(limits: limits)
    handler = FeedEventHandler(source: source, limits: limits)
    handler.reserveText(expectedBytes)
  }

  /// The size of the items that ``takeItems()`` would return, and of the current item, in bytes.
  public var pendingByteCount: Int {
    if case .json(let reader) = mode { return reader.pendingByteCount }
    return handler.builder.pendingByteCount + body.count
  }

  /// The approximate memory for everything that was read and not taken, in bytes.
  public var memory: Int {
    switch mode {
    case .json(let reader): reader.pendingByteCount
    case .xml(let reader), .doubtful(let reader, _):
      handler.builder.memory + body.capacity + reader.memory
    case .undecided, .page: body.capacity
    }
  }

  /// The feed details so far.
  public var details: FeedDetails {
    switch mode {
    case .undecided, .page: return FeedDetails()
    case .json(let reader): return reader.details
    case .xml(let reader), .doubtful(let reader, _):
      var details = handler.builder.feed.details
      details.encoding = reader.encodingName
      details.isRecovered = reader.hasRepaired
      return details
    }
  }

  /// Reads a chunk. The result is the same however the document is cut into chunks.
  ///
  /// - Throws: ``FeedError`` if the document is not a feed or exceeds a limit. Complete items stay, and later
  ///   chunks fail again.
  public func push(_ bytes: [UInt8]) throws(FeedError) {
    try unsafe bytes.span.bytes.withUnsafeBytes { buffer throws(FeedError) in try unsafe push(buffer) }
  }

  /// Reads a chunk like ``push(_:)-([UInt8])``. The bytes are not kept.
  public func push(_ bytes: UnsafeRawBufferPointer) throws(FeedError) {
    if let failure { throw failure }
    do throws(FeedError) { try unsafe readPieces(bytes) } catch {
      failure = error
      throw error
    }
  }

  private func readPieces(_ bytes: UnsafeRawBufferPointer) throws(FeedError) {
    var start = 0
    while start < bytes.count {
      var end = min(start + TimeBudget.pieceBytes, bytes.count)
      if case .undecided = mode { end = min(end, start + Self.firstBytes) }
      // Reading stops at the limit first, so that exceeding it does not depend on the chunks.
      if byteCount < limits.preambleBytes { end = min(end, start + limits.preambleBytes - byteCount) }
      time.begin()
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

  /// Ends the document. Incomplete content at its end is dropped.
  ///
  /// - Returns: The feed's details. A cut document sets ``FeedDetails/isTruncated``.
  /// - Throws: ``FeedError`` if the document is not a feed, or was cut before its first item.
  public func finish() throws(FeedError) -> FeedDetails {
    if case .undecided = mode { try decide(isLast: true) }
    switch mode {
    case .json(let reader):
      if let failure { throw failure }
      return try reader.finish()
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
    let hasSomething = itemCount + handler.builder.pendingItemCount > 0 || details.title != nil
    if details.isTruncated, !hasSomething { throw .truncated }
    return details
  }

  /// Moves out the complete items; the next batch's bytes begin empty.
  public func takeItems() -> ParsedItemBatch {
    if case .json(let reader) = mode { return reader.takeItems() }
    let batch = handler.takeItems()
    itemCount += batch.items.count
    return batch
  }

  /// Determines JSON or XML by the first character.
  private func decide(isLast: Bool) throws(FeedError) {
    // White space, byte order marks and the zeros in wide characters have no meaning.
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

  /// Returns whether a byte may belong to a byte order mark, or is a zero in a wide character.
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

  /// True if the document is known to be a feed, and not only by its root's name.
  private var hasTurnedOut: Bool {
    guard handler.builder.feed.details.format != nil else { return false }
    return handler.builder.root.otherwise == nil || itemCount + handler.builder.pendingItemCount > 0
  }

  /// Throws the XML reader's error, unless the document is a page: a page is not a damaged feed, and its
  /// links may follow.
  private func passOver(
    _ error: XMLReadError, of reader: XMLDocumentReader, isLast: Bool
  ) throws(FeedError) {
    guard handler.builder.feed.details.format == nil else { throw FeedError(error) }
    mode = .doubtful(reader, FeedError(error))
    try settleDoubt(FeedError(error), isLast: isLast)
  }

  /// Determines the document's kind after a fixed number of bytes, so that it does not depend on the chunks.
  private func settleDoubt(_ error: FeedError, isLast: Bool) throws(FeedError) {
    guard isLast || body.count >= ForeignDocument.headBytes else { return }
    if let kind = ForeignDocument.binaryKind(of: body) { throw .notAFeed(looksLike: kind) }
    guard ForeignDocument.isPage(body: body, root: handler.builder.root.foreignName, source: source) else {
      throw error
    }
    mode = .page
  }

  /// Keeps the beginning until the document is known to be a feed, because a page's links are in it.
  private func keep(_ bytes: UnsafeRawBufferPointer) {
    unsafe body.append(contentsOf: bytes.prefix(max(0, limits.preambleBytes - body.count)))
  }

  /// Requires that the document has proved to be a feed within the limit. JSON checks this itself.
  private func checkPreamble() throws(FeedError) {
    if case .json = mode { return }
    guard handler.builder.feed.details.format == nil else { return }
    if body.allSatisfy({ $0.isXMLSpace || Self.isOfMark($0) }) { throw preambleLimit }
    throw kindOfDocument.map { .notAFeed(looksLike: $0) } ?? preambleLimit
  }

  private var preambleLimit: FeedError {
    .limit(name: "bytes before the first element", value: limits.preambleBytes)
  }

  /// True if the document so far is an HTML page, and not a feed.
  public var isWebPage: Bool {
    handler.builder.feed.details.format == nil
      && ForeignDocument.isPage(
        body: Array(body.prefix(limits.preambleBytes)), root: handler.builder.root.foreignName, source: source
      )
  }

  /// The document's beginning if it is not known to be a feed; empty for a feed.
  package var foreignBeginning: [UInt8] { body }

  /// Returns the error for a document that is not a feed, with its kind.
  private var foreign: FeedError {
    .notAFeed(
      looksLike: kindOfDocument ?? handler.builder.root.otherwise ?? ForeignDocument.textDescription(body))
  }

  /// Returns the kind of a document that is not a feed; nil if neither its bytes nor its first element show
  /// it.
  private var kindOfDocument: String? {
    ForeignDocument.description(
      body: Array(body.prefix(limits.preambleBytes)), root: handler.builder.root.foreignName, source: source)
  }
}

extension ParserLimits {
  /// The limits for the XML reader.
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
