import Foundation
import LoopbackServer
import ManagedContext
import NewsModel
import TestSupport
import Testing
import Threading
import WebAddress

@testable import FeedImport

/// What other processes do between the question what waits for hooks and the deletion.
@Suite struct ArticleDeletionTests {
  /// Hooks that wait for articles by their numbers, and what happens after the question.
  private struct Hooks: WaitingArticles {
    var waiting: @Sendable (ManagedObjectID) -> Bool = { _ in false }
    var meanwhile: @Sendable () throws -> Void = {}

    @MainActor func events(of articles: [ManagedObjectID]) throws(StoreError) -> [WaitingEvent] {
      let events = articles.filter(waiting).map {
        WaitingEvent(hook: "h", token: "\($0.key).1", article: $0, changed: Date(timeIntervalSince1970: 1))
      }
      do { try meanwhile() } catch { Issue.record(error) }
      return events
    }
  }

  private let store: NewsStore
  private let server: LoopbackHTTPServer

  init() async throws {
    store = try NewsStore()
    server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 5)) }
    try await store.add([server.url("/a"), server.url("/b")])
    try await store.fetch()
  }

  private func selection(_ feed: ManagedObjectID) async throws -> [RowVersion] {
    let pruning = Pruning(feed: feed, retention: Retention(count: 1), now: Date())
    return try await store.perform { (source) throws(StoreError) in
      try pruning.selection(in: source.context).articles
    }
  }

  /// Edits an article as another process does.
  private static func edit(_ article: ManagedObjectID, in store: NewsStore) throws {
    let context = ManagedObjectContext(
      parent: PersistentStoreCoordinator(model: NewsModel.model, store: store.store))
    let object = try context.existingObject(Article.self, with: article)
    object.guid += " edited"
    try context.save()
  }

  private func failures() async throws -> [[String]] {
    try await store.perform { (source) throws(StoreError) in
      try source.context.fetch(FetchRequest(HookFailure.self)).map {
        [$0.event, "\($0.article ?? 0)", "\($0.attempts)"]
      }
    }
  }

  @Test func `an article that is edited after the question stays`() async throws {
    defer { server.stop() }
    let chosen = try await selection(try #require(try await store.feedIDs().first))
    #expect(chosen.count == 4)
    let edited = try #require(chosen.last?.id)
    let hooks = Hooks(meanwhile: { [store] in try Self.edit(edited, in: store) })
    let result = try await store.deletion(sparing: hooks).delete(chosen, at: Date())
    #expect(result.deleted == Set(chosen.dropLast().map(\.id)))
    #expect(try await store.articles().map(\.guid).contains { $0.hasSuffix(" edited") })
  }

  @Test func `an article that waits for a hook stays`() async throws {
    defer { server.stop() }
    let chosen = try await selection(try #require(try await store.feedIDs().first))
    let waiting = try #require(chosen.first?.id)
    let result = try await store.deletion(sparing: Hooks(waiting: { $0 == waiting })).delete(
      chosen, at: Date())
    #expect(result.spared == [waiting] && result.deleted == Set(chosen.dropFirst().map(\.id)))
    #expect(try await store.articles().count == 7)
    #expect(try store.root.count(StoreQuery(entity: NewsModel.Place.tombstone)) == 3)
  }

  @Test func `a feed is removed with an article that another process saves after the question`() async throws
  {
    defer { server.stop() }
    let feed = try #require(try await store.feedIDs().first)
    let saved = Counter()
    let hooks = Hooks(
      waiting: { _ in true },
      meanwhile: { [store] in
        saved.increment()
        guard saved.value == 1 else { return }
        let context = ManagedObjectContext(
          parent: PersistentStoreCoordinator(model: NewsModel.model, store: store.store))
        var rows = RowBatch(
          entity: NewsModel.Place.article,
          columns: [
            Article.schema.feed.index, Article.schema.guid.index, Article.schema.contentHash.index,
            Article.schema.timelineDate.index, Article.schema.imported.index, Article.schema.edits.index,
          ])
        rows.beginRow()
        rows.append(integer: feed.key)
        rows.append(text: "late")
        for _ in 0..<4 { rows.append(integer: 1) }
        context.insert(BatchUpsert(rows))
        try context.save()
      })
    try await FeedRemoval.remove([feed], by: store.deletion(sparing: hooks))
    #expect(try await store.feeds().map(\.url) == [server.url("/b")])
    #expect(try await store.articles().count == 5)
    // The hooks report the loss.
    #expect(try await failures().count == 6)
  }

  @Test func `what waits for an article that a merge deletes waits for its copy`() async throws {
    defer { server.stop() }
    let feeds = try await store.feedIDs()
    let old = try #require(feeds.first)
    try await store.perform { [server] (source) throws(StoreError) in
      for feed in try source.feeds() where feed.id == old { feed.movedTo = WebAddress(server.url("/b")) }
    }
    let (first, copies) = try await store.perform { (source) throws(StoreError) in
      (
        try source.context.fetchIDs(FetchRequest(Article.self, where: \.feed == old)).map(\.key),
        try source.context.fetchIDs(FetchRequest(Article.self, where: !(\.feed == old))).map(\.key)
      )
    }
    let waiting = try #require(first.first)
    let moves = try await FeedMoves.settle(
      [old], by: store.deletion(sparing: Hooks(waiting: { $0.key == waiting })))
    #expect(moves.map(\.isMerged) == [true])
    #expect(try await store.articles().count == 5)
    let rows = try await failures()
    #expect(rows.count == 1 && rows[0][0] == "\(waiting).1" && rows[0][2] == "0")
    #expect(copies.contains(Int64(rows[0][1]) ?? 0))
  }
}
