import Foundation
import GRDB
import ManagedContext
import ManagedContextTesting
import NewsModel
import TestSupport
import Testing

@Suite struct ArticleOrderTests {
  private let store: NewsStore

  /// The region `world` has feeds 1 and 2, `tech` has feed 3. Each feed has ten articles. Higher numbers are newer,
  /// except articles of the same minute.
  init() async throws {
    store = try NewsStore()
    try await store.add(["https://a.example/", "https://b.example/"])
    try await store.perform { (source) throws(StoreError) in
      _ = try source.add(["https://c.example/"], toRegionNamed: "tech")
    }
    let rows = (1...30).map { "(\($0), 1, \($0 % 3 + 1), 'g\($0)', 0, \($0 / 4 * 60), 0, 0)" }
    try run("INSERT INTO article (\(Self.columns)) VALUES \(rows.joined(separator: ", "))")
  }

  private static let columns = "id, version, feed_id, guid, content_hash, timeline, imported, edits"

  private func run(_ sql: String) throws {
    if let server = store.server {
      _ = try server.rows(sql)
    } else {
      try DatabaseQueue(path: store.path).write { try $0.execute(sql: sql) }
    }
  }

  private func newest(_ limit: Int?, of region: String) async throws -> [Int64] {
    try await store.perform { (source) throws(StoreError) in
      var keys: [Int64] = []
      var choice = ArticleChoice(region: region)
      choice.limit = limit
      try source.forEachArticle(choice) {
        keys.append($0.article.id.key)
        return true
      }
      return keys
    }
  }

  @Test func `the number of queries does not depend on the number of feeds`() async throws {
    func queries() throws -> Int {
      let counting = TestStore(store.store)
      let coordinator = PersistentStoreCoordinator(model: NewsModel.model, store: counting)
      let source = DataSource(ManagedObjectContext(parent: coordinator))
      try source.forEachArticle(ArticleChoice()) { $0.feed?.url != nil }
      return counting.readCount()
    }
    try run("UPDATE article SET feed_id = 1")
    let ofOne = try queries()
    try run("UPDATE article SET feed_id = id % 3 + 1")
    #expect(try queries() == ofOne)
  }

  @Test(arguments: [1, 4, 7, 100])
  func `the newest articles of a region are returned in order from small and large stores`(limit: Int)
    async throws
  {
    let world = (1...30).reversed().filter { $0 % 3 != 2 }.map(Int64.init)
    let tech = (1...30).reversed().filter { $0 % 3 == 2 }.map(Int64.init)
    #expect(try await newest(limit, of: "world") == Array(world.prefix(limit)))
    #expect(try await newest(limit, of: "tech") == Array(tech.prefix(limit)))
    // The store estimates its size by the number of the last row, here millions.
    try run("INSERT INTO article (\(Self.columns)) VALUES (9000000, 1, 3, 'last', 0, -1, 0, 0)")
    #expect(try await newest(limit, of: "world") == Array(world.prefix(limit)))
    #expect(try await newest(limit, of: "tech") == Array((tech + [9_000_000]).prefix(limit)))
    #expect(try await newest(limit, of: "none").isEmpty)
  }

  @Test(arguments: [1, 10, 12, nil])
  func `an article with a date in the future is listed at its import, on the first page too`(limit: Int?)
    async throws
  {
    try run("INSERT INTO article (\(Self.columns)) VALUES (31, 1, 1, 'early', 0, 4000000000, 200, 0)")
    var world = (1...30).reversed().filter { $0 % 3 != 2 }.map(Int64.init)
    world.insert(31, at: world.firstIndex { $0 / 4 * 60 < 200 } ?? 0)
    #expect(try await newest(limit, of: "world") == Array(world.prefix(limit ?? .max)))
  }

  @Test(arguments: [200, 201, 450, 1000])
  func `every article is returned once, over any number of pages`(limit: Int) async throws {
    let rows = (31...900).map { "(\($0), 1, 1, 'g\($0)', 0, \($0 * 60), 0, 0)" }
    try run("INSERT INTO article (\(Self.columns)) VALUES \(rows.joined(separator: ", "))")
    let world =
      (31...900).reversed().map(Int64.init) + (1...30).reversed().filter { $0 % 3 != 2 }.map(Int64.init)
    #expect(try await newest(limit, of: "world") == Array(world.prefix(limit)))
    #expect(try await newest(nil, of: "world") == world)
  }
}
