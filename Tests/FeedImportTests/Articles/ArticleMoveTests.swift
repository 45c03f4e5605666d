import FeedImport
import Foundation
import LoopbackServer
import ManagedContext
import NewsModel
import TestSupport
import Testing

/// Articles that are copied to another store, and what others change before they are deleted.
@Suite struct ArticleMoveTests {
  private let store: NewsStore
  private let target: NewsStore
  private let server: LoopbackHTTPServer
  /// The number of edits of the first item.
  private let edits = Counter()

  init() async throws {
    (store, target) = (try NewsStore(), try NewsStore())
    let edits = edits
    server = try LoopbackHTTPServer { _ in
      .ok(TestFeed.rss((1...5).map { ("item-\($0)", $0 == 1 ? "Title \(edits.value)" : "Title") }))
    }
    try await store.add([server.url("/a")])
    try await store.fetch()
  }

  /// A page of articles, and those of them that the other store has.
  private typealias Copy = (move: ArticleMove, written: Set<ManagedObjectID>)

  private func copied() async throws -> Copy {
    let move = try await store.perform { (source) throws(StoreError) in
      try ArticleMove(try source.context.fetchIDs(FetchRequest(Article.self)), in: source.context)
    }
    let written = try await target.perform { (source) throws(StoreError) in
      try move.write(in: source.context)
    }
    return (move, written)
  }

  private func delete(_ copy: Copy) async throws -> Int {
    try await copy.move.delete(copy.written, at: Date(), by: store.deletion()).deleted.count
  }

  private func mark(_ guid: String, _ mark: ArticleMark) async throws {
    try await store.perform { (source) throws(StoreError) in
      _ = try source.setMark(mark, true, where: .among(\.guid, [guid]))
    }
  }

  @Test func `what others change after the copy stays`() async throws {
    defer { server.stop() }
    let move = try await copied()
    edits.increment()
    try await store.fetch()
    try await mark("item-2", .starred)
    try await mark("item-3", .read)
    #expect(try await delete(move) == 2)
    #expect(try await store.articles().map(\.guid).sorted() == ["item-1", "item-2", "item-3"])
    #expect(try await target.articles().count == 5)
  }

  @Test func `the versions of an article move with it, also when it is copied again`() async throws {
    defer { server.stop() }
    for _ in 1...2 {
      edits.increment()
      try await store.fetch()
    }
    _ = try await copied()
    edits.increment()
    try await store.fetch()
    let titles = { (store: NewsStore) throws -> [[AttributeValue]] in
      try store.store.fetch(StoreQuery(entity: NewsModel.Place.article)).keys.map { key in
        let id = ManagedObjectID(entity: NewsModel.Place.article, store: store.store.number, key: key)
        let versions = try store.store.versions(of: id)
        return try versions.map { try store.store.values(ofVersion: $0.number, of: id)[0] }
      }
    }
    let before = try titles(store)
    #expect(before.contains([.text("Title 0"), .text("Title 1"), .text("Title 2")]))
    #expect(try await delete(try await copied()) == 5)
    #expect(Set(try titles(target)) == Set(before))
    #expect(try titles(store) == [])
  }

  @Test func `only what was written to the other store is deleted`() async throws {
    defer { server.stop() }
    let copy = try await copied()
    #expect(copy.written.count == 5)
    #expect(try await delete((copy.move, Set(copy.written.prefix(2)))) == 2)
    #expect(try await store.articles().count == 3)
  }

  @Test func `a copy that is made again replaces the first one`() async throws {
    defer { server.stop() }
    _ = try await copied()
    edits.increment()
    try await store.fetch()
    try await mark("item-2", .read)
    let move = try await copied()
    #expect(try await delete(move) == 5)
    let copies = try await target.articles()
    #expect(copies.count == 5 && copies.contains { $0.title == "Title 1" })
    #expect(try target.root.count(StoreQuery(entity: NewsModel.Place.readMark)) == 1)
    #expect(try await target.feeds().map(\.url) == [server.url("/a")])
  }
}
