import Corpus
import FeedImport
import FeedParsing
import Foundation
import ManagedContext
import NewsModel

/// Creates rows from the articles of all feeds.
enum RowsStage {
  static func run(_ corpus: CorpusFolder, _ stopwatch: inout Stopwatch) throws -> (bytes: Int, rows: Int) {
    // A program has made its model before it reads articles.
    _ = NewsModel.model
    var rows = 0
    let bytes = try RowSource.read(corpus.files(.first), timedBy: { try stopwatch.measure($0) }) { _, batch in
      rows += batch.rows.count
    }
    return (bytes, rows)
  }
}

/// Creates the rows of an import of files into an empty store.
enum RowSource {
  /// A fixed time of the import, so that results do not depend on the clock.
  private static let now = Date(timeIntervalSince1970: 1_720_000_000)

  /// - Parameters:
  ///   - feeds: The feed of each file; nil assumes a store that gives its first keys to them.
  ///   - timedBy: Runs the creation of rows, without the parser's work.
  /// - Returns: The size of all files, in bytes.
  static func read(
    _ files: [String], feeds: [ManagedObjectID]? = nil,
    timedBy timed: (() throws -> Void) throws -> Void = { try $0() },
    _ body: (Int, BatchUpsert) throws -> Void
  ) throws -> Int {
    var current = -1
    var articles: ArticleRows?
    return try ItemReader.read(files) { place, items in
      if place != current {
        let feed =
          feeds?[place] ?? ManagedObjectID(entity: NewsModel.Place.feed, store: .none, key: Int64(place + 1))
        articles = ArticleRows(feed: feed, known: KnownArticles(), now: now)
        current = place
      }
      guard !items.items.isEmpty else { return }
      var batch: ParsedItemBatch? = items
      var rows: [BatchUpsert] = []
      // The articles must have no second reference, or their arena would be copied.
      try timed { if let items = batch.take() { rows = try articles?.rows(of: items) ?? [] } }
      for batch in rows { try body(place, batch) }
    }
  }
}
