internal import Markup

/// Makes a feed of the parts of a JSON Feed 1.0 or 1.1.
///
/// The parts come in the document's order, so an item knows of the feed what stands before it: its relative
/// addresses are resolved against the document's address, else `feed_url`, else `home_page_url`, and without
/// authors of its own it has those of the feed, where these members come before `items`.
struct JSONFeedReader: JSONPartHandler {
  var details = FeedDetails()
  var batch = ParsedItemBatch()
  /// Whether something was no JSON and was left out or repaired.
  var hasRepaired = false
  let limits: ParserLimits
  var base: URLBase?
  /// Text that is made of a value before it is known what becomes of it.
  var scratch: [UInt8] = []
  /// The feed's authors among those of the batch, for the items that have none; nil before the first of these.
  var inherited: ListSlice?
  /// How many items were taken out.
  private var takenCount = 0
  private var hasVersion = false
  private var hasItems = false
  /// Whether an item had a member that only JSON Feed knows.
  var hasProof = false

  /// Why JSON that is no JSON Feed is refused.
  static let noFeed = FeedError.notAFeed(looksLike: "a JSON document, but no JSON Feed")
  /// An address that others are resolved against is ignored when it is longer, in bytes: else a small document could
  /// become a large feed.
  static let longestBase = 1024

  init(source: DocumentSource, limits: ParserLimits) {
    self.limits = limits
    base = Self.base(source.url)
  }

  /// Whether it has turned out to be a feed: by its version, by a title beside items, or by what the items have.
  /// Once it is true it stays so, because items are given out from then on.
  var isFeed: Bool { hasVersion || (hasItems && details.title != nil) || hasProof }

  /// Whether the feed says anything.
  var hasSomething: Bool { takenCount + batch.items.count > 0 || details.title != nil }

  /// Moves the complete items out; none before it is known that it is a feed.
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
    // A null is as if the member were not there.
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
    // `author` of version 1.0 first, unless it is one of the `authors` of 1.1, which count more.
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

  /// Whether a person is in the list: by the name, else by the address.
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
  /// Whether the bytes are those of `text`.
  func equals(_ text: StaticString) -> Bool { count == text.utf8CodeUnitCount && hasPrefix(text) }
}
