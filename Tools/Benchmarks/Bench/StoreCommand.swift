import ArgumentParser
import Foundation
import ManagedContext
import NewsModel
import SQLiteStore

/// Creates a store with many articles of feeds that are never polled.
struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Writes a store with many small articles.")

  @Argument var path: String
  @Option(help: "The number of articles.") var articles = 5_000_000
  @Option(help: "The number of feeds.") var feeds = 20_000
  @Option(help: "The size of each article's HTML, in bytes.") var body = 500

  func run() throws {
    let folder = (path as NSString).deletingLastPathComponent
    if !folder.isEmpty {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    let file = try NewsFile(newAt: path)
    let ids = try file.addFeeds(max(1, feeds))
    file.context.reset()
    file.store.beginBulkLoad()
    let rows = SmallArticles(body: body)
    var number = 0
    while number < articles {
      var group = CommitGroup()
      var changes: [ChangeSet] = []
      // Articles are added feed by feed, as by first imports.
      while changes.isEmpty, number < articles {
        let feed = number / perFeed
        let end = min(articles, (feed + 1) * perFeed, number + 1000)
        changes = group.add(rows.batch(of: ids[min(feed, ids.count - 1)], numbers: number..<end))
        number = end
      }
      try file.store.commit(changes.isEmpty ? group.takeAll() : changes)
    }
    file.store.endBulkLoad()
    try file.store.close()
    print("\(path): \(articles) articles of \(feeds) feeds")
  }

  private var perFeed: Int { max(1, (articles + feeds - 1) / max(1, feeds)) }
}

/// Rows of articles that differ only slightly.
struct SmallArticles {
  private let text: [UInt8]
  private static let columns = [
    Article.schema.feed.index, Article.schema.guid.index, Article.schema.contentHash.index,
    Article.schema.timelineDate.index,
    Article.schema.published.index, Article.schema.imported.index, Article.schema.edits.index,
    Article.schema.url.index,
    Article.schema.title.index, Article.schema.contentHTML.index,
  ]

  init(body: Int) {
    let sentence = "<p>A small article, as there are many in a store that has been filled for years.</p>\n"
    text = Array(String(repeating: sentence, count: body / sentence.utf8.count + 1).utf8.prefix(body))
  }

  func batch(of feed: ManagedObjectID, numbers: Range<Int>) -> BatchUpsert {
    var rows = RowBatch(entity: NewsModel.Place.article, columns: Self.columns, bytes: text)
    for number in numbers {
      let date = Int64(1_400_000_000 + number * 60)
      rows.beginRow()
      rows.append(integer: feed.key)
      rows.append(text: "https://old.example.org/?p=\(number)")
      rows.append(integer: Int64(number) &* 0x5851_F42D_4C95_7F2D)
      rows.append(integer: date)
      rows.append(integer: date)
      rows.append(integer: date)
      rows.append(integer: 0)
      rows.append(text: "https://old.example.org/articles/\(number)/")
      rows.append(text: "An article of long ago, number \(number)")
      rows.append(RowBatch.Cell.text(offset: 0, count: UInt32(text.count)))
    }
    return BatchUpsert(rows)
  }
}
