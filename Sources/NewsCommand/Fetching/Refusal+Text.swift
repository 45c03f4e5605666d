import FeedImport
import Foundation
import NewsModel
import TextOutput

/// The reasons for not polling a feed, as `fetch` and `explain` print them.
extension PollPolicy.Refusal {
  static let closedHost = "its host rejected requests for other feeds"

  /// The reason in a region's summary, after the feed count.
  var summary: String {
    switch self {
    case .gone: "ended"
    case .notBefore, .hostClosed: "paused by their servers"
    case .waiting: "waiting"
    case .hostSilent: "on hosts that do not answer"
    case .notDue: "not due"
    case .notFailed: "not failing"
    case .claimed: "being fetched by another run"
    case .offline: "as no server could be reached"
    }
  }

  /// Returns the reason for one feed.
  ///
  /// - Parameters:
  ///   - reason: The reason for the feed's next poll date.
  ///   - time: The time format: local for people, UTC for programs.
  func text(_ reason: PollReason?, _ time: (Date) -> String = localMinute) -> String {
    switch self {
    case .gone: "\(PollReason(.gone))"
    case .notBefore(let date): "before \(time(date)) (\(PollReason.pauseSource(reason)))"
    case .hostClosed(let date): "before \(time(date)) (\(Self.closedHost))"
    case .waiting(let wait): "before \(time(wait.until)) (\(printable(wait.limit)))"
    case .hostSilent(let date, let feeds, let proxy):
      "before \(time(date)) (\(proxy.map { "the proxy \(printable($0))" } ?? "its host") did not answer \(feeds) other feeds)"
    case .notDue(let date): "due \(time(date))"
    case .notFailed: "its last answer was no failure"
    case .claimed: summary
    case .offline: "no server could be reached for other feeds"
    }
  }
}
