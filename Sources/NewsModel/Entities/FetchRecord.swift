public import Foundation
public import ManagedContext
package import WebAddress

/// An entry in a feed's fetch log.
///
/// The log is a ring buffer: a feed's answers use the slots 0 to ``kept`` - 1 in turn, so the log needs no
/// pruning.
public final class FetchRecord: ManagedObject {
  override public class var entityName: String { "fetch" }

  /// The number of answers that the log keeps for each feed.
  public static let kept = 30

  package enum Key {
    /// The ``Feed``.
    package static let feed = AttributeKey<ManagedObjectID>(0, "feed_id")
    /// The slot in the ring buffer.
    package static let slot = AttributeKey<Int>(1, "slot")
    /// The time at which the answer ended.
    package static let date = AttributeKey<Date>(2, "date")
    /// ``FetchOutcome`` as text.
    package static let outcome = AttributeKey<String>(3, "outcome")
    /// The HTTP status; nil without an answer.
    package static let status = AttributeKey<Int?>(4, "status")
    static let errorDetail = AttributeKey<String?>(5, "error")
    package static let inserted = AttributeKey<Int>(6, "inserted")
    /// Articles edited: changes that affect only markup or dates do not count.
    package static let edited = AttributeKey<Int>(7, "edited")
    /// The decoded body's size, in bytes.
    package static let bytes = AttributeKey<Int>(8, "bytes")
    /// Milliseconds until the answer's first byte.
    package static let firstByte = AttributeKey<Int?>(9, "first_byte_ms")
    /// Milliseconds until the answer's end.
    package static let total = AttributeKey<Int?>(10, "total_ms")
    /// The bytes that were transferred, before decoding; nil in records from version 7.
    package static let transferred = AttributeKey<Int?>(11, "transferred_bytes")
    /// The number that identifies the run's claims; nil for a run without claims, and in records from version
    /// 8.
    package static let run = AttributeKey<Int64?>(12, "run")
    /// Articles in the document that the user's filter excluded; nil if zero.
    package static let skipped = AttributeKey<Int?>(13, "skipped")
    /// Articles in the document that duplicate another one; nil if zero.
    package static let joined = AttributeKey<Int?>(14, "joined")
    /// Texts that exceeded a limit and were shortened; nil if zero.
    package static let shortenedTexts = AttributeKey<Int?>(15, "shortened_texts")
    /// Lists that exceeded a limit and were shortened; nil if zero.
    package static let shortenedLists = AttributeKey<Int?>(16, "shortened_lists")
    /// Articles that were left out because they were damaged or too long; nil if zero.
    package static let dropped = AttributeKey<Int?>(17, "dropped_articles")
    /// The address of an unencrypted answer, for a feed with an encrypted address; nil otherwise.
    package static let openURL = AttributeKey<WebAddress?>(18, "open_url")
    /// True if the document was an HTML page; nil otherwise.
    package static let isWebPage = AttributeKey<Bool?>(19, "web_page")
    static let errorCode = AttributeKey<String?>(20, "error_code")
    static let errorNumber = AttributeKey<Int?>(21, "error_number")
    static let errorAddress = AttributeKey<WebAddress?>(22, "error_address")

    /// Articles with changed markup, without an edit; nil if zero.
    package static let markupChanges = AttributeKey<Int?>(23, "markup_changes")
    /// Articles with changes only in their dates; nil if zero.
    package static let dateChanges = AttributeKey<Int?>(24, "date_changes")
    /// Articles that changed after they were moved to an archive; nil if zero.
    package static let archivedEdits = AttributeKey<Int?>(25, "archived_edits")

    /// The columns for all attributes, in order.
    package static let columns = Array(feed.index...archivedEdits.index)
  }

  /// The ``Feed``.
  public var feed: ManagedObjectID { self[Key.feed] }
  /// The slot in the ring buffer.
  public var slot: Int { self[Key.slot] }
  /// The time at which the answer ended.
  public var date: Date { self[Key.date] }
  /// The outcome.
  public var outcome: FetchOutcome? {
    get { FetchOutcome(rawValue: self[Key.outcome]) }
    set { if let newValue { self[Key.outcome] = newValue.rawValue } }
  }
  /// The HTTP status; nil without an answer.
  public var status: Int? { self[Key.status] }
  /// Articles added.
  public var inserted: Int {
    get { self[Key.inserted] }
    set { self[Key.inserted] = newValue }
  }
  /// Articles edited.
  public var edited: Int {
    get { self[Key.edited] }
    set { self[Key.edited] = newValue }
  }

  /// The decoded body's size, in bytes.
  public var bytes: Int { self[Key.bytes] }
  /// The transfer's duration, in seconds; 0 if it is unknown.
  public var seconds: TimeInterval { TimeInterval(self[Key.total] ?? 0) / 1000 }

  /// The number that identifies the run's claims; nil for a run without claims, and in records from version
  /// 8.
  public var run: Int64? { self[Key.run] }

  static let entity = EntityDescription(
    entityName, class: FetchRecord.self,
    properties: [
      .reference(Key.feed, \FetchRecord.feed, to: "feed"),
      .attribute(Key.slot, \FetchRecord.slot),
      .attribute(Key.date, \FetchRecord.date),
      .attribute(Key.outcome),
      .attribute(Key.status),
      .attribute(Key.errorDetail),
      .attribute(Key.inserted),
      .attribute(Key.edited),
      .attribute(Key.bytes),
      .attribute(Key.firstByte),
      .attribute(Key.total),
      .attribute(Key.transferred),
      .attribute(Key.run, \FetchRecord.run),
      .attribute(Key.skipped),
      .attribute(Key.joined),
      .attribute(Key.shortenedTexts),
      .attribute(Key.shortenedLists),
      .attribute(Key.dropped),
      .attribute(Key.openURL),
      .attribute(Key.isWebPage),
      .attribute(Key.errorCode),
      .attribute(Key.errorNumber),
      .attribute(Key.errorAddress),
      .attribute(Key.markupChanges),
      .attribute(Key.dateChanges),
      .attribute(Key.archivedEdits),
    ],
    uniqueness: [["feed_id", "slot"]])
}
