import Foundation
import HTTPDownload
import LoopbackServer
import ManagedContext
import NewsModel
import TestSupport
import Testing
import WebAddress

@testable import FeedImport

@Suite struct PlainAnswersTests {
  private let store: NewsStore
  private let options = ImportOptions(userAgent: "test")

  init() throws {
    store = try NewsStore()
  }

  /// Every kind of answer without articles, moves and descriptions.
  private func answers(to request: FeedRequest) -> [FeedAnswer] {
    var answers: [FeedAnswer] = []
    for status in [304, 200, 404, 410, 429, 503] {
      for hasValidators in [false, true] {
        var head = ResponseHead(status: status, address: request.address)
        if hasValidators { (head.etag, head.lastModified) = (Array("\"new\"".utf8), Array("Monday".utf8)) }
        if status == 503 { head.retryAfter = "120" }
        let outcome = status < 400 ? FetchOutcome.unchanged : .failed
        var answer = FeedAnswer(outcome: outcome, date: Date(timeIntervalSince1970: 1_800_000_000))
        answer.summary = DownloadSummary(head: head)
        if status == 200 {
          answer.saved = .init(
            etag: head.etag, lastModified: head.lastModified, hash: hasValidators ? 7 : nil)
        } else if status != 304 {
          answer.failure = PollFailure(status: status)
          answer.isGone = status == 410
        }
        answer.plan(request, options)
        answers.append(answer)
      }
    }
    var unanswered = FeedAnswer(outcome: .failed, date: Date(timeIntervalSince1970: 1_800_000_000))
    unanswered.failure = PollFailure(transfer: .hostSilent(transfers: 4, proxy: nil))
    unanswered.plan(request, options)
    return answers + [unanswered]
  }

  /// Fills a feed's row with values that answers replace.
  private func fill(_ feed: Feed, fetches: Int) {
    (feed.failures, feed.fetches) = (3, fetches)
    (feed.etag, feed.lastModified, feed.bodyHash) = (Array("\"old\"".utf8), Array("Sunday".utf8), 5)
    feed.validatorsURL = "http://a.example/feed"
    (feed.notBefore, feed.pausedURL) = (Date(timeIntervalSince1970: 5), feed.validatorsURL)
    feed.lastFailure = PollFailure(status: 500)
    feed.nextReason = PollReason(.silentProxy, count: 4, proxy: "http://proxy.example")
    (feed.title, feed.ownTitle, feed.timeToLive) = ("Title", "Own title", 60)
  }

  @Test func `an answer writes the same values with and without an object`() async throws {
    try await store.add(["http://a.example/feed", "http://b.example/feed"])
    for place in answers(to: try #require(try await store.requests().first)).indices {
      try await store.perform { (source) throws(StoreError) in
        for feed in try source.context.fetch(FetchRequest(Feed.self)) { fill(feed, fetches: place) }
      }
      let requests = try await store.requests()
      let answer = answers(to: requests[0])[place]
      #expect(answer.isPlain(requests[0]))
      try await store.perform { (source) throws(StoreError) in
        let feed = try source.context.existingObject(Feed.self, with: requests[0].feed)
        answer.apply(requests[0], to: feed, in: source.context)
        try source.context.save()
        var answers = PlainAnswers()
        answers.append(answer, of: requests[1])
        _ = try answers.push(in: source.context)
      }
      let feeds = try await rows(
        FetchRequest(Feed.self), of: NewsModel.Place.feed, without: [Feed.schema.url.index])
      #expect(feeds[0] == feeds[1], "HTTP \(answer.summary?.head.status ?? 0)")
      let log = try await rows(
        FetchRequest(FetchRecord.self), of: NewsModel.Place.fetchRecord,
        without: [FetchRecord.schema.feed.index]
      )
      #expect(log.count == 2 * (place + 1) && Set(log).count == place + 1)
    }
  }

  /// Returns the values of all rows of a class, except some attributes.
  private func rows<Object: ManagedObject>(
    _ request: FetchRequest<Object>, of entity: EntityIndex, without left: Set<Int>
  ) async throws -> [[AttributeValue]] {
    try await store.perform { (source) throws(StoreError) in
      let model = source.context.model
      let columns = model[entity].attributes.indices.filter { !left.contains($0) }
      let rows = try source.context.rows(request, columns: columns)
      return (0..<rows.count).map { row in
        columns.indices.map { rows.value(row: row, column: $0, model: model) }
      }
    }
  }

  @Test
  func `answers without news are saved together, and one feed that has changed does not harm the others`()
    async throws
  {
    let server = try LoopbackHTTPServer { request in
      request.path == "/missing" ? .status(404, "Not Found") : .status(304, "Not Modified")
    }
    defer { server.stop() }
    let paths = (0..<20).map { "/\($0)" } + ["/missing"]
    try await store.add(paths.map { server.url($0) })
    try await store.perform { (source) throws(StoreError) in
      for feed in try source.context.fetch(FetchRequest(Feed.self)) { feed.etag = Array("\"1\"".utf8) }
    }
    let requests = try await store.requests()
    try await store.perform { (source) throws(StoreError) in
      let feeds = try source.context.fetch(FetchRequest(Feed.self))
      feeds[3].title = "Mine"
      source.context.delete(feeds[5])
    }
    let end = try await FeedImporter(root: store.root, options: options).run(requests)
    #expect(end.unsaved.isEmpty && Array(end.removed.keys) == [requests[5].feed])
    let feeds = try await store.feeds()
    #expect(feeds.count == 20 && feeds.allSatisfy { $0.fetches == 1 })
    #expect(feeds[3].title == "Mine")
    #expect(feeds.filter { $0.outcome == .failed }.map(\.url) == [server.url("/missing")])
    #expect(feeds.filter { $0.outcome == .unchanged }.count == 19)
  }
}
