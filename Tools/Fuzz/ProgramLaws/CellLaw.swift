import ArticleDocuments
import Foundation
import GRDB
import ManagedContext
import NewsModel
import ParserLaws
import SQLiteStore
import TextSearch

/// The law of cells: whatever another program has written into the tables, reading returns values or an error.
enum CellLaw {
  /// Each five bytes are a change: the table, the column, the row, the type, and the number of the following bytes that are the
  /// value.
  static func check(_ input: [UInt8]) throws(Law.Violation) -> Bool {
    guard input.count >= 5 else { return false }
    do {
      let file = try FuzzedStore()
      try change(file, input)
      let store = try file.openReadOnly()
      defer { try? store.close() }
      try read(
        DataSource(
          ManagedObjectContext(parent: PersistentStoreCoordinator(model: NewsModel.model, store: store))))
      for line in try store.findings().damage { try expect(!line.isEmpty, "damage has a description") }
    } catch let violation as Law.Violation {
      throw violation
    } catch is StoreError {
      return true
    } catch {
      throw Law.Violation("the store cannot be made: \(error)")
    }
    return true
  }

  private static func change(_ file: FuzzedStore, _ input: [UInt8]) throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let queue = try DatabaseQueue(path: file.path, configuration: configuration)
    defer { try? queue.close() }
    var rest = input[...]
    while rest.count >= 5 {
      let head = Array(rest.prefix(5)).map(Int.init)
      let bytes = Array(rest.dropFirst(5).prefix(head[4]))
      rest = rest.dropFirst(5 + bytes.count)
      let entity = NewsModel.model.entities[head[0] % NewsModel.model.entities.count]
      let columns = entity.attributes.map(\.name) + ["version"]
      // A value that a rule of the table forbids is not written.
      try? queue.write { db in
        try db.execute(
          sql: "UPDATE \"\(entity.name)\" SET \"\(columns[head[1] % columns.count])\" = ? WHERE id = ?",
          arguments: [value(bytes, type: head[3]), 1 + head[2] % 3])
      }
    }
  }

  private static func value(_ bytes: [UInt8], type: Int) -> DatabaseValue {
    let number = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    switch type % 5 {
    case 0: return .null
    case 1: return Int64(bitPattern: number).databaseValue
    case 2: return Double(bitPattern: number).databaseValue
    case 3: return String(decoding: bytes, as: UTF8.self).databaseValue
    default: return Data(bytes).databaseValue
    }
  }

  private static func read(_ source: DataSource) throws {
    _ = try source.counts()
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    for feed in try source.feeds() {
      _ = (
        feed.currentURL, feed.shownTitle, feed.lastFailure, feed.nextReason, feed.movedTo, feed.etag,
        feed.lastModified
      )
      _ = (feed.homePage, feed.bodyHash, feed.lastStatus, feed.nextFetch, feed.scheduledAt)
      _ = (
        try source.regions(of: feed).map(\.name), try source.brokenSince([feed]),
        feed.formerAddresses.map(\.url)
      )
      for record in try source.log(of: feed) { _ = (record.date, record.outcome) }
    }
    _ = try source.pausedFeeds(at: now)
    for region in try source.regions() {
      for feed in try source.schedules(of: region) {
        _ = (feed.currentURL, feed.nextReason, feed.hasFailed, feed.scheduleDate)
      }
    }
    for number in 1...3 {
      guard let id = source.articleID(Int64(number)), let article = try source.articles([id]).first else {
        continue
      }
      _ = (article.guid, article.title, article.summary, article.contentHTML, article.authors, article.tags)
      _ = ArticleSearch.texts(of: article)
      _ = try source.feed(of: article)?.url
    }
  }
}
