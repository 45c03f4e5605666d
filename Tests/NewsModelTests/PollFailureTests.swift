import Foundation
import GRDB
import ManagedContext
import NewsModel
import TestSupport
import Testing

@Suite struct PollFailureTests {
  /// Each code with numbers of all units, with and without a text and an address.
  private static let all: [PollFailure] = PollFailure.Code.allCases.flatMap { code in
    [nil, 0, 404, 599, 1024, 1536, 2500, 20_000, 32 << 20].flatMap { number in
      [nil, "it's {number}"].flatMap { detail in
        [nil, "https://me:secret@e.org/moved"].map {
          PollFailure(code, number: number, detail: detail, address: $0)
        }
      }
    }
  }

  @Test(.disabled(if: TestServer.replacesFiles, "it reads the views of a file"))
  func `the view makes the same sentence as the program`() async throws {
    let store = try NewsStore()
    let expected = Self.all
    try await store.add(expected.indices.map { "https://e.org/\($0)" })
    try await store.perform { (source) throws(StoreError) in
      for (feed, failure) in zip(try source.feeds(), expected) { feed.lastFailure = failure }
    }
    let sentences = try await DatabaseQueue(path: store.path).read { db in
      try String?.fetchAll(db, sql: "SELECT last_error FROM feeds ORDER BY id")
    }
    #expect(sentences.count == expected.count)
    for (sentence, failure) in zip(sentences, expected) { #expect(sentence == failure.description) }
    let read = try await store.perform { (source) throws(StoreError) in try source.feeds().map(\.lastFailure)
    }
    #expect(read == expected)
  }

  @Test(arguments: [
    (PollFailure(.timeoutWaiting, number: 3000), "timed out after 3 s (waiting for the answer)"),
    (PollFailure(.timeoutConnecting, number: 2500), "timed out after 2.5 s (connecting)"),
    (PollFailure(.bodyTooLarge, number: 32 << 20), "body too large: over the limit of 32 MiB"),
    (PollFailure(.bodyTooLarge, number: 1536), "body too large: over the limit of 1536 bytes"),
    (PollFailure(.headerTooLarge, number: 256 << 10), "header too large: over the limit of 256 KiB"),
    (
      PollFailure(.tooSlow, number: 100, detail: "20"),
      "too slow: under 100 bytes a second for 20 s"
    ),
    (PollFailure(.httpStatus, number: 404), "HTTP 404 (not found)"),
    (PollFailure(.httpStatus, number: 599), "HTTP 599"),
    (
      PollFailure(.httpStatus, number: 500, address: "https://me:secret@e.org/moved"),
      "HTTP 500 (server error), at https://me@e.org/moved"
    ),
  ]) func `a failure is a sentence with its values`(failure: PollFailure, sentence: String) {
    #expect(failure.description == sentence)
  }
}
