import Foundation
import ManagedContext
public import WebAddress

/// A feed's address and the address at which it is polled, as its row has them.
public struct FeedLocation: Sendable {
  /// See ``Feed/url``.
  public let url: WebAddress
  /// See ``Feed/currentURL``.
  public let current: WebAddress
  /// True if the feed is polled at its move's target.
  public let isMoved: Bool
  /// See ``Feed/isMoveForeign``.
  let isForeign: Bool

  /// The attributes that it needs.
  public static let columns = [
    Feed.schema.url.index, Feed.schema.movedTo.index, Feed.schema.movedSince.index,
    Feed.schema.goodFetchesOfTarget.index,
  ]

  /// Reads a feed's location, or from a row with the ``columns``.
  package init(_ feed: some AttributeReading) {
    url = feed[Feed.schema.url]
    let target = feed[Feed.schema.movedTo]
    isForeign =
      target != nil && feed[Feed.schema.movedSince] != nil && feed[Feed.schema.goodFetchesOfTarget] == nil
    isMoved = target != nil && !isForeign
    current = isForeign ? url : target ?? url
  }
}
