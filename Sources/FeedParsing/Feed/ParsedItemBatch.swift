/// Where a text stands among the bytes of its batch: UTF-8, offset and length.
public struct ByteSlice: Sendable, Hashable {
  /// The first byte.
  public var offset: UInt32
  /// How many bytes.
  public var count: UInt32

  /// Describes a place.
  public init(offset: UInt32, count: UInt32) {
    self.offset = offset
    self.count = count
  }

  /// The bytes as a range of array indices.
  public var range: Range<Int> { Int(offset)..<(Int(offset) + Int(count)) }

  /// The same place where the bytes begin `distance` later.
  func moved(by distance: Int) -> ByteSlice {
    ByteSlice(offset: offset &+ UInt32(truncatingIfNeeded: distance), count: count)
  }
}

/// Where an item's authors, tags, attachments or extensions stand in the batch's list of them.
public struct ListSlice: Sendable, Hashable {
  /// The first one.
  public var start: UInt32 = 0
  /// How many.
  public var count: UInt32 = 0

  /// As a range of array indices.
  public var range: Range<Int> { Int(start)..<(Int(start) + Int(count)) }
}

/// Who wrote an item.
public struct ParsedAuthor: Sendable, Hashable {
  /// The name.
  public var name: ByteSlice?
  /// The address of mail.
  public var email: ByteSlice?
  /// The home page.
  public var url: ByteSlice?
  /// A picture of them.
  public var avatar: ByteSlice?
}

/// A file that belongs to an item.
public struct ParsedAttachment: Sendable, Hashable {
  /// Where it is.
  public var url: ByteSlice
  /// The media type.
  public var mimeType: ByteSlice?
  /// The title.
  public var title: ByteSlice?
  /// The size in bytes; nil when it is not given.
  public var size: Int64?
  /// How long it takes, in seconds; nil when it is not given.
  public var duration: Double?
}

/// One item of a feed. Its texts are places in the bytes of its ``ParsedItemBatch``; nil is absent.
public struct ParsedItem: Sendable {
  /// RSS `guid`, Atom `id`, as the document has it.
  public var id: ByteSlice?
  /// RSS `isPermaLink`: whether ``id`` is said to be, or not to be, the address of the item; nil when nothing is
  /// said.
  public var idIsPermaLink: Bool?
  /// The page of the item, resolved.
  public var url: ByteSlice?
  /// A page elsewhere that the item is about.
  public var externalURL: ByteSlice?
  /// The title as plain text.
  public var title: ByteSlice?
  /// The summary, as HTML unless ``summaryIsPlainText``; only where there is other content.
  public var summary: ByteSlice?
  /// Whether ``summary`` is plain text.
  public var summaryIsPlainText = false
  /// The content, as HTML unless ``contentIsPlainText``.
  public var content: ByteSlice?
  /// Whether ``content`` is plain text.
  public var contentIsPlainText = false
  /// The content as plain text beside that as HTML, where both are given.
  public var contentText: ByteSlice?
  /// A picture.
  public var image: ByteSlice?
  /// The language, as in BCP 47; only where the item says it itself.
  public var language: ByteSlice?
  /// When it was published: seconds since 1970, UTC.
  public var published: Int64?
  /// When it was changed: seconds since 1970, UTC.
  public var modified: Int64?
  /// Its authors in ``ParsedItemBatch/authors``.
  public var authors = ListSlice()
  /// Its tags in ``ParsedItemBatch/tags``.
  public var tags = ListSlice()
  /// Its attachments in ``ParsedItemBatch/attachments``.
  public var attachments = ListSlice()
  /// What modules say beyond these fields, in ``ParsedItemBatch/extensions``.
  public var extensions = ListSlice()
}

/// Complete items, and the bytes that they are made of.
public struct ParsedItemBatch: Sendable {
  /// The texts of all items, as UTF-8, with gaps.
  public var bytes: [UInt8] = []
  /// The items, in the order of the document.
  public var items: [ParsedItem] = []
  /// The authors of all items.
  public var authors: [ParsedAuthor] = []
  /// The tags of all items.
  public var tags: [ByteSlice] = []
  /// The attachments of all items.
  public var attachments: [ParsedAttachment] = []
  /// The extensions of all items.
  public var extensions: [ParsedExtension] = []

  /// Creates an empty batch.
  public init() {}

  /// How much memory the batch takes.
  var byteCount: Int {
    bytes.count + items.count * MemoryLayout<ParsedItem>.stride + tags.count * MemoryLayout<ByteSlice>.stride
      + authors.count * MemoryLayout<ParsedAuthor>.stride
      + attachments.count * MemoryLayout<ParsedAttachment>.stride
      + extensions.count * MemoryLayout<ParsedExtension>.stride
  }

  /// The text at `slice`; nil for nil.
  public func string(_ slice: ByteSlice?) -> String? {
    guard let slice, slice.range.upperBound <= bytes.count else { return nil }
    return String(decoding: bytes[slice.range], as: UTF8.self)
  }

  /// Whether the texts at two places are the same, byte by byte.
  func isSame(_ one: ByteSlice?, _ other: ByteSlice?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return bytes[one.range] == bytes[other.range]
  }
}
