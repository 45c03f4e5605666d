import DocumentReading
import FeedParsing
import NewsModel
import TextOutput
import WebAddress

/// The articles in a file that uses the JSON format of Google Reader's API, such as `starred.json`.
/// Inoreader, FreshRSS, The Old Reader and other programs write it.
struct ReaderItems: ListedArticles {
  /// The region for the feeds, if the user moves them from the other program.
  static let region = "reader"

  private(set) var mistakes = LineMistakes()
  var hasArticles: Bool { count > 0 }

  /// The article count, including items that could not be read.
  private var count = 0
  /// The feeds with their articles, in the order in which they first appear.
  private var feeds: [ConvertedFeed] = []
  /// Full parts from feeds with many articles.
  private var parts: [ConvertedFeed] = []
  private var places: [WebAddress: Int] = [:]
  /// The addresses that several articles in a feed share.
  private var shared: Set<SharedAddress> = []

  private struct SharedAddress: Hashable {
    let feed: WebAddress
    let url: [UInt8]
  }

  /// Reads a whole file.
  ///
  /// - Parameter regions: The regions that the feeds are added to.
  init(_ bytes: [UInt8], regions: [String]) {
    let start = bytes.starts(with: LineReader.byteOrderMark) ? LineReader.byteOrderMark.count : 0
    let text = bytes.span.extracting(start...)
    var items: Range<Int>?
    var isStarred = false
    let mistake = JSONMembers.read(text) { key, value in
      switch (JSONMembers.text(text, key), value) {
      case ("items", .nested(let range)): items = range
      // The list's id.
      case ("id", .string(let range, _)):
        isStarred = JSONMembers.unescaped(text, range).hasSuffix(Self.starred)
      default: break
      }
    }
    if let mistake {
      mistakes.add("not JSON after \(mistake) bytes")
      return
    }
    guard let items else { return }
    findSharedAddresses(text, items)
    JSONMembers.readElements(text, of: items) { value in
      count += 1
      guard case .nested(let place) = value, let item = ReaderItem(text.extracting(place)) else {
        return mistakes.add("item \(grouped(count)): not an article")
      }
      add(item, isStarred: isStarred, regions)
    }
  }

  mutating func next(until mustEnd: () -> Bool = { false }) -> [ConvertedFeed]? {
    if !parts.isEmpty { return [parts.removeFirst()] }
    let group = Array(feeds.prefix(Self.feedsAtOnce))
    feeds.removeFirst(group.count)
    return group.isEmpty ? nil : group
  }

  /// The feeds that are created in one save.
  private static let feedsAtOnce = 64

  private static let starred = "/state/com.google/starred"

  /// Finds addresses that several articles without ids share within a feed.
  private mutating func findSharedAddresses(_ text: Span<UInt8>, _ items: Range<Int>) {
    var seen: Set<SharedAddress> = []
    JSONMembers.readElements(text, of: items) { value in
      guard case .nested(let place) = value, let item = ReaderItem(text.extracting(place)),
        item.article.id == nil,
        let url = item.article.url
      else { return }
      let address = SharedAddress(feed: item.feed, url: Array(url.utf8))
      if !seen.insert(address).inserted { shared.insert(address) }
    }
  }

  private mutating func add(_ item: ReaderItem, isStarred: Bool, _ regions: [String]) {
    var article = item.article
    if isStarred { article.marks.insert(.starred) }
    if article.id == nil, let url = article.url {
      article.sharesURL = shared.contains(SharedAddress(feed: item.feed, url: Array(url.utf8)))
    }
    let place = places[item.feed] ?? feeds.count
    if place == feeds.count {
      places[item.feed] = place
      feeds.append(Self.feed(of: item, regions))
    }
    feeds[place].add(article)
    guard feeds[place].byteCount >= ConvertedFeed.usualBytes else { return }
    parts.append(feeds[place])
    feeds[place] = Self.feed(of: item, regions)
  }

  private static func feed(of item: ReaderItem, _ regions: [String]) -> ConvertedFeed {
    var feed = ConvertedFeed(
      name: item.feed.withoutPassword, address: item.feed, title: item.feedTitle, homePage: item.homePage)
    feed.regions = regions
    return feed
  }

  // MARK: Recognition

  /// Returns whether a file of this kind has this beginning.
  ///
  /// A JSON Feed also has `items`, with other members.
  static func isBeginning(_ start: [UInt8]) -> Bool {
    let text =
      start.starts(with: LineReader.byteOrderMark)
      ? start.dropFirst(LineReader.byteOrderMark.count) : start[...]
    guard text.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"), let items = items(in: Array(text)) else {
      return false
    }
    var names: Set<String> = []
    // Further items follow, or the rest of a long one.
    let item = items.span
    JSONMembers.read(item) { key, _ in names.insert(JSONMembers.text(item, key)) }
    let own: Set = ["crawlTimeMsec", "timestampUsec", "canonical", "alternate", "origin", "categories"]
    return !names.isDisjoint(with: own)
      && names.isDisjoint(with: ["content_html", "content_text", "date_published", "url", "external_url"])
  }

  /// Returns the text that starts at the first element in the list `items`; nil without such a list.
  private static func items(in text: [UInt8]) -> [UInt8]? {
    let name = Array("\"items\"".utf8)
    var index = 0
    while let quote = text[index...].firstIndex(of: UInt8(ascii: "\"")) {
      index = quote + 1
      guard text[quote...].starts(with: name) else { continue }
      let rest = text[(quote + name.count)...].drop { $0 <= 0x20 }
      let list = rest.first == UInt8(ascii: ":") ? rest.dropFirst().drop { $0 <= 0x20 } : []
      if list.first == UInt8(ascii: "[") { return Array(list.dropFirst().drop { $0 <= 0x20 }) }
    }
    return nil
  }
}

