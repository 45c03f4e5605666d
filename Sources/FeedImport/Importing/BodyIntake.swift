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
  private var shape = PageShape()
  private var held: [[UInt8]] = []
  private var heldBytes = 0
  private var isHolding: Bool

  /// - Parameter expectedBytes: The approximate length of the body; 0 if it is unknown.
  init(source: DocumentSource, expectedBytes: Int, lastHash: Int64?) {
    parser = FeedParser(source: source, expectedBytes: expectedBytes)
    self.lastHash = lastHash
    isHolding = lastHash != nil
  }

  /// The hash of the elements of a web page: a network's login page names the requested address, so that its text differs.
  var shapeHash: Int64 { shape.hash }

  /// The hash of all bytes so far.
  var bodyHash: Int64 { hash.value }

  /// The approximate memory use, in bytes.
  var memory: Int { heldBytes + parser.memory }

  mutating func push(_ chunk: [UInt8]) throws(FeedError) {
    hash.update(chunk.span)
    shape.update(chunk.span)
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

/// The names of the tags of a web page, as one number.
private struct PageShape {
  private var hash64: UInt64 = 0xCBF2_9CE4_8422_2325
  /// False for a document that does not begin with `<h` or `<!`, as pages do; nil before it is known. No feed is hashed in vain.
  private var isPage: Bool?
  private var isInName = false
  private var isAfterMark = false

  var hash: Int64 { Int64(bitPattern: hash64) }

  mutating func update(_ bytes: Span<UInt8>) {
    if isPage == false { return }
    for place in bytes.indices {
      let byte = bytes[place]
      if isPage == nil, isAfterMark {
        isPage = byte == UInt8(ascii: "!") || byte | 0x20 == UInt8(ascii: "h")
      } else if isPage == nil, byte > 0x20, byte != UInt8(ascii: "<") {
        isPage = false
      }
      if isPage == false { return }
      // FNV-1a of the letters after each "<".
      let isLetter = (byte | 0x20) &- 0x61 < 26
      isInName = isLetter && (isInName || isAfterMark)
      isAfterMark = byte == UInt8(ascii: "<")
      if isInName { hash64 = (hash64 ^ UInt64(byte | 0x20)) &* 0x100_0000_01B3 }
    }
  }
}
