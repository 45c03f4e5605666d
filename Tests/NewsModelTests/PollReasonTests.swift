import Foundation
import GRDB
import ManagedContext
import NewsModel
import TestSupport
import Testing

@Suite struct PollReasonTests {
  /// Each code with durations of all units, with one failure, with several and with none.
  private static let all: [PollReason] = PollReason.Code.allCases.flatMap { code in
    [0, 40, 60, 61, 3600, 3720, 86400, 90_061, 1e9].flatMap { seconds in
      [nil, 1, 3].map {
        PollReason(code, seconds: seconds, count: $0, status: 429, proxy: "http://p:1 {time}")
      }
    }
  }

  @Test(.disabled(if: TestServer.replacesFiles, "it reads the views of a file"))
  func `the view makes the same sentence as the program`() async throws {
    let store = try NewsStore()
    var reasons = Self.all + Self.all
    for index in Self.all.indices { reasons[index].isPostponed = true }
    let expected = reasons
    try await store.add(reasons.indices.map { "https://e.org/\($0)" })
    try await store.perform { (source) throws(StoreError) in
      for (feed, reason) in zip(try source.feeds(), expected) { feed.nextReason = reason }
    }
    let sentences = try await DatabaseQueue(path: store.path).read { db in
      try String?.fetchAll(db, sql: "SELECT next_reason FROM feeds ORDER BY id")
    }
    #expect(sentences.count == expected.count)
    for (sentence, reason) in zip(sentences, expected) { #expect(sentence == reason.description) }
    let read = try await store.perform { (source) throws(StoreError) in try source.feeds().map(\.nextReason) }
    #expect(read == expected)
  }

  @Test(arguments: [
    (PollReason(.retryAfter, seconds: 7200), "the server requested a pause of 2 h (Retry-After)"),
    (
      PollReason(.rejected, seconds: 3600, count: 3, status: 429),
      "the last 3 fetches failed; the server rejected the request: a pause of 1 h (429)"
    ),
    (PollReason(.failures, count: 1), "the last fetch failed"),
    (
      PollReason(.silentProxy, count: 4, proxy: "http://p:1"),
      "the proxy http://p:1 did not answer 4 other feeds"
    ),
  ]) func `a reason is a sentence with its numbers`(reason: PollReason, sentence: String) {
    #expect(reason.description == sentence)
  }

  @Test func `a pause is named by the header field, or by the status of an answer without it`() {
    #expect(PollReason.pauseSource(PollReason(.retryAfter, status: 429)) == "Retry-After")
    #expect(PollReason.pauseSource(PollReason(.rejected, status: 503)) == "503")
    #expect(PollReason.pauseSource(nil) == "Retry-After")
  }
}
