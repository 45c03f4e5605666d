import Foundation
import NewsModel
import WebAddress

/// The saves for feeds that were not polled.
extension FeedJob {
  /// Returns the save for a feed whose redirect leads to a paused address. The feed's own address is not
  /// polled during that pause either.
  func pause(at address: WebAddress, _ refusal: PollPolicy.Refusal, now: Date) -> Save {
    var answer = FeedAnswer(outcome: .failed, date: now)
    answer.pause = .init(
      address: address, until: refusal.end ?? now, reason: PollReason(.pausedTarget), isTurn: refusal.isTurn)
    return Save(feed: request.feed, answer: answer)
  }

  /// Returns the save for a feed whose host has answered no other feed. The feed is due again as after a
  /// first failure, but no failure is counted.
  ///
  /// - Parameters:
  ///   - count: The number of unanswered requests.
  ///   - proxy: The proxy that did not answer; nil if it was the host.
  func postpone(afterSilenceOf count: Int, proxy: String?, now: Date) -> Save {
    var answer = FeedAnswer(outcome: .failed, date: now)
    let wait = options.schedule.backoff(afterFailures: request.failures + 1)
    answer.pause = .init(
      address: nil, until: now.addingTimeInterval(wait),
      reason: PollReason(proxy == nil ? .silentHost : .silentProxy, count: count, proxy: proxy))
    return Save(feed: request.feed, answer: answer)
  }
}
