import Foundation
import GRDB
import LoopbackServer
import ManagedContext
import NewsModel
import TestSupport
import Testing

@Suite struct MarkTests {
  private let store: NewsStore

  /// Three articles in the region `world`.
  init() async throws {
    store = try NewsStore()
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 3)) }
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    try await store.fetch()
  }

  private func ids() async throws -> [ManagedObjectID] {
    try await store.perform { (source) throws(StoreError) in
      try source.context.fetchIDs(FetchRequest(Article.self))
    }
  }

  private func set(_ mark: ArticleMark, _ isSet: Bool, _ ids: [ManagedObjectID]) async throws -> Int {
    try await store.perform { (source) throws(StoreError) in try source.setMark(mark, isSet, where: .ids(ids))
    }
  }

  private func listed(_ marks: [ArticleMark: Bool]) async throws -> [Int64] {
    try await store.perform { (source) throws(StoreError) in
      var keys: [Int64] = []
      var choice = ArticleChoice(region: "world")
      choice.marks = marks
      try source.forEachArticle(choice) { visited in
        for (mark, isSet) in marks where visited.marks.contains(mark) != isSet { return false }
        keys.append(visited.article.id.key)
        return true
      }
      return keys.sorted()
    }
  }

  @Test(arguments: ArticleMark.allCases)
  func `setting or removing a mark repeatedly has an effect once`(mark: ArticleMark) async throws {
    let ids = try await ids()
    #expect(try await set(mark, true, Array(ids.prefix(2))) == 2)
    #expect(try await set(mark, true, ids) == 1)
    #expect(try await set(mark, true, ids) == 0)
    #expect(try await set(mark, false, [ids[1]]) == 1)
    #expect(try await set(mark, false, [ids[1]]) == 0)
    #expect(try await listed([mark: true]) == [ids[0].key, ids[2].key])
    #expect(try await listed([mark: false]) == [ids[1].key])
  }

  @Test(.disabled(if: TestServer.replacesFiles, "it reads the views of a file"))
  func `marks are independent of each other, and the view contains both`() async throws {
    let ids = try await ids()
    _ = try await set(.read, true, Array(ids.prefix(2)))
    _ = try await set(.starred, true, [ids[1]])
    #expect(try await listed([.read: true, .starred: false]) == [ids[0].key])
    let rows = try DatabaseQueue(path: store.path).read {
      try Row.fetchAll($0, sql: "SELECT read, starred FROM articles ORDER BY id")
    }
    #expect(rows.map { [$0["read"] as Int, $0["starred"] as Int] } == [[1, 0], [1, 1], [0, 0]])
  }

  @Test func `an edit of an article keeps its marks`() async throws {
    let ids = try await ids()
    _ = try await set(.read, true, ids)
    try await store.perform { (source) throws(StoreError) in
      try source.context.updateAll(Article.self, set: .set(\.contentHash, to: 1))
    }
    #expect(try await listed([.read: true]).count == 3)
  }
}
