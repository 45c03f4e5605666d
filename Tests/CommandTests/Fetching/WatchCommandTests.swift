import Foundation
import LoopbackServer
import ManagedContext
import NewsModel
import TestSupport
import Testing
import Threading

@testable import NewsCommand

@Suite struct WatchCommandTests {
  private let newsimport: CommandRun
  private let server: LoopbackHTTPServer
  /// The number of items in the feeds.
  private let count = Locked(0)

  init() async throws {
    newsimport = try CommandRun()
    let count = count
    server = try LoopbackHTTPServer { request in
      let items = (1...max(1, count.withLock { $0 })).map { ("\(request.path)-\($0)", "Title \($0)") }
      return .ok(TestFeed.rss(items))
    }
    _ = try await newsimport("region", "add", "world", server.url("/world"))
    _ = try await newsimport("region", "add", "tech", server.url("/tech"))
  }

  private var output: String { newsimport.folder.file("out") }

  private var lines: [String] {
    let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  /// Runs `watch` with its output in a file.
  private func watch(
    _ arguments: String, _ meanwhile: @Sendable (_ signal: (Int32) -> Void) async throws -> Void
  ) async throws -> Command.Result {
    try await Command.run(
      "/bin/sh", ["-c", "exec \(Command.builtProducts)/newsimport watch \(arguments) > \(output)"],
      environment: ["NEWSIMPORT_STORE": newsimport.store, "HOME": newsimport.folder.path, "TZ": "UTC"],
      meanwhile: meanwhile)
  }

  /// Fetches news repeatedly until the watcher has printed `wanted` articles.
  private func fetch(until wanted: Int) async throws {
    try await until("articles that watch prints", { lines.count >= wanted }) {
      count.withLock { $0 += 1 }
      _ = try await newsimport("fetch", "--all", "-q")
    }
  }

  @Test func `articles that another process saves are printed until SIGINT`() async throws {
    let result = try await watch("--json world") { signal in
      try await fetch(until: 3)
      signal(SIGINT)
    }
    #expect(result.status == 130 && result.err == "")
    let objects = try lines.map {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
    #expect(objects.allSatisfy { $0?["event"] as? String == "new" })
    #expect(objects.allSatisfy { ($0?["feed"] as? String)?.hasSuffix("/world") ?? false })
    let ids = objects.compactMap { $0?["id"] as? Int }
    #expect(Set(ids).count == objects.count, "each article once")
    server.stop()
  }

  @Test func `the removal and the return of a region are reported`() async throws {
    let errors = newsimport.folder.file("err")
    @Sendable func waitFor(_ words: String) async throws {
      // Each try is a process of some milliseconds, so this gives the watch about ten seconds.
      for _ in 0..<1000 {
        if try String(contentsOfFile: errors, encoding: .utf8).contains(words) { return }
        _ = try await newsimport("region", "list")
      }
      Issue.record("watch did not report: \(words)")
    }
    let result = try await watch("world tech 2> \(errors)") { signal in
      try await fetch(until: 1)
      _ = try await newsimport("region", "rename", "tech", "science")
      try await waitFor("tech: the region was removed or renamed")
      _ = try await newsimport("region", "rename", "science", "tech")
      try await waitFor("exists again")
      signal(SIGINT)
    }
    #expect(result.status == 130)
    #expect(
      try String(contentsOfFile: errors, encoding: .utf8) == """
        newsimport: tech: the region was removed or renamed; a new one of that name will be watched
        newsimport: tech: the region exists again, and is watched

        """)
    server.stop()
  }

  @Test func `a closed pipe ends watch quietly`() async throws {
    let result = try await Command.run(
      "/bin/sh",
      [
        "-c",
        """
        { \(Command.builtProducts)/newsimport watch; echo $? > \(output).status; } | { head -1; } > \(output)
        """,
      ],
      environment: ["NEWSIMPORT_STORE": newsimport.store, "HOME": newsimport.folder.path, "TZ": "UTC"]
    ) { _ in try await fetch(until: 1) }
    #expect(result.status == 0 && result.err == "")
    #expect(try String(contentsOfFile: output + ".status", encoding: .utf8) == "0\n")
    #expect(lines.count == 1 && lines[0].contains("Test feed"))
    server.stop()
  }

  @Test func `a store that is removed ends watch`() async throws {
    let result = try await watch("") { _ in
      try await fetch(until: 1)
      for ending in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: newsimport.store + ending)
      }
    }
    #expect(result.status == 66)
    #expect(result.err == "newsimport: \(newsimport.store): the store was removed or replaced\n")
    server.stop()
  }

  @Test func `an unknown region and a missing store are reported`() async throws {
    let region = try await newsimport("watch", "wrld")
    #expect(
      region == .init(status: 66, out: "", err: "newsimport: wrld: no such region; did you mean world?\n"))
    let store = try await newsimport("watch", "--store", newsimport.folder.file("none.db"))
    #expect(store.status == 66 && store.out == "")
    server.stop()
  }

  @MainActor
  @Test func `what could not be read of changes is seen with the next ones`() async throws {
    let woken = Locked(false)
    var options = StoreOptions()
    options.store = newsimport.store
    let store = try WatchedStore(options) { woken.withLock { $0 = true } }
    _ = try await newsimport("fetch", "world", "-q")
    try await until("the change of the store", { woken.withLock { $0 } })
    let changes = store.takeNews()
    let articles = ArticleNews(changes, all: false).articles
    #expect(articles.count == 1 && store.takeNews().isEmpty)
    store.putBack(changes, of: articles)
    #expect(ArticleNews(store.takeNews(), all: false).articles == articles)
    store.putBack(changes, of: [])
    #expect(store.takeNews().isEmpty)
    server.stop()
  }
}

@Suite struct ArticleNewsTests {
  private func article(_ key: Int64) -> ManagedObjectID {
    ManagedObjectID(entity: NewsModel.Place.article, store: .none, key: key)
  }

  @Test
  func `new, edited and otherwise changed articles are distinguished, in the order in which they were saved`()
  {
    let dates = AttributeSet(indexes: [Article.schema.contentHash.index, Article.schema.published.index])
    let volatile = dates.union(AttributeSet(index: Article.schema.contentHTML.index))
    let markup = volatile.union(AttributeSet(index: Article.schema.story.index))
    let content = markup.union(AttributeSet(index: Article.schema.edits.index))
    let changes = ContextChanges(
      inserted: [article(9), ManagedObjectID(entity: NewsModel.Place.fetchRecord, store: .none, key: 1)],
      updated: [
        article(4): content, article(5): AttributeSet(index: Article.schema.feed.index), article(6): dates,
        article(7): markup, article(8): volatile,
        ManagedObjectID(entity: NewsModel.Place.feed, store: .none, key: 1): content,
      ])
    let news = ArticleNews(changes, all: false)
    #expect(news.articles == [article(4), article(9)])
    #expect(news.event(of: article(4)) == .changed(.edit) && news.event(of: article(9)) == .new)
    let all = ArticleNews(changes, all: true)
    #expect(all.articles == [4, 6, 7, 9].map(article))
    #expect(all.event(of: article(6)) == .changed(.dates) && all.event(of: article(7)) == .changed(.markup))
  }
}
