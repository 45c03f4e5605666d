import TextOutput
internal import Markup

/// Why bytes could not be read as a feed.
public enum FeedError: Error, Equatable, Sendable {
  /// They are no feed; `looksLike` says what they seem to be, such as "an HTML page".
  case notAFeed(looksLike: String)
  /// More than ``ParserLimits`` allow.
  case limit(name: String, value: Int)
  /// The document ended before it said anything.
  case truncated
  /// There is no memory.
  case outOfMemory
}

extension FeedError: CustomStringConvertible {
  /// The cause in words; holds no control characters.
  public var description: String {
    switch self {
    case .notAFeed(let looksLike): "not a feed: \(printable(String(looksLike.unicodeScalars.prefix(300))))"
    case .limit(let name, let value): "over the limit of \(value) for \(name)"
    case .truncated: "cut off before its first item"
    case .outOfMemory: "out of memory"
    }
  }
}

/// Where a document came from.
public struct DocumentSource: Sendable {
  /// Its address, against which relative addresses are resolved.
  public var url: String?
  /// The media type that came with it.
  public var contentType: String?

  /// Describes a source.
  public init(url: String? = nil, contentType: String? = nil) {
    self.url = url
    self.contentType = contentType
  }

  /// The charset of ``contentType`` that nobody knows, as it is written there; nil where it is known, or there is none.
  ///
  /// A document of such a charset is read as one without.
  public var unknownCharset: String? { contentType.flatMap(DocumentEncoding.unknownCharset(inContentType:)) }
}

/// What a document may not exceed.
public struct ParserLimits: Sendable {
  /// How much may come before a document has turned out to be a feed, white space and junk included. What can be
  /// named, such as a page, is ``FeedError/notAFeed(looksLike:)`` when it is longer.
  public var preambleBytes = 512 << 10
  /// How deep elements may nest.
  public var depth = 256
  /// How long one text may be, in bytes; a longer one is cut there, and counted in
  /// ``FeedDetails/shortenedTextCount``.
  public var fieldBytes = 1 << 20
  /// How long a tag may be; of a longer one the attributes within the limit are read.
  public var tagBytes = 1 << 20
  /// How many attributes a tag may have.
  public var attributes = 1024
  /// How many declarations of namespaces may be in force at one place.
  public var namespaces = 512
  /// How many different names of elements and attributes a document may use.
  public var names = 50_000
  /// How much the entities that a document declares may bring in all; the first 64 bytes at each reference
  /// are not counted.
  public var expandedBytes = 1 << 20
  /// How many bytes of an item that is not complete are kept, to be read again when damage is met in it. Where there
  /// were more, the item is left out.
  public var replayBytes = 16 << 20
  /// How long all texts of an item together may be.
  public var itemBytes = 16 << 20
  /// How much CPU time a document may take, in seconds; ``cpuSecondsPerMiB`` comes on top.
  ///
  /// Looked at every 64 KiB, between the steps of parsing: a step is not interrupted.
  public var cpuSeconds = 10.0
  /// How much more CPU time each MiB that was read may take, in seconds.
  public var cpuSecondsPerMiB = 1.0 / 16
  /// How long an item's id may be; a longer one is replaced by its hash.
  public var idBytes = 1024
  /// How many authors, tags, attachments or elements of modules of one item are taken, and how many entries of each
  /// list of the feed; a longer list is cut there, and counted in ``FeedDetails/shortenedListCount``.
  public var listCount = 256
  /// How long an item, or a member beside the items, may be in a JSON Feed as it is written there; a longer one is left
  /// out.
  public var jsonPartBytes = 8 << 20
  /// How deep arrays and objects may nest in JSON, the outermost included; at most 64. An item that is deeper is
  /// left out.
  public var jsonDepth = 64

  /// The usual limits.
  public init() {}

  /// The usual limits.
  public static let standard = ParserLimits()
}
