import FeedParsing

/// Reads the bytes of a body. They are held while they may be the same as the last body, else parsed at once.
///
/// A body is held only if the hash of the last one is known, and only while it is small. A larger body is parsed as it
/// arrives, and its unchanged articles are recognized one by one.
struct BodyIntake: ~Copyable {
  /// The end of a body.
  enum End {
    /// The same bytes as last time; nothing was parsed.
    case sameBody
    /// The body was parsed to its end.
    case parsed(FeedDetails)
  }

  /// The largest number of bytes that are held.
  private static let heldLimit = 1 << 20

  let parser: FeedParser
  private let lastHash: Int64?
  private var hash = ContentHash()
  private var held: [[UInt8]] = []
  private var heldBytes = 0
  private var isHolding: Bool

  /// - Parameter expectedBytes: The approximate length of the body; 0 if it is unknown.
  init(source: DocumentSource, expectedBytes: Int, lastHash: Int64?) {
    parser = FeedParser(source: source, expectedBytes: expectedBytes)
    self.lastHash = lastHash
    isHolding = lastHash != nil
  }

  /// The hash of all bytes so far.
  var bodyHash: Int64 { hash.value }

  /// The approximate memory use, in bytes.
  var memory: Int { heldBytes + parser.memory }

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
