import Corpus
import FeedImport
import FeedParsing
import Foundation
import ManagedContext
import NewsModel

/// Makes rows of the articles of all feeds.
enum RowsStage {
  static func run(_ corpus: CorpusFolder, _ stopwatch: inout Stopwatch) throws -> (bytes: Int, rows: Int) {
    var rows = 0
    let bytes = try RowSource.read(corpus.files(.first), timedBy: { try stopwatch.measure($0) }) { _, batch in
      rows += batch.rows.count
    }
    return (bytes, rows)
  }
}

/// The rows that an import into an empty store makes of files.
enum RowSource {
  /// The articles are of that time, whenever they are measured.
  private static let now = Date(timeIntervalSince1970: 1_720_000_000)

  /// - Parameters:
  ///   - feeds: The feed of each file; without them those of a store that gives its first keys to them.
  ///   - timedBy: Runs the work of making rows, without that of the parser.
  /// - Returns: The bytes of all files.
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
      // Nobody else may refer to the articles, whose arena would be copied then.
      try timed { if let items = batch.take() { rows = try articles?.rows(of: items) ?? [] } }
      for batch in rows { try body(place, batch) }
    }
  }
}
