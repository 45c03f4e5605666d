import FeedImport
import ManagedContext
import WebAddress
import TextOutput

/// What a prune deletes, or would, feed by feed and for people region by region.
struct PruneReport {
  /// A feed of which not all is kept.
  struct Feed {
    let id: ManagedObjectID
    let url: WebAddress
    /// By name.
    let regions: [String]
    let retention: Retention
    /// What says so: `--keep`, a table of the configuration.
    let source: String

    /// Such as "older than 90 d (--keep)".
    fileprivate var rule: String { "\(retention.goneWords) (\(printable(source)))" }
  }

  private struct Line {
    let feed: Feed
    var articles = 0
    var starred = 0
  }

  /// Whether it was done, and not only looked at.
  private let isDone: Bool
  private var lines: [Line]
  /// Where the line of each feed is.
  private let places: [ManagedObjectID: Int]
  /// How many articles go.
  private(set) var articles = 0
  private var starred = 0

  /// - Parameter feeds: In the order in which they are told.
  init(_ feeds: [Feed], isDone: Bool) {
    self.isDone = isDone
    lines = feeds.map { Line(feed: $0) }
    places = Dictionary(uniqueKeysWithValues: zip(feeds.map(\.id), feeds.indices))
  }

  /// Adds to what goes of a feed.
  ///
  /// - Parameters:
  ///   - articles: How many go.
  ///   - starred: How many stay for their stars alone.
  mutating func add(_ feed: Feed, articles: Int = 0, starred: Int = 0) {
    guard let place = places[feed.id] else { return }
    self.articles += articles
    self.starred += starred
    lines[place].articles += articles
    lines[place].starred += starred
  }

  /// A line for each region (a feed in several counts in each) or each feed, and one for all, which has the rule where
  /// it is the same for all.
  func text(byFeed: Bool) -> String {
    let gone = lines.filter { $0.articles > 0 }
    return aligned(byFeed ? feedRows(gone) : regionRows(gone)) + sum
  }

  /// One line for all.
  var sum: String {
    let feeds = lines.count { $0.articles > 0 }
    let kept = starred == 0 ? "" : "; \(grouped(starred)) starred \(starred == 1 ? "one stays" : "ones stay")"
    if feeds == 0 { return "nothing to delete\(kept)\n" }
    let what = isDone ? "deleted  " : "would delete  "
    let rule = commonRule.map { ", \($0)" } ?? ""
    let next = isDone ? ".   Next: newsimport store vacuum, to get the space back" : ""
    return "\(what)\(counted(articles, "article")) of \(counted(feeds, "feed"))\(rule)\(kept)\(next)\n"
  }

  /// What all feeds go by of which something goes; nil where they differ.
  private var commonRule: String? {
    let rules = Self.rules(lines.filter { $0.articles > 0 })
    return rules.count == 1 ? rules[0] : nil
  }

  private func feedRows(_ lines: [Line]) -> [[String]] {
    let articles = countedColumn(lines.map(\.articles), "article")
    return zip(lines, articles).map { line, articles in
      // The longest is the last, so that nothing stands far behind it.
      ["  \(articles)", rule([line]), line.feed.url.description]
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
    return regions.indices.map { place in
      ["  \(printable(regions[place].key))", feeds[place], articles[place], rule(regions[place].value)]
    }
  }

  /// What some feeds go by; of many rules some, and nothing where all have the same.
  private func rule(_ lines: [Line]) -> String {
    if commonRule != nil { return "" }
    let rules = Self.rules(lines)
    return rules.count > 2 ? rules.prefix(2).joined(separator: "; ") + "; …" : rules.joined(separator: "; ")
  }

  /// The rules of some feeds, each once, up to the third.
  private static func rules(_ lines: [Line]) -> [String] {
    var rules: [String] = []
    for line in lines where !rules.contains(line.feed.rule) {
      rules.append(line.feed.rule)
      if rules.count == 3 { break }
    }
    return rules
  }

  /// An object for each feed, one a line.
  var json: String {
    lines.filter { $0.articles + $0.starred > 0 }.map { line in
      var object = JSONLine()
      object.add("feed", line.feed.url.withoutPassword)
      object.add("regions", line.feed.regions)
      object.add("articles", line.articles)
      object.add("starred", line.starred)
      object.add("deleted", isDone)
      object.add("keep_seconds", line.feed.retention.age.flatMap { Int(exactly: $0) })
      object.add("keep_last", line.feed.retention.count)
      object.add("from", line.feed.source)
      return object.line
    }.joined()
  }
}
