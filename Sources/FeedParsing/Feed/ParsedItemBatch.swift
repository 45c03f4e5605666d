/// A text's position among its batch's bytes: UTF-8, offset and length.
public struct ByteSlice: Sendable, Hashable {
  /// The first byte's offset.
  public var offset: UInt32
  /// The length in bytes.
  public var count: UInt32

  /// Describes a position.
  public init(offset: UInt32, count: UInt32) {
    self.offset = offset
    self.count = count
  }

  /// The position as a range of array indices.
  public var range: Range<Int> { Int(offset)..<(Int(offset) + Int(count)) }

  /// Returns the same slice for bytes that begin `distance` later.
  func moved(by distance: Int) -> ByteSlice {
    ByteSlice(offset: offset &+ UInt32(truncatingIfNeeded: distance), count: count)
  }
}

/// The position of an item's authors, tags, attachments or modules in the batch's list.
public struct ListSlice: Sendable, Hashable {
  /// The first element's index.
  public var start: UInt32 = 0
  /// The element count.
  public var count: UInt32 = 0

  /// The position as a range of array indices.
  public var range: Range<Int> { Int(start)..<(Int(start) + Int(count)) }
}

/// A person or organisation. The texts are strings, or positions in a batch's bytes.
///
/// The texts are not constrained: the runtime would search for their conformances when it makes the type.
public struct FeedAuthor<Text> {
  /// The name.
  public var name: Text?
  /// The mail address.
  public var email: Text?
  /// The home page.
  public var url: Text?
  /// The address of the author's picture.
  public var avatar: Text?

  /// Describes a person.
  public init(name: Text? = nil, email: Text? = nil, url: Text? = nil, avatar: Text? = nil) {
    self.name = name
    self.email = email
    self.url = url
    self.avatar = avatar
  }

  /// Returns the author with other texts.
  func map<Other>(_ change: (Text) -> Other?) -> FeedAuthor<Other> {
    FeedAuthor<Other>(
      name: name.flatMap(change), email: email.flatMap(change), url: url.flatMap(change),
      avatar: avatar.flatMap(change))
  }

  /// Returns whether both are the same person: by name, else by address.
  func isSamePerson(as other: FeedAuthor, _ isSame: (Text, Text) -> Bool) -> Bool {
    if let name, let otherName = other.name { return isSame(name, otherName) }
    if let url, let otherURL = other.url { return isSame(url, otherURL) }
    guard let email, let otherEmail = other.email else { return false }
    return isSame(email, otherEmail)
  }
}

/// A file that belongs to an item. The texts are strings, or positions in a batch's bytes.
///
/// The texts are not constrained, as in ``FeedAuthor``.
public struct FeedAttachment<Text> {
  /// The file's address.
  public var url: Text
  /// The media type.
  public var mimeType: Text?
  /// The title.
  public var title: Text?
  /// The size in bytes; nil if the feed does not state it.
  public var size: Int64?
  /// The duration in seconds; nil if the feed does not state it.
  public var duration: Double?

  /// Returns the attachment with other texts.
  func map<Other>(_ change: (Text) -> Other) -> FeedAttachment<Other> {
    FeedAttachment<Other>(
      url: change(url), mimeType: mimeType.map(change), title: title.map(change), size: size,
      duration: duration)
  }
}

extension FeedAuthor: Sendable where Text: Sendable {}
extension FeedAuthor: Equatable where Text: Equatable {}
extension FeedAuthor: Hashable where Text: Hashable {}
extension FeedAttachment: Sendable where Text: Sendable {}
extension FeedAttachment: Equatable where Text: Equatable {}
extension FeedAttachment: Hashable where Text: Hashable {}

/// An author in a batch.
public typealias ParsedAuthor = FeedAuthor<ByteSlice>

/// A file that belongs to an item in a batch.
public typealias ParsedAttachment = FeedAttachment<ByteSlice>

/// One feed item. Its texts are positions in the bytes of its ``ParsedItemBatch``; nil means absent.
public struct ParsedItem: Sendable {
  /// RSS `guid`, Atom `id`, as the document has it.
  public var id: ByteSlice?
  /// RSS `isPermaLink`: true if ``id`` is the item's address; nil if the document does not state it.
  public var idIsPermaLink: Bool?
  /// The item's page, resolved.
  public var url: ByteSlice?
  /// A page elsewhere that the item is about.
  public var externalURL: ByteSlice?
  /// The title as plain text.
  public var title: ByteSlice?
  /// The summary, as HTML unless ``summaryIsPlainText``; nil without other content.
  public var summary: ByteSlice?
  /// True if ``summary`` is plain text.
  public var summaryIsPlainText = false
  /// The content, as HTML unless ``contentIsPlainText``.
  public var content: ByteSlice?
  /// True if ``content`` is plain text.
  public var contentIsPlainText = false
  /// The content as plain text, if the document has both forms.
  public var contentText: ByteSlice?
  /// A picture's address.
  public var image: ByteSlice?
  /// The language, as in BCP 47; nil if only the feed states it.
  public var language: ByteSlice?
  /// The publication date: seconds since 1970, UTC.
  public var published: Int64?
  /// True if ``published`` is a date of any kind (`dc:date`), which publishers also use for the last change.
  package var publishedIsAnyDate = false
  /// The date of the last change: seconds since 1970, UTC.
  public var modified: Int64?
  /// The item's authors in ``ParsedItemBatch/authors``.
  public var authors = ListSlice()
  /// The item's tags in ``ParsedItemBatch/tags``.
  public var tags = ListSlice()
  /// The item's attachments in ``ParsedItemBatch/attachments``.
  public var attachments = ListSlice()
  /// The item's parts of module elements, in ``ParsedItemBatch/extensions``.
  package var extensions = ListSlice()
}

/// Complete items, and the bytes of their texts.
public struct ParsedItemBatch: Sendable {
  /// The texts of all items, as UTF-8, with gaps.
  public var bytes: [UInt8] = []
  /// The items, in document order.
  public var items: [ParsedItem] = []
  /// All items' authors.
  public var authors: [ParsedAuthor] = []
  /// All items' tags.
  public var tags: [ByteSlice] = []
  /// All items' attachments.
  public var attachments: [ParsedAttachment] = []
  /// All items' parts of module elements; ``ItemMembers`` prints them.
  package var extensions: [ParsedExtension] = []

  /// Creates an empty batch.
  public init() {}

  /// The batch's memory, in bytes.
  var byteCount: Int {
    bytes.count + items.count * MemoryLayout<ParsedItem>.stride + tags.count * MemoryLayout<ByteSlice>.stride
      + authors.count * MemoryLayout<ParsedAuthor>.stride
      + attachments.count * MemoryLayout<ParsedAttachment>.stride
      + extensions.count * MemoryLayout<ParsedExtension>.stride
  }

  /// Returns the text at `slice`; nil for nil.
  public func string(_ slice: ByteSlice?) -> String? {
    guard let slice, slice.range.upperBound <= bytes.count else { return nil }
    return String(decoding: bytes[slice.range], as: UTF8.self)
  }

  /// Returns whether two texts are the same, byte by byte.
  func isSame(_ one: ByteSlice, _ other: ByteSlice) -> Bool { bytes[one.range] == bytes[other.range] }
}
