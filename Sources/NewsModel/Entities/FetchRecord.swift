public import Foundation
public import ManagedContext

/// One line of a feed's fetch log.
///
/// The log is a ring: a feed's answers take the slots 0 to ``kept`` - 1 in turn, so that it never needs pruning.
public final class FetchRecord: ManagedObject {
  override public class var entityName: String { "fetch" }

  /// How many answers of a feed the log keeps.
  public static let kept = 30

  /// The attributes.
  public enum Key {
    /// The ``Feed``.
    public static let feed = AttributeKey<ManagedObjectID>(0, "feed_id")
    /// The place in the ring.
    public static let slot = AttributeKey<Int>(1, "slot")
    /// When the answer ended.
    public static let date = AttributeKey<Date>(2, "date")
    /// ``FetchOutcome`` as text.
    public static let outcome = AttributeKey<String>(3, "outcome")
    /// The HTTP status; nil when there was no answer.
    public static let status = AttributeKey<Int?>(4, "status")
    /// The cause of a failure in words.
    public static let error = AttributeKey<String?>(5, "error")
    /// Articles added.
    public static let inserted = AttributeKey<Int>(6, "inserted")
    /// Articles changed.
    public static let edited = AttributeKey<Int>(7, "edited")
    /// Bytes of the body, decoded.
    public static let bytes = AttributeKey<Int>(8, "bytes")
    /// Milliseconds until the first byte of the answer.
    public static let firstByte = AttributeKey<Int?>(9, "first_byte_ms")
    /// Milliseconds until the end of the answer.
    public static let total = AttributeKey<Int?>(10, "total_ms")
    /// Bytes that the transfer brought over the network, before decoding; nil in records of version 7.
    public static let transferred = AttributeKey<Int?>(11, "transferred_bytes")
  }

  /// The ``Feed``.
  public var feed: ManagedObjectID { self[Key.feed] }
  /// The place in the ring.
  public var slot: Int { self[Key.slot] }
  /// When the answer ended.
  public var date: Date { self[Key.date] }
  /// How it went.
  public var outcome: FetchOutcome? { FetchOutcome(rawValue: self[Key.outcome]) }
  /// The HTTP status; nil when there was no answer.
  public var status: Int? { self[Key.status] }
  /// The cause of a failure in words.
  public var error: String? { self[Key.error] }
  /// Articles added.
  public var inserted: Int { self[Key.inserted] }
  /// Articles changed.
  public var edited: Int { self[Key.edited] }

  static let entity = EntityDescription(
    entityName, class: FetchRecord.self,
    properties: [
      .reference(Key.feed, \FetchRecord.feed, to: "feed"),
      .attribute(Key.slot, \FetchRecord.slot),
      .attribute(Key.date, \FetchRecord.date),
      .attribute(Key.outcome),
      .attribute(Key.status),
      .attribute(Key.error),
      .attribute(Key.inserted),
      .attribute(Key.edited),
      .attribute(Key.bytes),
      .attribute(Key.firstByte),
      .attribute(Key.total),
      .attribute(Key.transferred),
    ],
    uniqueness: [["feed_id", "slot"]])
}
