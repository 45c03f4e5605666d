import ArticleDocuments
import FeedImport
import ManagedContext
import NewsConfiguration
import WebAddress
import TextOutput

/// The articles that a prune deletes or would delete, by feed.
struct PruneReport {
  /// A feed with a limited retention.
  struct Feed {
    let id: ManagedObjectID
    let url: WebAddress
    /// Nil for a feed without one.
    let title: String?
    /// The region names.
    let regions: [String]
    let retention: Retention
    /// The retention's source: `--keep`, or a table in the configuration.
    let source: String

    fileprivate func hasSameRule(_ other: Feed) -> Bool {
      retention == other.retention && source == other.source
    }

    /// The rule as text, such as "older than 90 d (--keep)".
    fileprivate var rule: String { "\(retention.goneText) (\(printable(source)))" }
  }

  private struct Line {
    let feed: Feed
    var articles = 0
    var starred = 0
    var waiting = 0
  }

  /// True if the articles were deleted; false for a preview.
  private let isDone: Bool
  private var lines: [Line]
  /// Each feed's index in ``lines``.
  private let places: [ManagedObjectID: Int]
  /// The number of deleted articles.
  private(set) var articles = 0
  private var starred = 0
  private var waiting = 0

  /// - Parameter feeds: The feeds in report order.
  init(_ feeds: [Feed], isDone: Bool) {
    self.isDone = isDone
    lines = feeds.map { Line(feed: $0) }
    places = Dictionary(uniqueKeysWithValues: zip(feeds.map(\.id), feeds.indices))
  }

  /// Adds to a feed's counts.
  ///
  /// - Parameters:
  ///   - articles: The number of articles that are deleted.
  ///   - starred: The number of articles that are kept only because they are starred.
  ///   - waiting: The number of articles that are kept only because they wait for a hook.
  mutating func add(_ feed: Feed, articles: Int = 0, starred: Int = 0, waiting: Int = 0) {
    guard let place = places[feed.id] else { return }
    self.articles += articles
    self.starred += starred
    self.waiting += waiting
    lines[place].waiting += waiting
    lines[place].articles += articles
    lines[place].starred += starred
  }

  /// A line for each region or feed, and one for the total, which states the rule if all feeds share it. A
  /// feed in several regions counts in each.
  ///
  /// - Parameter columns: The terminal's width; nil for complete names.
  func text(byFeed: Bool, columns: Int?) -> String {
    let gone = lines.filter { $0.articles > 0 }
    return aligned(byFeed ? feedRows(gone) : fitted(regionRows(gone), to: columns)) + sum
  }

  /// The deletion in one line, for a command that did more than delete; empty if nothing was deleted.
  var note: String {
    let feeds = lines.count { $0.articles > 0 }
    guard feeds > 0 else { return "" }
    let rule = commonRule.map { ", \($0)" } ?? ""
    return "deleted  \(counted(articles, "article")) of \(counted(feeds, "feed"))\(rule)\n"
  }

  /// The deletion as a JSON object with an event; see ``note``.
  var event: JSONLine {
    [
      "event": "retention", "feeds": lines.count { $0.articles > 0 }, "articles": articles,
      "starred": starred, "waiting": waiting,
    ]
  }

  /// The total in one line.
  var sum: String {
    let feeds = lines.count { $0.articles > 0 }
    var kept =
      starred == 0 ? "" : "; \(grouped(starred)) starred \(starred == 1 ? "one stays" : "ones stay")"
    if waiting > 0 { kept += HookBacklog.note(waiting) }
    if feeds == 0 { return "nothing to delete\(kept)\n" }
    let what = isDone ? "deleted  " : "would delete  "
    let rule = commonRule.map { ", \($0)" } ?? ""
    let next = isDone ? ".   Next: newsimport store vacuum, to free the space" : ""
    return "\(what)\(counted(articles, "article")) of \(counted(feeds, "feed"))\(rule)\(kept)\(next)\n"
  }

  /// The rule for all feeds with deleted articles; nil if the rules differ.
  private var commonRule: String? {
    let rules = Self.rules(lines.lazy.filter { $0.articles > 0 })
    return rules.count == 1 ? rules[0] : nil
  }

  private func feedRows(_ lines: [Line]) -> [[String]] {
    let articles = countedColumn(lines.map(\.articles), "article")
    let isCommon = commonRule != nil
    return zip(lines, articles).map { line, articles in
      // The longest column is the last, so that it does not push others away.
      ["  \(articles)", isCommon ? "" : rule([line]), line.feed.url.description]
    }
  }

  private func regionRows(_ lines: [Line]) -> [[String]] {
    var byName: [String: [Line]] = [:]
    for line in lines {
      for name in line.feed.regions.isEmpty ? ["(in no region)"] : line.feed.regions {
        byName[name, default: []].append(line)
      }
    }
    let regions = byName.sorted { $0.key < $1.key }
    let feeds = countedColumn(regions.map(\.value.count), "feed")
    let articles = countedColumn(regions.map { $0.value.reduce(0) { $0 + $1.articles } }, "article")
    let isCommon = commonRule != nil
    return regions.indices.map { place in
      [
        "  \(printable(regions[place].key))", feeds[place], articles[place],
        isCommon ? "" : rule(regions[place].value),
      ]
    }
  }

  /// Returns the feeds' rules, shortened if there are many.
  private func rule(_ lines: [Line]) -> String {
    let rules = Self.rules(lines)
    return rules.count > 2 ? rules.prefix(2).joined(separator: "; ") + "; …" : rules.joined(separator: "; ")
  }

  /// Returns the feeds' distinct rules, at most three.
  private static func rules(_ lines: some Sequence<Line>) -> [String] {
    var different: [Feed] = []
    for line in lines where !different.contains(where: line.feed.hasSameRule) {
      different.append(line.feed)
      if different.count == 3 { break }
    }
    return different.map(\.rule)
  }

  /// One line with a JSON object for each feed.
  var json: String {
    lines.filter { $0.articles + $0.starred + $0.waiting > 0 }.map { line in
      let object: JSONLine = [
        "feed": line.feed.url.withoutPassword, "regions": line.feed.regions, "articles": line.articles,
        "starred": line.starred, "waiting": line.waiting, "deleted": isDone,
        "keep_seconds": line.feed.retention.age.flatMap { Int(exactly: $0) },
        "keep_last": line.feed.retention.count, "from": line.feed.source, "title": line.feed.title,
      ]
      return object.line
    }.joined()
  }
}
