import Corpus
import FeedImport
import Foundation
import ManagedContext
import NewsModel
import SQLiteStore

enum StoreStages {
  /// Writes the rows of all feeds into a new store.
  static func commit(
    _ corpus: CorpusFolder, work: String, _ stopwatch: inout Stopwatch
  ) throws -> (bytes: Int, rows: Int) {
    let file = try NewsFile(newAt: work + "/commit.db")
    let feeds = try file.addFeeds(corpus.corpus.size.feeds)
    var group = CommitGroup()
    var rows = 0
    stopwatch.measure { file.store.beginBulkLoad() }
    let bytes = try RowSource.read(corpus.files(.first), feeds: feeds) { _, batch in
      rows += batch.rows.count
      let changes = group.add(batch)
      if !changes.isEmpty { try stopwatch.measure { try file.store.commit(changes) } }
    }
    try stopwatch.measure {
      try file.store.commit(group.takeAll())
      file.store.endBulkLoad()
      try file.store.close()
    }
    return (bytes, rows)
  }

  /// Merges the saves of an import into a context that has all feeds: new articles, and each feed's result.
  static func merge(
    _ corpus: CorpusFolder, work: String, _ stopwatch: inout Stopwatch
  ) throws -> (bytes: Int, rows: Int) {
    let file = try NewsFile(newAt: work + "/merge.db")
    let feeds = try file.addFeeds(corpus.corpus.size.feeds)
    var articles = try fill(file, corpus, feeds)
    let writer = ManagedObjectContext(parent: file.coordinator)
    let main = ManagedObjectContext(parent: file.coordinator)
    let shown = try DataSource(main).feeds()
    let rows = articles.count
    // About the number of feeds that an import saves in a second, the interval between merges.
    let step = 500
    try withExtendedLifetime(shown) {
      for start in stride(from: 0, to: feeds.count, by: step) {
        let some = Array(feeds[start..<min(start + step, feeds.count)])
        for feed in try writer.fetch(FetchRequest(Feed.self, where: .ids(some))) { feed.lastFetch = Date() }
        var changes = try writer.save()
        writer.reset()
        let share = start + step >= feeds.count ? articles.count : rows * some.count / feeds.count
        changes.inserted.formUnion(ManagedObjectIDSet(articles.suffix(share)))
        articles.removeLast(share)
        try stopwatch.measure { try main.mergeChanges(from: changes) }
      }
    }
    return (0, rows)
  }

  /// Looks up the known articles of each feed in a store that has all of them.
  static func lookUp(
    _ corpus: CorpusFolder, work: String, _ stopwatch: inout Stopwatch
  ) throws -> (bytes: Int, rows: Int) {
    let path = work + "/lookup.db"
    let writer = try NewsFile(newAt: path)
    let feeds = try writer.addFeeds(corpus.corpus.size.feeds)
    _ = try fill(writer, corpus, feeds)
    try writer.store.close()
    let file = try NewsFile(path: path)
    var rows = 0
    for feed in feeds {
      try stopwatch.measure {
        rows += try KnownArticles(of: feed, in: file.context).count
      }
    }
    return (0, rows)
  }

  /// Writes all articles.
  ///
  /// - Returns: Their IDs.
  private static func fill(
    _ file: NewsFile, _ corpus: CorpusFolder, _ feeds: [ManagedObjectID]
  ) throws -> [ManagedObjectID] {
    var group = CommitGroup()
    var articles: [ManagedObjectID] = []
    file.store.beginBulkLoad()
    _ = try RowSource.read(corpus.files(.first), feeds: feeds) { _, batch in
      articles += try file.store.commit(group.add(batch))
    }
    articles += try file.store.commit(group.takeAll())
    file.store.endBulkLoad()
    return articles
  }
}
