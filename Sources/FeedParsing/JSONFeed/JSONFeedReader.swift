import TextOutput
internal import Markup

/// Creates a feed from the parts of a JSON Feed 1.0 or 1.1.
///
/// The parts arrive in the document's order, so an item only knows the feed members before it. Its relative
/// addresses are resolved against the document's address, else `feed_url`, else `home_page_url`; addresses in
/// its HTML against its own `url` first. An item without authors gets the feed's, if these are before
/// `items`.
struct JSONFeedReader {
  var details = FeedDetails()
  var batch = ParsedItemBatch()
  /// True if something was not JSON and was left out or repaired.
  var hasRepaired = false
  let limits: ParserLimits
  var base: URLBase?
  /// A buffer for values that do not go into the batch as they are.
  var scratch: [UInt8] = []
  /// The position of the feed's authors in the batch, for items without authors; nil before the first such
  /// item.
  var inherited: ListSlice?
  /// The count of items that were taken.
  private var takenCount = 0
  private var hasVersion = false
  private var hasItems = false
  /// True if an item had a member that only JSON Feed has.
  var hasProof = false
  /// True while a feed member is read. Texts that are too long are left out there.
  private(set) var isInFeed = false

  /// The error for JSON that is not a JSON Feed.
  static let noFeed = FeedError.notAFeed(looksLike: "a JSON document, but no JSON Feed")
  /// The longest base address, in bytes; a longer one is ignored. Without a limit a small document could
  /// become a large feed.
  static let longestBase = 1024

  init(source: DocumentSource, limits: ParserLimits) {
    self.limits = limits
    base = Self.base(source.url)
  }

  /// True if the document has turned out to be a feed: by its version, by a title and items, or by its items'
  /// members. It stays true, because items may already have been given out.
  var isFeed: Bool { hasVersion || (hasItems && details.title != nil) || hasProof }

  /// True if the feed has items or a title.
  var hasSomething: Bool { takenCount + batch.items.count > 0 || details.title != nil }

  /// Returns the complete items, and removes them. The result is empty before the document has turned out to
  /// be a feed.
  mutating func takeItems() -> ParsedItemBatch {
    var taken = ParsedItemBatch()
    guard isFeed else { return taken }
    swap(&taken, &batch)
    inherited = nil
    takenCount += taken.items.count
    return taken
  }

  static func base(_ address: String?) -> URLBase? {
    guard let address, address.utf8.count <= longestBase else { return nil }
    return URLBase(address.utf8)
  }

  // MARK: The feed's own members

  /// Returns how the next member is used.
  func use(ofMember key: Span<UInt8>) -> JSONMemberUse {
    switch JSONName(key) {
    case .items: .elements
    case .version, .title, .homePageURL, .feedURL, .description, .icon, .favicon, .language, .author,
      .authors, .hubs, .nextURL, .userComment, .expired:
      .whole
    default: .skip
    }
  }

  /// Records the start of `items`. Its elements follow.
  mutating func beginElements() { hasItems = true }

  /// Takes a member's value. Its brackets are balanced, but it may not be JSON.
  mutating func takeMember(_ key: Span<UInt8>, value text: Span<UInt8>) {
    var cursor = JSONCursor()
    guard let value = cursor.value(text) else {
      hasRepaired = true
      return
    }
    cursor.skipSpace(text)
    if cursor.hasRepaired || cursor.index < text.count { hasRepaired = true }
    // A null counts as a missing member.
    guard value != .null else { return }
    // The feed's texts are kept in a separate batch until they are strings.
    var items = ParsedItemBatch()
    swap(&items, &batch)
    isInFeed = true
    takeMember(JSONName(key), text, value)
    isInFeed = false
    swap(&items, &batch)
  }

  private mutating func takeMember(_ name: JSONName?, _ text: Span<UInt8>, _ value: JSONMembers.Value) {
    switch name {
    case .version: if string(text, value)?.contains("jsonfeed.org/version/1") == true { hasVersion = true }
    case .title:
      let title = keepTitle(text, value)
      details.title = batch.string(title) ?? details.title
    case .homePageURL: details.homePageURL = address(text, value)
    case .feedURL:
      details.feedURL = address(text, value)
      if base == nil { base = Self.base(details.feedURL) }
    case .description: details.description = string(text, value)
    case .icon: details.icon = address(text, value, isPicture: true)
    case .favicon:
      details.favicon = address(text, value, isPicture: true)
      details.icon = details.icon ?? details.favicon
    case .language: details.language = string(text, value)
    case .userComment: details.userComment = string(text, value)
    case .expired: details.isExpired = value == .bool(true)
    case .nextURL: details.nextPageURL = address(text, value)
    case .hubs:
      (details.hubs, details.hubTypes) = ([], [:])
      for hub in elements(text, value) { takeHub(text, hub) }
    // `author` from version 1.0 comes first, unless it is also in `authors` from version 1.1, which take
    // precedence.
    case .author:
      details.authors = authors(text, value).filter { !Self.contains(details.authors, $0) } + details.authors
      inherited = nil
    case .authors:
      let authors = authors(text, value)
      details.authors = details.authors.filter { !Self.contains(authors, $0) } + authors
      inherited = nil
    default: break
    }
  }

  /// Returns whether a person is in the list: by name, else by address.
  private static func contains(_ authors: [FeedDetails.Author], _ author: FeedDetails.Author) -> Bool {
    authors.contains { author.isSamePerson(as: $0, ==) }
  }

  private mutating func takeHub(_ text: Span<UInt8>, _ hub: JSONMembers.Value) {
    guard let members = JSONValues(text, of: hub), let address = string(text, members[.url]) else { return }
    details.hubs.append(address)
    details.hubTypes[address] = string(text, members[.type])
  }

  private mutating func authors(_ text: Span<UInt8>, _ value: JSONMembers.Value) -> [FeedDetails.Author] {
    elements(text, value).compactMap { element in
      let author = keepAuthor(text, element)?.map { batch.string($0) }
      return author == FeedDetails.Author() ? nil : author
    }
  }

  // Each text needs two statements, because the batch would be copied before the text is in it.

  private mutating func string(_ text: Span<UInt8>, _ value: JSONMembers.Value?) -> String? {
    let string = keep(text, value)
    return batch.string(string)
  }

  private mutating func address(
    _ text: Span<UInt8>, _ value: JSONMembers.Value, isPicture: Bool = false
  ) -> String? {
    let address = keepAddress(text, value, isPicture: isPicture)
    return batch.string(address)
  }
}
