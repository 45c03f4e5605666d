import Foundation
import HTTPDownload
import ManagedContext
import NewsModel
import Threading
import WebAddress

/// The pauses that servers request, and the redirects that they or other runs forbid.
extension ImportRun {
  /// Notes an answer and the pause that it requests; called on the download thread, before the next request. If the
  /// address is the second of its host that rejects requests, or the host allows no further request, the waiting requests to this
  /// host are cancelled.
  func note(_ head: ResponseHead, of request: FeedRequest) {
    if NetworkSign(head, at: request.address) == .reached { noteReached() }
    if head.interception != nil { return }
    let now = options.now()
    let wasRefused = request.wasRefused
    let change = state.withLock {
      $0.pauses.note(head, wasRefused: wasRefused, at: now, options.schedule)
    }
    if let (origin, allowance) = change.limited { claims?.note(allowance, of: origin) }
    if let closed = change.closed { downloader.closeOrigin(closed) }
  }

  /// Returns whether a redirect may be followed: no pause forbids it, and this run holds its publisher. Called on the download
  /// thread.
  func mayFollow(_ request: FeedRequest, to address: WebAddress) -> Bool {
    let now = options.now()
    return pause(of: address, at: now) == nil && claims?.mayFollow(request, to: address, at: now) ?? true
  }

  /// Returns whether a redirect must wait because this run does not hold its publisher yet. The transfer is resumed when this run has
  /// tried to claim it. Called on the download thread.
  func mustWait(_ request: FeedRequest, toFollow address: WebAddress, _ transfer: TransferID) -> Bool {
    let now = options.now()
    guard let claims, pause(of: address, at: now) == nil,
      claims.mustWait(request, toFollow: address, at: now)
    else { return false }
    Task {
      await claims.takeTargets(at: options.now())
      downloader.resume(transfer)
    }
    return true
  }

  /// Returns whether a redirect was not followed because this run does not hold its publisher, and not because of a pause.
  func leavesToOthers(_ request: FeedRequest, redirectedTo address: WebAddress) -> Bool {
    let now = options.now()
    return pause(of: address, at: now) == nil && claims?.mayFollow(request, to: address, at: now) == false
  }

  /// Returns the pause of an address that this or another run has met; nil without one.
  private func pause(of address: WebAddress, at now: Date) -> PollPolicy.Refusal? {
    state.withLock { $0.pauses.refusal(of: address, at: now) } ?? claims?.refusal(of: address, at: now)
  }

  /// Returns whether a server requests a pause before its redirect is followed; called on the download thread.
  func asksForPause(_ retryAfter: String) -> Bool {
    RetryAfter.seconds(retryAfter, at: options.now()) ?? 0 > 0
  }

  /// Notes a feed that was not polled because of a pause of its address, or of a redirect's target.
  ///
  /// - Returns: The reason.
  @discardableResult
  func noteNotPolled(_ request: FeedRequest, at address: WebAddress) -> PollPolicy.Refusal {
    let now = options.now()
    let refusal = pause(of: address, at: now) ?? .hostClosed(now)
    state.withLock { $0.end.notPolled.set(refusal, for: request.feed) }
    return refusal
  }

  /// Notes a feed that is postponed because its host does not answer.
  func notePostponed(_ request: FeedRequest, until date: Date, unanswered: Int, proxy: String?) {
    // Equal reasons are stored once, so the date is a whole second: 1,000,000 feeds of silent hosts have few of them.
    let second = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.up))
    state.withLock {
      $0.end.notPolled.set(.hostSilent(second, feeds: unanswered, proxy: proxy), for: request.feed)
    }
  }
}
