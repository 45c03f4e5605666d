import Foundation
import HTTPDownload
import NewsModel
import WebAddress

/// What an answer says about where the feed is.
extension FeedAnswer {
  /// Notes where permanent redirects led, and how well the place does to which they led before.
  func applyMove(to feed: Feed, _ request: FeedRequest, _ head: ResponseHead) {
    if let target = request.permanentAddress(head) {
      // A fetch without the configuration that bound the feed is no word of the user's.
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

  /// A move that only the user can follow: it is told, counts for nothing, and the feed's own address is asked on.
  private func noteForeignMove(of feed: Feed, to target: WebAddress) {
    if feed.movedTo != target || feed.movedSince == nil { feed.movedSince = date }
    feed.movedTo = target
    feed.goodFetchesOfTarget = nil
  }

  private func countGoodFetch(of feed: Feed) {
    feed.goodFetchesOfTarget = (feed.goodFetchesOfTarget ?? 0) + 1
    feed.movedSince = feed.movedSince ?? date
  }

  /// Whether the feed may not be where it moved to: its first address is asked again then, and knows better.
  func isMoveDoubtful(_ request: FeedRequest) -> Bool {
    guard request.isMoved, outcome == .failed else { return false }
    return switch summary?.head.status {
    case 401?, 403?, 404?, 410?, 451?: true
    case 429?, 503?: false
    default: failures(after: request) >= 3
    }
  }

  /// The feed is asked at its own address again. The validators stay, for the address that sent them: its first redirect
  /// may lead there.
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
