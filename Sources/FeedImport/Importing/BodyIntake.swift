import FeedParsing

/// What happens to the bytes of a body: held back while they may be the last body again, else parsed at once.
///
/// A body is only held where the hash of the last one is known, and only while it is small; what is larger
/// streams, and its unchanged articles fall out one by one.
struct BodyIntake: ~Copyable {
  /// How the body ended.
  enum End {
    /// The same bytes as the last time; nothing was parsed.
    case sameBody
    /// It was parsed to its end.
    case parsed(FeedDetails)
  }

  /// At most so many bytes are held back.
  private static let heldLimit = 1 << 20

  let parser: FeedParser
  private let lastHash: Int64?
  private var hash = ContentHash()
  private var held: [[UInt8]] = []
  private var heldBytes = 0
  private var isHolding: Bool

  /// - Parameter expectedBytes: About how long the body is; 0 where that is not known.
  init(source: DocumentSource, expectedBytes: Int, lastHash: Int64?) {
    parser = FeedParser(source: source, expectedBytes: expectedBytes)
    self.lastHash = lastHash
    isHolding = lastHash != nil
  }

  /// The hash of all bytes so far.
  var bodyHash: Int64 { hash.value }

  /// About how much memory it takes now, in bytes.
  var memory: Int { heldBytes + parser.pendingByteCount }

  mutating func push(_ chunk: [UInt8]) throws(FeedError) {
    hash.update(chunk.span)
    guard isHolding else { return try parser.push(chunk) }
    held.append(chunk)
    heldBytes += chunk.count
    if heldBytes > Self.heldLimit { try parseHeld() }
  }

  mutating func finish() throws(FeedError) -> End {
    if isHolding && hash.value == lastHash { return .sameBody }
    try parseHeld()
    return .parsed(try parser.finish())
  }

  private mutating func parseHeld() throws(FeedError) {
    isHolding = false
    let chunks = held
    held = []
    heldBytes = 0
    for chunk in chunks { try parser.push(chunk) }
  }
}
