import FeedParsing
import Foundation
import HTTPDownload
import Testing

@testable import FeedImport
import WebAddress
import TestSupport

@Suite struct PolicyTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  @Test(
    arguments: [
      ("120", 120), (" 0 ", 0), ("99999999999999999999", 7 * 86400), ("-5", nil), ("", nil), ("soon", nil),
      ("3600.5", 3601), ("60.0", 60), ("1.2.3", nil), (".", nil),
      ("Fri, 15 Jan 2027 08:01:00 GMT", 60), ("Fri, 15 Jan 2027 07:59:00 GMT", nil),
      ("Sat, 15 Jan 2028 08:00:00 GMT", 7 * 86400),
    ] as [(String, Double?)])
  func `a Retry-After is read as seconds or a date, and obeyed for at most a week`(
    field: String, seconds: Double?
  ) {
    #expect(RetryAfter.seconds(field, at: Self.now) == seconds)
  }

  private func head(_ status: Int, retryAfter: String? = nil) -> ResponseHead {
    var head = ResponseHead(status: status, address: "http://a/")
    head.retryAfter = retryAfter
    return head
  }

  @Test
  func `only 200, 203 and a requested 226 contain articles, and only 304 means no change`() {
    for status in 201...599 where ![203, 226, 304, 429].contains(status) {
      if case .failure(let isGone) = Verdict(head(status)), isGone == (status == 410) { continue }
      Issue.record("\(status) is judged otherwise")
    }
    #expect(Verdict(head(200)) == .articles)
    #expect(Verdict(head(203)) == .articles)
    #expect(Verdict(head(226)) == .articles)
    #expect(Verdict(head(304)) == .notModified)
  }

  @Test func `a Retry-After pauses its feed, and so do 429 and 503 without one`() {
    func pause(_ status: Int, _ field: String?) -> TimeInterval? {
      Verdict.pause(head(status, retryAfter: field), at: Self.now, Schedule())
    }
    #expect(pause(429, "60") == 60)
    #expect(pause(429, "0") == nil)
    #expect(pause(503, "9000") == 9000)
    #expect(pause(429, nil) == 3600)
    #expect(pause(503, nil) == 3600)
    #expect(pause(500, nil) == nil)
    #expect(pause(500, "60") == 60)
    #expect(pause(200, "60") == 60)
    #expect(pause(200, "0") == nil)
  }

  @Test func `a document's schedule hints reach the schedule`() {
    var details = FeedDetails()
    details.timeToLiveMinutes = 15
    details.updatePeriod = "daily"
    details.updateFrequency = 4
    details.updateBase = 1_800_000_000
    details.skipHours = [0, 23]
    details.skipDays = ["Sunday", "Saturday"]
    let hints = PublisherHints(of: details)
    #expect(
      hints
        == PublisherHints(
          timeToLive: 900, updateInterval: 21600, updateBase: Self.now, skipHours: 1 | 1 << 23,
          skipDays: 1 | 1 << 6))
  }
}
