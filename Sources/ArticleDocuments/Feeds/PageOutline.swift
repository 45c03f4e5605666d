import FeedImport
package import Foundation
package import ManagedContext
import NewsModel
import TextOutput
import WebAddress

/// The days and feeds for a page's articles, with the links to them at the page's beginning.
package struct PageOutline {
  /// A place in the page, and its article count.
  private struct Place {
    let anchor: String
    /// HTML.
    let name: String
    var count = 0
  }

  /// The articles, newest first.
  package private(set) var articles: [ManagedObjectID] = []
  private var days: [Place] = []
  private var feeds: [ManagedObjectID: Place] = [:]

  package init() {}

  package mutating func add(_ listed: ListedArticle, at now: Date) {
    articles.append(listed.id)
    let date = listed.listDate(at: now)
    let day = localDay(date)
    if days.last?.anchor != day {
      days.append(Place(anchor: day, name: HTMLPage.day(CivilDate(local: date))))
    }
    days[days.count - 1].count += 1
    guard let feed = listed.feed else { return }
    if feeds[feed.id] == nil {
      let title = HTMLPage.isolated(feed.shownTitle ?? feed.url.withoutPassword)
      feeds[feed.id] = Place(anchor: PageAnchor.feed(feed), name: title)
    }
    feeds[feed.id]?.count += 1
  }

  /// Returns the anchor for a feed that has an article.
  func anchor(of feed: Feed) -> String { feeds[feed.id]?.anchor ?? PageAnchor.feed(feed) }

  /// The feed with all articles, or the feed count, as HTML; empty without feeds.
  var origin: String {
    guard feeds.count == 1, let feed = feeds.values.first else {
      return feeds.isEmpty ? "" : " of \(counted(feeds.count, "feed"))"
    }
    return " of <span dir=\"auto\">\(feed.name)</span>"
  }

  /// The links to the days and feeds; empty without articles.
  var html: String {
    guard !articles.isEmpty else { return "" }
    let sorted = feeds.values.sorted { ($0.name.lowercased(), $0.anchor) < ($1.name.lowercased(), $1.anchor) }
    return
      "<nav aria-label=\"Days and feeds\">\n\(links(to: days, "day"))\(links(to: sorted, "feed"))</nav>\n"
  }

  /// Returns a link list, folded if it is long.
  private func links(to places: [Place], _ noun: String) -> String {
    guard !places.isEmpty else { return "" }
    let items = places.map {
      "<li><a href=\"#\($0.anchor)\" dir=\"auto\">\($0.name)</a> <span>\($0.count)</span></li>\n"
    }
    return """
      <details\(places.count > 12 ? "" : " open")><summary>\(counted(places.count, noun))</summary>
      <ul>
      \(items.joined())</ul></details>

      """
  }
}

/// The names for places in a page. They do not depend on other articles, so that links keep their meaning.
enum PageAnchor {
  /// - Parameter id: An article's identifier; see ``ArticleID``.
  static func article(_ id: String) -> String { "article-" + hash(id) }

  static func feed(_ feed: Feed) -> String { "feed-" + hash(feed.url.withoutPassword) }

  private static func hash(_ text: String) -> String {
    String(UInt64(bitPattern: contentHash(of: Array(text.utf8))), radix: 16)
  }
}
