internal import Markup

/// Creates a feed from the parts of a JSON Feed 1.0 or 1.1.
///
/// The parts arrive in the document's order, so an item knows only the members of the feed before it. Its relative
/// addresses are resolved against the document's address, else `feed_url`, else `home_page_url`. If it has no authors,
/// it gets the feed's, if these are before `items`.
struct JSONFeedReader: JSONPartHandler {
  var details = FeedDetails()
  var batch = ParsedItemBatch()
  /// True if something was not JSON and was left out or repaired.
  var hasRepaired = false
  let limits: ParserLimits
  var base: URLBase?
  /// A buffer for values that do not go into the batch as they are.
  var scratch: [UInt8] = []
  /// The position of the feed's authors in the batch, for items without authors; nil before the first such item.
  var inherited: ListSlice?
  /// The number of items that were taken.
  private var takenCount = 0
  private var hasVersion = false
  private var hasItems = false
  /// True if an item had a member that only JSON Feed has.
  var hasProof = false

  /// The error for JSON that is not a JSON Feed.
  static let noFeed = FeedError.notAFeed(looksLike: "a JSON document, but no JSON Feed")
  /// The longest base address, in bytes; a longer one is ignored. Without a limit a small document could become a large
  /// feed.
  static let longestBase = 1024

  init(source: DocumentSource, limits: ParserLimits) {
    self.limits = limits
    base = Self.base(source.url)
  }

  /// True if the document has turned out to be a feed: by its version, by a title and items, or by the members of its
  /// items. It stays true, because items are given out from then on.
  var isFeed: Bool { hasVersion || (hasItems && details.title != nil) || hasProof }

  /// True if the feed has items or a title.
  var hasSomething: Bool { takenCount + batch.items.count > 0 || details.title != nil }

  /// Returns the complete items, and removes them; none before the document has turned out to be a feed.
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

  private static let names: [StaticString] = [
    "version", "title", "home_page_url", "feed_url", "description", "icon", "favicon", "language", "author",
    "authors", "hubs", "next_url", "user_comment", "expired",
  ]

  mutating func use(ofMember key: Span<UInt8>) -> JSONMemberUse {
    if key.equals("items") { return .elements }
    return Self.names.contains { key.equals($0) } ? .whole : .skip
  }

  mutating func beginElements() { hasItems = true }

  mutating func takeMember(_ key: Span<UInt8>, value: Span<UInt8>) {
    var cursor = JSONCursor()
    guard cursor.value(value) else {
      hasRepaired = true
      return
    }
    cursor.skipSpace(value)
    if cursor.hasRepaired || cursor.index < value.count { hasRepaired = true }
    // A null counts as a missing member.
    guard !value.hasPrefix("null") else { return }
    if key.equals("version"), text(value)?.contains("jsonfeed.org/version/1") == true { hasVersion = true }
    if key.equals("title") { details.title = plainText(value) ?? details.title }
    if key.equals("home_page_url") { details.homePageURL = address(value) }
    if key.equals("feed_url") {
      details.feedURL = address(value)
      if base == nil { base = Self.base(details.feedURL) }
    }
    if key.equals("description") { details.description = text(value) }
    if key.equals("icon") { details.icon = address(value, isPicture: true) }
    if key.equals("favicon") {
      details.favicon = address(value, isPicture: true)
      details.icon = details.icon ?? details.favicon
    }
    if key.equals("language") { details.language = text(value) }
    if key.equals("user_comment") { details.userComment = text(value) }
    if key.equals("expired") { details.isExpired = value.hasPrefix("true") }
    takePeople(key, value)
  }

