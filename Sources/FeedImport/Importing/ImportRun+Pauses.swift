import Foundation
import HTTPDownload
import ManagedContext
import NewsModel
import Threading
import WebAddress

/// Handles the pauses that servers request, and the redirects that pauses or other runs forbid.
extension ImportRun {
  /// Notes an answer and the pause that it requests; called on the download thread, before the next request.
  /// If the address is its host's second to reject requests, or the host allows no further request, the
  /// host's waiting requests are cancelled.
  func note(_ head: ResponseHead, of request: FeedRequest) {
    if NetworkSign(head, at: request.address) == .reached { noteReached() }
    if head.interception != nil { return }
    let now = options.now()
    let change = state.withLock {
      $0.pauses.note(head, wasRefused: request.wasRefused, at: now, options.schedule)
    }
    if let (origin, allowance) = change.limited { claims?.note(allowance, of: origin) }
    if let closed = change.closed { downloader.closeOrigin(closed) }
  }

  /// Returns whether a redirect may be followed: no pause forbids it, and this run holds its publisher.
  /// Called on the download thread.
  func mayFollow(_ request: FeedRequest, to address: WebAddress) -> Bool {
    let now = options.now()
    return pause(of: address, at: now) == nil && claims?.mayFollow(request, to: address, at: now) ?? true
  }

  /// Returns whether a redirect must wait because this run does not hold its publisher yet. The transfer
  /// resumes after this run has tried to claim it. Called on the download thread.
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

  /// Returns whether a redirect was not followed only because this run does not hold its publisher.
  func leavesToOthers(_ request: FeedRequest, redirectedTo address: WebAddress) -> Bool {
    let now = options.now()
    return pause(of: address, at: now) == nil && claims?.mayFollow(request, to: address, at: now) == false
  }

  /// Returns the pause for an address, met by this run or another; nil without one.
  private func pause(of address: WebAddress, at now: Date) -> PollPolicy.Refusal? {
    state.withLock { $0.pauses.refusal(of: address, at: now) } ?? claims?.refusal(of: address, at: now)
  }

  /// Returns whether a server requests a pause before its redirect; called on the download thread.
  func asksForPause(_ retryAfter: String) -> Bool {
    RetryAfter.seconds(retryAfter, at: options.now()) ?? 0 > 0
  }

  /// Notes a feed that was not polled because its address, or a redirect's target, is paused.
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
    // Equal reasons are stored once. Whole seconds make them equal for most feeds on silent hosts.
    let second = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.up))
    state.withLock {
      $0.end.notPolled.set(.hostSilent(second, feeds: unanswered, proxy: proxy), for: request.feed)
    }
  }
}
