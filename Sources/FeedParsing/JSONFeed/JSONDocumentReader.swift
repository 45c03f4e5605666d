internal import Markup

/// Reads a JSON Feed in any encoding, in chunks: bytes in, items out.
///
/// A reader is not Sendable: it belongs to one context.
final class JSONDocumentReader {
  private let decoder: CharacterDecoder
  private var splitter: JSONSplitter
  private var feed: JSONFeedReader
  /// The count of text bytes that were read before the document turned out to be a feed.
  private var preambleBytes = 0
  private let largestPreamble: Int

  init(source: DocumentSource, limits: ParserLimits) {
    decoder = CharacterDecoder(.json, contentType: source.contentType)
    largestPreamble = limits.preambleBytes
    splitter = JSONSplitter(limits: limits)
    feed = JSONFeedReader(source: source, limits: limits)
  }

  /// The memory for the complete items and the part that is being read, in bytes.
  var pendingByteCount: Int { feed.batch.byteCount + splitter.pendingByteCount }

  /// The feed properties that are known so far.
  var details: FeedDetails {
    var details = feed.details
    details.format = feed.isFeed ? .json1 : nil
    details.droppedItemCount += splitter.droppedElementCount
    details.encoding = decoder.encodingName
    details.isRecovered = splitter.hasRepaired || feed.hasRepaired || decoder.hasRepaired
    return details
  }

  func takeItems() -> ParsedItemBatch { feed.takeItems() }

  /// Reads a chunk. The method must not be called again after it has thrown.
  func read(_ bytes: UnsafeRawBufferPointer) throws(FeedError) { try unsafe decode(bytes, isLast: false) }

  /// Ends the document. A document that was cut keeps its complete items, and is marked as truncated.
  func finish() throws(FeedError) -> FeedDetails {
    try unsafe decode(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true)
    guard feed.isFeed else { throw JSONFeedReader.noFeed }
    var details = details
    if !splitter.isComplete {
      guard feed.hasSomething else { throw .truncated }
      details.isTruncated = true
      details.isRecovered = true
    }
    return details
  }

  private func decode(_ bytes: UnsafeRawBufferPointer, isLast: Bool) throws(FeedError) {
    try unsafe bytes.withMemoryRebound(to: UInt8.self) { buffer throws(FeedError) in
      try unsafe decoder.decode(buffer, isLast: isLast) { text throws(FeedError) in try split(text) }
    }
  }

  /// Reads text. The document must turn out to be a feed within the preamble, however it is divided into
  /// chunks.
  private func split(_ text: Span<UInt8>) throws(FeedError) {
    if feed.isFeed { return try splitter.read(text, into: &feed) }
    let count = min(text.count, max(0, largestPreamble - preambleBytes))
    preambleBytes += count
    try splitter.read(text.extracting(..<count), into: &feed)
    if count == text.count { return }
    guard feed.isFeed else { throw JSONFeedReader.noFeed }
    try splitter.read(text.extracting(count...), into: &feed)
  }
}
