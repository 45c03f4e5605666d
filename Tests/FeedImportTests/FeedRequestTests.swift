@testable import FeedImport
import HTTPDownload
import NewsModel
import TestSupport
import Testing
import WebAddress

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
}
