import Foundation
public import ManagedContext
public import WebAddress

/// The address of a feed and the address at which it is polled, as its row has them.
public struct FeedLocation: Sendable {
  /// See ``Feed/url``.
  public let url: WebAddress
  /// See ``Feed/currentURL``.
  public let current: WebAddress
  /// True if the feed is polled at the target of its move.
  public let isMoved: Bool

  /// The attributes that it needs.
  public static let columns = [
    Feed.Key.url.index, Feed.Key.movedTo.index, Feed.Key.movedSince.index, Feed.Key.goodFetchesOfTarget.index,
  ]

  /// Reads the location from a row with the ``columns``.
  public init(_ row: RowValues) {
    url = row[Feed.Key.url]
    let target = row[Feed.Key.movedTo]
    let isForeign = Feed.isMoveForeign(
      target, since: row[Feed.Key.movedSince], goodFetches: row[Feed.Key.goodFetchesOfTarget])
    isMoved = target != nil && !isForeign
    current = isForeign ? url : target ?? url
  }
}

extension Feed {
  /// See ``isMoveForeign``.
  static func isMoveForeign(_ target: WebAddress?, since: Date?, goodFetches: Int?) -> Bool {
    target != nil && since != nil && goodFetches == nil
  }
}
