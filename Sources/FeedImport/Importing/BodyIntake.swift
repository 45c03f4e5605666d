import FeedParsing
import TextOutput

/// Reads a body. Its bytes are held while they may equal the last body, else parsed at once.
///
/// A body is held only if the last body's hash is known, and only while it is small. A larger body is parsed
/// as it arrives, and its unchanged articles are recognized one by one.
struct BodyIntake: ~Copyable {
  enum End {
    /// The same bytes as last time; nothing was parsed.
    case sameBody
    /// The body was parsed to its end.
    case parsed(FeedDetails)
  }

  /// The maximum number of bytes that are held.
  private static let heldLimit = 1 << 20

  let parser: FeedParser
  private let lastHash: Int64?
  private var hash = ContentHash()
  private var shape = PageShape()
  private var held: [[UInt8]] = []
  private var heldBytes = 0
  private var isHolding: Bool

  /// - Parameter expectedBytes: The approximate body length; 0 if unknown.
  init(source: DocumentSource, expectedBytes: Int, lastHash: Int64?) {
    parser = FeedParser(source: source, expectedBytes: expectedBytes)
    self.lastHash = lastHash
    isHolding = lastHash != nil
  }

  /// The hash over a web page's elements: a login page's text names the requested address, and differs.
  var shapeHash: Int64 { shape.hash }

  /// The hash over all bytes so far.
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

/// The tag names in a web page, as one number.
private struct PageShape {
  private var letters = FNV1a()
  /// False for documents, such as feeds, that do not begin with `<h` or `<!`; nil while unknown.
  private var isPage: Bool?
  private var isInName = false
  private var isAfterMark = false

  var hash: Int64 { Int64(bitPattern: letters.value) }

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
      // The hash of the letters after each "<".
      let isLetter = (byte | 0x20) &- 0x61 < 26
      isInName = isLetter && (isInName || isAfterMark)
      isAfterMark = byte == UInt8(ascii: "<")
      if isInName { letters.add(byte | 0x20) }
    }
  }
}
