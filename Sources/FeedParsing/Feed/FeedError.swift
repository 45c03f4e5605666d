import TextOutput
internal import Markup

/// The reason why bytes could not be read as a feed.
public enum FeedError: Error, Equatable, Sendable {
  /// The bytes are not a feed; `looksLike` names their kind, such as "an HTML page".
  case notAFeed(looksLike: String)
  /// The document exceeds a limit in ``ParserLimits``.
  case limit(name: String, value: Int)
  /// The document ended before its first item or title.
  case truncated
  /// Memory could not be allocated.
  case outOfMemory
}

extension FeedError: CustomStringConvertible {
  /// The cause as a text without control characters.
  public var description: String {
    switch self {
    case .notAFeed(let looksLike): "not a feed: \(printable(String(looksLike.unicodeScalars.prefix(300))))"
    case .limit(let name, let value): "over the limit of \(value) for \(name)"
    case .truncated: "cut off before its first item"
    case .outOfMemory: "out of memory"
    }
  }
}

/// The origin of a document.
public struct DocumentSource: Sendable {
  /// The document's address, against which relative addresses are resolved.
  public var url: String?
  /// The media type that the server sent.
  public var contentType: String?

  /// Describes a source.
  public init(url: String? = nil, contentType: String? = nil) {
    self.url = url
    self.contentType = contentType
  }

  /// The charset in ``contentType`` if it is unknown, as written there; nil if it is known or missing.
  ///
  /// A document with an unknown charset is read as a document without one.
  public var unknownCharset: String? { contentType.flatMap(DocumentEncoding.unknownCharset(inContentType:)) }
}

/// The limits for one document.
public struct ParserLimits: Sendable {
  /// The most bytes before a feed's first element, including white space and junk.
  ///
  /// If the kind of a longer document can be named, such as a page, the error is
  /// ``FeedError/notAFeed(looksLike:)``.
  public var preambleBytes = 512 << 10
  /// The greatest element depth.
  public var depth = 256
  /// The greatest length for one text, in bytes. A longer text is cut there, and counted in
  /// ``FeedDetails/shortenedTextCount``.
  public var fieldBytes = 1 << 20
  /// The greatest length for a tag, in bytes. From a longer tag only the attributes within the limit are
  /// read.
  public var tagBytes = 1 << 20
  /// The most attributes in a tag.
  public var attributes = 1024
  /// The most namespace declarations in force at one place.
  public var namespaces = 512
  /// The most different element and attribute names in a document.
  public var names = 50_000
  /// The most bytes that a document's entities may add. The first 64 bytes at each reference do not count.
  public var expandedBytes = 1 << 20
  /// The most bytes of an incomplete item that are kept to be read again after damage. If the item has more,
  /// it is left out.
  public var replayBytes = 16 << 20
  /// The greatest total length for all texts in an item, in bytes.
  public var itemBytes = 16 << 20
  /// The CPU time for a document, in seconds, without ``cpuSecondsPerMiB``.
  ///
  /// The time is checked every 64 KiB, between the steps of parsing: a step is not interrupted.
  public var cpuSeconds = Self.usualCPUSeconds
  /// The additional CPU time for each MiB that was read, in seconds.
  public var cpuSecondsPerMiB = 1.0 / 12
  /// The greatest length for an item's id, in bytes. A longer id is replaced by its hash.
  public var idBytes = 1024
  /// The most authors, tags, attachments or module elements in an item, and the most entries in each feed
  /// list.
  ///
  /// A longer list is cut there, and counted in ``FeedDetails/shortenedListCount``.
  public var listCount = 256
  /// The greatest length for a JSON Feed item or another member, as written in the document, in bytes. A
  /// longer one is left out.
  public var jsonPartBytes = 8 << 20
  /// The greatest depth in JSON arrays and objects, including the outermost; at most 64. A deeper item is
  /// left out.
  public var jsonDepth = 64

  /// Creates the usual limits.
  public init() {}

  /// The usual limits.
  public static let standard = ParserLimits()

  #if SANITIZED
    /// Sanitizers make parsing many times slower.
    private static let usualCPUSeconds = 300.0
  #elseif DEBUG
    /// A build that is not optimized is also slow.
    private static let usualCPUSeconds = 30.0
  #else
    private static let usualCPUSeconds = 2.0
  #endif
}
