public import Foundation
public import ManagedContext
public import NewsModel
public import WebAddress

/// What this run did with one feed, told once the store has it.
///
/// The feed's row may say something else a moment later: another process may have asked for it, too.
public struct FeedResult: Sendable {
  /// The ``Feed``.
  public let feed: ManagedObjectID
  /// How it went.
  public let outcome: FetchOutcome
  /// The HTTP status; nil when there was no answer.
  public let status: Int?
  /// Bytes of the body after decoding.
  public let bytes: Int
  /// Bytes of the body as they came over the network.
  public let transferred: Int
  /// Seconds until the first byte of the answer; nil when there was none.
  public let firstByteSeconds: Double?
  /// Seconds until its end.
  public let totalSeconds: Double?
  /// The cause of a failure in words; nil for a success.
  public let error: String?
  /// How many fetches in a row have failed, this one included.
  public let failures: Int
  /// What of it was too long to be kept whole, in words; nil for nothing.
  public let warning: String?
  /// Articles that the store did not have before.
  public let inserted: Int
  /// Articles whose content changed.
  public let edited: Int
  /// Articles of the document that the user's filter left out, each time that it is read.
  public let skipped: Int
  /// Articles of the document that have guid, link, title and date of another one of it, and were taken for that.
  public let joined: Int
  /// The server wants to be left alone until then.
  public let notBefore: Date?
  /// When it is due again; nil stands for never.
  public let next: Date?
  /// Why then, in words.
  public let nextReason: String
  /// The publisher ended the feed (HTTP 410).
  public let isGone: Bool
  /// Whether the document is an HTML page, which may link to its feed.
  public let isWebPage: Bool
  /// Where the answer came from without encryption, though the feed's address has it (https); nil otherwise.
  public let openAddress: WebAddress?
  /// Where a permanent redirect led, when it did in this run.
  public let movedTo: WebAddress?
}
