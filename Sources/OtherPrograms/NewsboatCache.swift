package import FeedImport
import FeedParsing
import Foundation
import ManagedContext
import NewsModel
import SQLiteStore
import TextOutput
import WebAddress

/// newsboat's feeds, articles and marks, from its `cache.db` and its file `urls`. Both are only read.
package struct NewsboatCache: Sendable {
  /// The path to `cache.db`.
  let path: String
  /// The file `urls`; nil without that file.
  let urls: NewsboatURLs?

  package init(path: String, urls: NewsboatURLs?) {
    (self.path, self.urls) = (path, urls)
  }

  /// The region for feeds without a tag.
  static let region = "newsboat"
  /// The largest number of articles in one document.
  private static let mostArticles = 2000

  private static let feedColumns: Set<String> = ["rssurl", "url", "title"]
  private static let itemColumns: Set<String> = [
    "guid", "title", "author", "url", "feedurl", "pubDate", "content", "unread", "enclosure_url",
    "enclosure_type",
    "deleted",
  ]

  /// Returns the address to store. A source without a web address is never fetched.
  static func address(_ text: String) -> WebAddress {
    if let address = try? WebAddress(listed: text) { return address }
    let named = WebAddress(text)
    let encoded = text.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? "unknown"
    return named.isFile ? named : WebAddress("file:newsboat/\(encoded)")
  }

  /// Visits the feeds with their articles until `visit` returns false. A feed with many articles is visited
  /// several times.
  ///
  /// - Returns: The cause why the file cannot be read; nil without one.
  package func forEachFeed(_ visit: (ConvertedFeed) -> Bool) -> String? {
    // An open store's log must not be mistaken for newsboat's.
    if isStore {
      return
        "a store of newsimport, not newsboat's cache.db; newsimport store attach reads it beside this one"
    }
    do throws(StoreError) {
      let database = try ForeignDatabase(path: path)
      if let mistake = try mistake(of: database) { return mistake }
      var feeds: [(url: String, title: String?, page: String?)] = []
      try database.rows("SELECT rssurl, title, url FROM rss_feed ORDER BY rowid") { row in
        if let url = Self.text(row[0]) { feeds.append((url, Self.text(row[1]), Self.text(row[2]))) }
        return true
      }
      // For a while, newsboat keeps a removed feed's articles.
      try database.rows(
        "SELECT DISTINCT feedurl FROM rss_item WHERE feedurl NOT IN (SELECT rssurl FROM rss_feed) ORDER BY feedurl"
      ) { row in
        if let url = Self.text(row[0]) { feeds.append((url, nil, nil)) }
        return true
      }
      let stored = Set(feeds.map(\.url))
      for url in (urls?.tags ?? [:]).keys.sorted() where !stored.contains(url) {
        feeds.append((url, nil, nil))
      }
      for feed in feeds {
        guard try visitFeed(feed, in: database, visit) else { return nil }
      }
      return nil
    } catch {
      return Self.cause(error)
    }
  }

  /// True if the file's header has a store's application ID (SQLite's file format, 1.3.16).
  private var isStore: Bool {
    let header = FileHandle(forReadingAtPath: path).flatMap { try? $0.read(upToCount: 72) }
    return header?.suffix(4).reduce(0) { $0 << 8 | Int32($1) } == NewsModel.applicationID
      && header?.count == 72
  }

  private func visitFeed(
    _ feed: (url: String, title: String?, page: String?), in database: ForeignDatabase,
    _ visit: (ConvertedFeed) -> Bool
  ) throws(StoreError) -> Bool {
    guard try visitArticles(of: feed, areDeleted: false, in: database, visit) else { return false }
    return try visitArticles(of: feed, areDeleted: true, in: database, visit)
  }

  private func visitArticles(
    of feed: (url: String, title: String?, page: String?), areDeleted: Bool, in database: ForeignDatabase,
    _ visit: (ConvertedFeed) -> Bool
  ) throws(StoreError) -> Bool {
    let empty: () -> ConvertedFeed = {
      var converted = ConvertedFeed(
        name: "\(path): \(WebAddress.withoutPassword(feed.url))", address: Self.address(feed.url),
        title: feed.title.map(ConvertedText.title), homePage: feed.page)
      (converted.regions, converted.ownTitle) = (regions(of: feed.url), urls?.titles[feed.url])
      converted.areDeleted = areDeleted
      return converted
    }
    var converted = empty()
    var goesOn = true
    var unread = 0
    let shared = try sharedAddresses(of: feed.url, in: database)
    let columns = NewsboatArticle.columns(in: Set(try database.columns(of: "rss_item")))
    try database.rows(
      """
      SELECT \(columns.joined(separator: ", ")) FROM rss_item
      WHERE feedurl = ? AND coalesce(deleted, 0) \(areDeleted ? "<>" : "=") 0 ORDER BY pubDate DESC, rowid DESC
      """, [.text(feed.url)]
    ) { row, texts in
      guard var article = NewsboatArticle(row, texts, page: feed.page).article(shared: shared) else {
        unread += 1
        return true
      }
      // An item needs some content, so a deleted one gets a title.
      if areDeleted { article.title = article.title ?? "deleted" }
      converted.add(article)
      if converted.count >= Self.mostArticles || converted.byteCount >= ConvertedFeed.usualBytes {
        goesOn = visit(converted)
        converted = empty()
      }
      return goesOn
    }
    converted.addUnread(unread)
    return goesOn && (areDeleted && converted.count == 0 && unread == 0 || visit(converted))
  }

  /// Returns the addresses that several articles in a feed share.
  private func sharedAddresses(
    of feed: String, in database: ForeignDatabase
  ) throws(StoreError) -> Set<String> {
    var shared: Set<String> = []
    try database.rows(
      "SELECT url FROM rss_item WHERE feedurl = ? AND url <> '' GROUP BY url HAVING count(*) > 1",
      [.text(feed)]
    ) { row in
      if let url = Self.text(row[0]) { shared.insert(url) }
      return true
    }
    return shared
  }

  private func regions(of url: String) -> [String] {
    guard let urls else { return [Self.region] }
    // newsboat no longer reads a feed without a line in the file.
    guard let own = urls.tags[url] else { return [] }
    let names = own.filter(NewsboatURLs.isRegion)
    return names.isEmpty ? [Self.region] : distinct(names)
  }

  /// Returns the reason why the tables do not fit a known newsboat version; nil if they do.
  private func mistake(of database: ForeignDatabase) throws(StoreError) -> String? {
    let names = "its tables are not those of newsboat's cache.db"
    let missing = try Self.feedColumns.subtracting(database.columns(of: "rss_feed")).map { "rss_feed.\($0)" }
    let missingItems = try Self.itemColumns.subtracting(database.columns(of: "rss_item")).map {
      "rss_item.\($0)"
    }
    var version: String?
    if try !database.columns(of: "metadata").isEmpty {
      try database.rows("SELECT db_schema_version_major, db_schema_version_minor FROM metadata LIMIT 1") {
        row in
        if case (.integer(let major), .integer(let minor)) = (row[0], row[1]), major != 2 {
          version = "\(major).\(minor)"
        }
        return false
      }
    }
    if let version {
      return "its schema has newsboat's version \(version), of which only 2 is known; nothing was imported"
    }
    let all = (missing + missingItems).sorted()
    let verb = all.count == 1 ? "is" : "are"
    return all.isEmpty ? nil : "\(names): \(all.prefix(3).joined(separator: ", ")) \(verb) missing"
  }

  static func text(_ value: AttributeValue) -> String? {
    if case .text(let text) = value, !text.isEmpty { text } else { nil }
  }

  private static func cause(_ error: StoreError) -> String {
    switch error {
    case .busy:
      "newsboat is running, or has left a log of changes; quit it, or start and quit it, and import again"
    case .corrupt: "not a SQLite database, or damaged"
    default: "cannot be read"
    }
  }
}
