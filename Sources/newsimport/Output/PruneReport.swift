import FeedImport
import ManagedContext

/// What a prune deletes, or would, feed by feed and for people region by region.
struct PruneReport {
  /// A feed of which not all is kept.
  struct Feed {
    let id: ManagedObjectID
    let url: String
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
    let articles: Int
    let starred: Int
  }

  /// Whether it was done, and not only looked at.
  private let isDone: Bool
  private var lines: [Line] = []
  /// How many articles go.
  private(set) var articles = 0
  private var starred = 0

  init(isDone: Bool) {
    self.isDone = isDone
  }

  /// Adds what would go of a feed.
  mutating func add(_ feed: Feed, _ selection: Pruning.Selection) {
    add(feed, deleted: selection.articles.count, starred: selection.starred)
  }

  /// Adds what went of a feed.
  ///
  /// - Parameter starred: How many articles stay for their stars alone.
  mutating func add(_ feed: Feed, deleted: Int, starred: Int) {
    articles += deleted
    self.starred += starred
    if deleted + starred > 0 { lines.append(Line(feed: feed, articles: deleted, starred: starred)) }
  }

  /// A line for each region (a feed in several counts in each) or each feed, and one for all.
  func text(byFeed: Bool) -> String {
    let gone = lines.filter { $0.articles > 0 }
    let kept = starred == 0 ? "" : "; \(grouped(starred)) starred \(starred == 1 ? "one stays" : "ones stay")"
    guard !gone.isEmpty else {
      return starred == 0 ? "nothing to delete\n" : "nothing to delete\(kept)\n"
    }
    let what = isDone ? "deleted  " : "would delete  "
    let next = isDone ? ".   Next: newsimport store vacuum, to get the space back" : ""
    let sum = "\(what)\(counted(articles, "article")) of \(counted(gone.count, "feed"))\(kept)\(next)\n"
    return aligned(byFeed ? feedRows(gone) : regionRows(gone)) + sum
  }

  private func feedRows(_ lines: [Line]) -> [[String]] {
    lines.map { line in
      [
        "  \(printable(FeedAddress.printable(line.feed.url)))", counted(line.articles, "article"),
        line.feed.rule,
      ]
    }
  }

  private func regionRows(_ lines: [Line]) -> [[String]] {
    var names: [String] = []
    var byName: [String: [Line]] = [:]
    for line in lines {
      for name in line.feed.regions.isEmpty ? ["(in no region)"] : line.feed.regions {
        if byName[name] == nil { names.append(name) }
        byName[name, default: []].append(line)
      }
    }
    return names.sorted().map { name in
      let lines = byName[name] ?? []
      return [
        "  \(printable(name))", counted(lines.count, "feed"),
        counted(lines.reduce(0) { $0 + $1.articles }, "article"), Self.rules(lines),
      ]
    }
  }

  /// The rules of some feeds, each once; of many some.
  private static func rules(_ lines: [Line]) -> String {
    var rules: [String] = []
    for line in lines where !rules.contains(line.feed.rule) {
      if rules.count == 2 { return rules.joined(separator: "; ") + "; …" }
      rules.append(line.feed.rule)
    }
    return rules.joined(separator: "; ")
  }

  /// An object for each feed, one a line.
  var json: String {
    lines.map { line in
      var object = JSONLine()
      object.add("feed", FeedAddress.printable(line.feed.url))
      object.add("regions", line.feed.regions)
      object.add("articles", line.articles)
      object.add("starred", line.starred)
      object.addRaw("deleted", isDone ? "true" : "false")
      object.add("keep_seconds", line.feed.retention.age.flatMap { Int(exactly: $0) })
      object.add("keep_last", line.feed.retention.count)
      object.add("from", line.feed.source)
      return object.line
    }.joined()
  }
}
