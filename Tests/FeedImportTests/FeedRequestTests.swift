import Foundation
import HTTPDownload
import ManagedContext
import NewsModel
import TestSupport
import Testing
import WebAddress

@testable import FeedImport

@Suite struct FeedRequestTests {
  private func request(_ url: String) async throws -> FeedRequest {
    let store = try NewsStore()
    try await store.add([url])
    return try #require(try await store.requests().first)
  }

  @Test(arguments: [
    ("https://a.example/feed", "https://A.example:443/feed#top", true),
    ("http://a.example", "HTTP://a.example:80/", true),
    ("http://a.example/feed", "https://a.example/feed", false),
    ("http://a.example/feed", "http://a.example/Feed", false),
    ("http://a.example/feed", "http://a.example/feed?", false),
    ("http://a.example/feed", "http://me@a.example/feed", false),
    ("http://me:x@a.example/feed", "http://me:y@a.example/feed", false),
    ("http://a.example/feed", "http://a.example:81/feed", false),
  ]) func `addresses are one request if the server sees no difference`(
    one: String, other: String, isOne: Bool
  ) async throws {
    #expect(try await (request(one).identity == request(other).identity) == isOne)
  }

  @Test func `the user's additional fields make another request`() async throws {
    let plain = try await request("http://a.example/feed")
    var additions = RequestAdditions()
    additions.userAgent = "mine/1"
    var named = plain
    named.add(additions)
    #expect(named.identity != plain.identity)
    additions.headers = [("X-Key", Secret("open"))]
    var keyed = plain
    keyed.add(additions)
    #expect(keyed.identity != named.identity)
    var same = plain
    same.add(additions)
    #expect(same.identity == keyed.identity)
  }

  @Test(
    arguments: [
      ("https://a.example/", "http://b.example/", "http://b.example/"),
      ("HTTPS://a.example/", "HTTP://b.example/", "HTTP://b.example/"),
      ("https://a.example/", "https://b.example/", nil), ("http://a.example/", "http://b.example/", nil),
    ] as [(String, String, String?)])
  func `an unencrypted answer is reported if the feed's address has https`(
    url: String, place: String, text: String?
  ) async throws {
    #expect(
      try await request(url).openAddress(ResponseHead(status: 200, address: WebAddress(place)))?.text == text)
  }

  @Test(arguments: [
    ("http://a.example/", "HTTP 404 (not found), at http://me@b.example/x"),
    ("http://me:x@B.example:80/x#y", "HTTP 404 (not found)"),
  ]) func `an answer from another address is reported with the address`(url: String, words: String)
    async throws
  {
    let failure = try await request(url).failure(PollFailure(status: 404), at: "http://me:secret@b.example/x")
    #expect(failure.description == words)
  }

  @Test(arguments: [
    // Days since the newest article, now and at the last poll, and the days between articles.
    (29.0, 28.0, 1.0, false), (31, 29, 1, true), (31, 30.5, 1, false), (61, 59, 1, true), (70, 69, 10, false),
    (81, 79, 10, true), (81, 80.5, 10, false),
  ])
  func `a silent feed is asked for the whole document once after each period`(
    now: Double, last: Double, gap: Double, isDoubted: Bool
  ) async throws {
    let store = try NewsStore()
    try await store.add(["http://a.example/feed"])
    let newest = Date(timeIntervalSince1970: 1_700_000_000)
    try await store.perform { (source) throws(StoreError) in
      guard let feed = try source.feeds().first else { return }
      feed.etag = [0x22]
      feed.lastFetch = newest.addingTimeInterval(last * 86400)
      PublishingInterval(gap: gap * 86400, newest: newest).write(to: feed)
      try source.context.save()
    }
    let request = try #require(try await store.requests().first)
    let date = newest.addingTimeInterval(now * 86400)
    #expect(request.doubtsSilence(at: date) == isDoubted)
    let download = DownloadRequest([request], limits: DownloadLimits(), at: date)
    #expect((download.etag == nil) == isDoubted)
  }
}
