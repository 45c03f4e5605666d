import Foundation
import HTTPDownload
import TestSupport
import Testing

@testable import FeedImport

/// The fields in which hosts state their limits.
@Suite struct StatedLimitTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  private func head(
    _ status: Int, _ limit: String? = nil, reset: String? = nil, remaining: String? = nil
  ) -> ResponseHead {
    var head = ResponseHead(status: status, address: "https://a.example/feed")
    head.limitFields = .init(rateLimit: limit, reset: reset, remaining: remaining)
    return head
  }

  @Test(
    arguments: [
      ("43", 43), ("43.2", 44), ("0", 0), ("1800000043", 43), ("1800000042.5", 43), ("1800000043000", 43),
      ("1799999999", nil), ("soon", nil), ("", nil), ("43, 43", 43), ("Fri, 15 Jan 2027 08:00:43 GMT", 43),
    ] as [(String, TimeInterval?)])
  func `the end of a limit is a number of seconds, or a time`(field: String, seconds: TimeInterval?) {
    #expect(StatedLimit(head(200, reset: field), at: Self.now).reset == seconds)
  }

  @Test func `a time counts from the server's own clock`() {
    var head = head(429, reset: "1800000043")
    head.date = "Fri, 15 Jan 2027 08:00:13 GMT"
    #expect(StatedLimit(head, at: Self.now.addingTimeInterval(-7200)).reset == 30)
  }

  @Test(
    arguments: [
      (#""default";r=50;t=30"#, 50, 30), (#""burst";r=0;t=12, "day";r=900;t=86000"#, 0, 12),
      (#""burst";r=0;t=12, "day";r=0;t=86000"#, 0, 86000), ("limit=100, remaining=0, reset=37", 0, 37),
      (#""default"; r=0"#, 0, nil), ("nonsense", nil, nil), ("r=x;t=y", nil, nil),
    ] as [(String, Int?, TimeInterval?)])
  func `the field RateLimit states one limit or several`(field: String, remaining: Int?, reset: TimeInterval?)
  {
    let stated = StatedLimit(head(200, field), at: Self.now)
    #expect(stated.remaining == remaining && stated.reset == reset)
  }

  @Test func `a refusal is 429, 503 with a time, and 403 or 503 without any request left`() {
    #expect(Verdict.isRefusal(head(429)))
    #expect(!Verdict.isRefusal(head(503)) && !Verdict.isRefusal(head(403)) && !Verdict.isRefusal(head(500)))
    #expect(Verdict.isRefusal(head(403, remaining: "0")) && Verdict.isRefusal(head(503, remaining: "0.0")))
    #expect(!Verdict.isRefusal(head(403, remaining: "12")))
    for (field, isRefusal) in [
      ("120", true), ("0", true), ("Fri, 15 Jan 2027 08:00:43 GMT", true), ("-5", false), ("", false),
      ("soon", false),
    ] {
      var head = head(503)
      head.retryAfter = field
      #expect(Verdict.isRefusal(head) == isRefusal)
    }
  }

  @Test func `Retry-After has precedence over the end of a limit`() {
    var head = head(429, reset: "50")
    #expect(Verdict.pause(head, at: Self.now, Schedule()) == 50)
    head.retryAfter = "70"
    #expect(Verdict.pause(head, at: Self.now, Schedule()) == 70)
    #expect(Verdict.pause(self.head(200, reset: "50"), at: Self.now, Schedule()) == nil)
  }
}