/// An article in the JSON format of Google Reader's API.
private struct ReaderItem {
  var article = ConvertedFeed.Article()
  var feed = WebAddress("")
  var feedTitle: String?
  var homePage: String?

  /// Reads an object; nil for another value.
  init?(_ text: Span<UInt8>) {
    var content: String?
    var summary: String?
    var alternate: String?
    var stream: String?
    let mistake = JSONMembers.read(text) { key, value in
      switch (JSONMembers.text(text, key), value) {
      // The id is the other program's; FreshRSS adds the publisher's.
      case ("guid", .string(let range, _)): article.id = Self.text(text, range)
      case ("title", .string(let range, _)): article.title = Self.text(text, range).map(ConvertedText.title)
      case ("author", .string(let range, _)): article.author = Self.text(text, range)
      case ("published", _): article.published = Self.seconds(text, value)
      case ("canonical", .nested): article.url = Self.addresses(text, value).first
      case ("alternate", .nested): alternate = Self.addresses(text, value).first
      case ("enclosure", .nested): takeEnclosure(text, value)
      case ("content", .nested): content = Self.member("content", of: text, value)
      case ("summary", .nested): summary = Self.member("content", of: text, value)
      case ("comments", .string(let range, _)): article.commentsURL = Self.text(text, range)
      case ("categories", .nested(let range)):
        JSONMembers.readElements(text, of: range) { element in
          if case .string(let place, _) = element { takeCategory(JSONMembers.unescaped(text, place)) }
        }
      case ("origin", .nested):
        feedTitle = Self.member("title", of: text, value).map(ConvertedText.title)
        homePage = Self.member("htmlUrl", of: text, value)
        stream = Self.member("feedUrl", of: text, value) ?? Self.member("streamId", of: text, value)
      default: break
      }
    }
    guard mistake == nil else { return nil }
    article.url = article.url ?? alternate
    article.content = content ?? summary
    feed = Self.feed(stream, homePage)
    if let base = article.url ?? homePage, let html = article.content {
      article.content = ConvertedText.html(html, resolvedAgainst: base)
    }
  }

  /// Returns a feed's address. Without a web address, it is a file address that is never fetched.
  private static func feed(_ stream: String?, _ page: String?) -> WebAddress {
    let address = stream.map { $0.hasPrefix("feed/") ? String($0.dropFirst("feed/".utf8.count)) : $0 }
    if let address, let url = try? WebAddress(listed: address) { return url }
    let name = page ?? address ?? "unknown"
    return WebAddress("file:reader/" + FilePathBytes.percentEncoded(Array(name.utf8)))
  }

  private mutating func takeCategory(_ category: String) {
    // user/NUMBER/state/com.google/NAME and user/NUMBER/label/NAME; other categories are the publisher's.
    let parts = category.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0] == "user" else {
      if !category.isEmpty { article.tags.append(category) }
      return
    }
    switch (parts[2], parts[3]) {
    case ("state", "com.google/starred"): article.marks.insert(.starred)
    case ("state", "com.google/read"): article.marks.insert(.read)
    case ("label", let name): article.tags.append(String(name))
    default: break
    }
  }

  private mutating func takeEnclosure(_ text: Span<UInt8>, _ value: JSONMembers.Value) {
    guard article.attachment == nil, case .nested(let list) = value else { return }
    JSONMembers.readElements(text, of: list) { element in
      guard article.attachment == nil, case .nested(let range) = element else { return }
      let file = text.extracting(range)
      var address: String?
      var type: String?
      var size: Int64?
      let mistake = JSONMembers.read(file) { key, value in
        switch (JSONMembers.text(file, key), value) {
        case ("href", .string(let place, _)): address = Self.text(file, place)
        case ("type", .string(let place, _)): type = Self.text(file, place)
        // A number or, in some programs, a text.
        case ("length", _): size = Self.seconds(file, value).flatMap { $0 > 0 ? $0 : nil }
        default: break
        }
      }
      guard mistake == nil, let address else { return }
      (article.attachment, article.attachmentType, article.attachmentSize) = (address, type, size)
    }
  }

  private static func addresses(_ text: Span<UInt8>, _ value: JSONMembers.Value) -> [String] {
    guard case .nested(let list) = value else { return [] }
    var addresses: [String] = []
    JSONMembers.readElements(text, of: list) { element in
      if let address = member("href", of: text, element) { addresses.append(address) }
    }
    return addresses
  }

  /// Returns an object member's text; nil if it is missing or empty.
  private static func member(_ name: String, of text: Span<UInt8>, _ value: JSONMembers.Value) -> String? {
    guard case .nested(let range) = value else { return nil }
    let object = text.extracting(range)
    var found: String?
    let mistake = JSONMembers.read(object) { key, value in
      if case .string(let place, _) = value, JSONMembers.text(object, key) == name {
        found = self.text(object, place)
      }
    }
    return mistake == nil ? found : nil
  }

  private static func text(_ text: Span<UInt8>, _ range: Range<Int>) -> String? {
    let value = JSONMembers.unescaped(text, range)
    return value.isEmpty ? nil : value
  }

  /// Returns a time in seconds since 1970, from a number or, in some programs, a text.
  private static func seconds(_ text: Span<UInt8>, _ value: JSONMembers.Value) -> Int64? {
    switch value {
    case .number(let range):
      Double(JSONMembers.text(text, range)).flatMap { Int64(exactly: $0.rounded(.down)) }
    case .string(let range, _):
      Int64(JSONMembers.text(text, range)) ?? DateParser.seconds(JSONMembers.unescaped(text, range))
    default: nil
    }
  }
}
