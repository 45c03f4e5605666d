import FeedImport
import Foundation
import GRDB
import ManagedContext
import NewsModel
import ParserLaws
import SQLiteStore
import WebAddress

/// A small store in a temporary file, which the laws damage and restore.
struct FuzzedStore {
  let path: String

  private static let identity = StoreIdentity(
    applicationID: NewsModel.applicationID, views: NewsModel.views(.sqlite),
    conversions: NewsModel.conversions, computedColumns: NewsModel.computedColumns,
    functions: [NewsModel.storyKey: StoryKey.of])
  static let guids = ["one", "two", "three"]

  /// Creates a store with a region, two feeds and three articles.
  init() throws {
    let folder = NSTemporaryDirectory() + "newsimport-fuzz-\(getpid())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    path = folder + "/news.sqlite"
    for ending in Self.endings { try? FileManager.default.removeItem(atPath: path + ending) }
    let store = try open()
    let context = ManagedObjectContext(
      parent: PersistentStoreCoordinator(model: NewsModel.model, store: store))
    let feeds = ["a", "b"].map { name -> Feed in
      let feed = context.insert(Feed.self)
      feed.url = .init("http://example.org/\(name)")
      return feed
    }
    let region = context.insert(Region.self)
    region.name = "world"
    region.feeds = feeds
    for guid in Self.guids {
      let article = context.insert(Article.self)
      (article.feed, article.guid) = (feeds[0].id, guid)
      article[Article.schema.title] = "The title of \(guid)"
    }
    try context.save()
    try store.close()
  }

  static let endings = [
    "", "-wal", "-shm", "-journal", ".search", ".search-wal", ".search-shm", ".search-journal",
  ]

  func open() throws -> SQLiteStore {
    try SQLiteStore(path: path, model: NewsModel.model, identity: Self.identity)
  }

  func openReadOnly() throws -> SQLiteStore {
    try SQLiteStore(readOnlyPath: path, model: NewsModel.model, identity: Self.identity)
  }
}