  private mutating func takePeople(_ key: Span<UInt8>, _ value: Span<UInt8>) {
    // `author` of version 1.0 comes first, unless it is also in `authors` of version 1.1, which take precedence.
    if key.equals("author") {
      let authors = authors(value)
      details.authors = authors.filter { !Self.contains(details.authors, $0) } + details.authors
      inherited = nil
    }
    if key.equals("authors") {
      let authors = authors(value)
      details.authors = details.authors.filter { !Self.contains(authors, $0) } + authors
      inherited = nil
    }
    if key.equals("hubs") {
      (details.hubs, details.hubTypes) = ([], [:])
      for hub in elements(value, 0) { takeHub(value, at: hub) }
    }
    if key.equals("next_url") { details.pages.next = address(value) }
  }

  /// Returns whether a person is in the list: by name, else by address.
  private static func contains(_ authors: [FeedDetails.Author], _ author: FeedDetails.Author) -> Bool {
    authors.contains { other in
      if author.name != nil, other.name != nil { return author.name == other.name }
      if author.url != nil, other.url != nil { return author.url == other.url }
      return author.email != nil && author.email == other.email
    }
  }

  private mutating func takeHub(_ value: Span<UInt8>, at place: Int) {
    var (url, type): (Int?, Int?)
    var cursor = JSONCursor(at: place)
    _ = cursor.members(value) { key, place in
      if key.equals("url") { url = place }
      if key.equals("type") { type = place }
    }
    guard let address = url.flatMap({ text(value, at: $0) }) else { return }
    details.hubs.append(address)
    details.hubTypes[address] = type.flatMap { text(value, at: $0) }
  }

  private mutating func authors(_ value: Span<UInt8>) -> [FeedDetails.Author] {
    var authors: [FeedDetails.Author] = []
    for element in elements(value, 0) {
      if let author = author(value, at: element) { authors.append(author) }
    }
    return authors
  }

  private mutating func author(_ value: Span<UInt8>, at place: Int) -> FeedDetails.Author? {
    guard let fields = JSONAuthorFields(value, at: place) else { return nil }
    var author = FeedDetails.Author(
      name: fields.name.flatMap { plainText(value, at: $0) },
      email: fields.email.flatMap { text(value, at: $0) },
      url: fields.url.flatMap { address(value, at: $0) },
      avatar: fields.avatar.flatMap { address(value, at: $0, isPicture: true) })
    if let url = author.url, let mailbox = JSONAuthorFields.mailbox(Array(url.utf8).span) {
      author.email = author.email ?? Array(url.utf8).span.extracting(mailbox).text
      author.url = nil
    }
    return author == FeedDetails.Author() ? nil : author
  }

  private func text(_ value: Span<UInt8>, at place: Int = 0) -> String? {
    var bytes: [UInt8] = []
    guard JSONScalar.append(value, at: place, to: &bytes), fits(bytes) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func plainText(_ value: Span<UInt8>, at place: Int = 0) -> String? {
    var bytes: [UInt8] = []
    guard JSONScalar.append(value, at: place, to: &bytes), fits(bytes) else { return nil }
    PlainText.make(&bytes, from: 0, .none)
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  private func address(_ value: Span<UInt8>, at place: Int = 0, isPicture: Bool = false) -> String? {
    var bytes: [UInt8] = []
    guard JSONScalar.append(value, at: place, to: &bytes), fits(bytes) else { return nil }
    let range = bytes.span.trimmed
    if range.isEmpty { return nil }
    let text = bytes.span.extracting(range)
    switch AddressKind(text, isPicture: isPicture) {
    case .harmful: return nil
    case .absolute: return text.text
    case .relative: break
    }
    guard let base else { return text.text }
    var result: [UInt8] = []
    base.append(resolving: text, to: &result)
    return String(decoding: result, as: UTF8.self)
  }

  private func fits(_ bytes: [UInt8]) -> Bool {
    bytes.count <= limits.fieldBytes && bytes.contains { !$0.isXMLSpace }
  }
}

extension Span<UInt8> {
  /// Returns whether the bytes are equal to `text`.
  func equals(_ text: StaticString) -> Bool { count == text.utf8CodeUnitCount && hasPrefix(text) }
}
