import Foundation
import HTTPDownload
import Testing

@testable import FeedImport

@Suite struct PolicyTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  @Test(
    arguments: [
      ("120", 120), (" 0 ", 0), ("99999999999999999999", 7 * 86400), ("-5", nil), ("", nil), ("soon", nil),
      ("Fri, 15 Jan 2027 08:01:00 GMT", 60), ("Fri, 15 Jan 2027 07:59:00 GMT", nil),
      ("Sat, 15 Jan 2028 08:00:00 GMT", 7 * 86400),
    ] as [(String, Double?)])
  func `a Retry-After is read as seconds or a date, and never heeded for more than a week`(
    field: String, seconds: Double?
  ) {
    #expect(RetryAfter.seconds(field, at: Self.now) == seconds)
  }

  private func verdict(_ status: Int, retryAfter: String? = nil) -> Verdict {
    var head = ResponseHead(status: status, effectiveURL: "http://a/")
    head.retryAfter = retryAfter
    return Verdict(head, at: Self.now)
  }

  @Test
  func `only 200 and the 226 that was asked for bring articles, and only 304 says that nothing changed`() {
    for status in 201...599 where status != 304 && status != 226 {
      if case .failure = verdict(status) { continue }
      Issue.record("\(status) is no failure")
    }
    #expect(verdict(200) == .articles)
    #expect(verdict(226) == .articles)
    #expect(verdict(304) == .notModified)
  }

  @Test func `only a Retry-After closes a feed by itself`() {
    for status in [429, 503] {
      let pause = verdict(status, retryAfter: "60")
      #expect(
        pause
          == .failure(
            cause: Verdict.cause(status), notBefore: Self.now.addingTimeInterval(60), isGone: false))
      #expect(verdict(status) == .failure(cause: Verdict.cause(status), notBefore: nil, isGone: false))
    }
  }
}
