import Foundation
import HTTPDownload
import ManagedContext
import NewsModel
import WebAddress

/// Applies an answer to the feed's address.
extension FeedAnswer {
  /// Records the target of permanent redirects, and whether the previous target was reliable.
  func applyMove(to feed: Feed, _ request: FeedRequest, _ head: ResponseHead) {
    if let target = request.permanentAddress(head) {
      // A fetch without the configuration that bound the feed to its host does not express the user's will.
      let staysBound = feed.isMoveForeign && !target.hasSameOrigin(as: feed.url)
      guard request.mayMove(to: target), !staysBound else { return noteForeignMove(of: feed, to: target) }
      if target == feed.url { return forgetMove(of: feed) }
      if target == feed.movedTo { return countGoodFetch(of: feed) }
      feed.movedTo = target
      feed.movedSince = date
      feed.goodFetchesOfTarget = 1
    } else if feed.movedTo == request.address {
      countGoodFetch(of: feed)
    }
  }

  /// Records a move that only the user can follow: reported, not counted. The feed's own address is polled.
  private func noteForeignMove(of feed: Feed, to target: WebAddress) {
    if feed.movedTo != target || feed.movedSince == nil { feed.movedSince = date }
    feed.movedTo = target
    feed.goodFetchesOfTarget = nil
  }

  private func countGoodFetch(of feed: Feed) {
    feed.goodFetchesOfTarget = (feed.goodFetchesOfTarget ?? 0) + 1
    feed.movedSince = feed.movedSince ?? date
  }

  /// Returns whether the feed may be missing at its new address: its first address is then polled again.
  func isMoveDoubtful(_ request: FeedRequest) -> Bool {
    guard request.isMoved, outcome == .failed else { return false }
    return switch summary?.head.status {
    case 401?, 403?, 404?, 410?, 451?: true
    case 503?: false
    default: failures(after: request) >= 3
    }
  }

  /// Switches back to the feed's own address. The validators stay for the address that sent them: the first
  /// redirect may lead there.
  func doubtMove(of feed: Feed, _ request: FeedRequest) {
    guard feed.movedTo != nil else { return }
    forgetMove(of: feed)
    if feed.etag != nil || feed.lastModified != nil, feed.validatorsURL == nil {
      feed.validatorsURL = request.address.removingPassword
    }
  }

  private func forgetMove(of feed: Feed) {
    feed.movedTo = nil
    feed.movedSince = nil
    feed.goodFetchesOfTarget = nil
  }
}
