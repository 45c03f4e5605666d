public import Foundation
public import ManagedContext
package import WebAddress

/// An entry in a feed's fetch log.
///
/// The log is a ring buffer: a feed's answers use the slots 0 to ``kept`` - 1 in turn, so the log needs no
/// pruning.
public final class FetchRecord: ManagedObject, Entity {
  override public class var entityName: String { "fetch" }

  /// The number of answers that the log keeps for each feed.
  public static let kept = 30

  public struct Schema: Sendable {
    /// The ``Feed``.
    public let feed = Attribute<ManagedObjectID>("feed_id", to: Feed.self)
    /// The slot in the ring buffer.
    public let slot = Attribute<Int>("slot")
    /// The time at which the answer ended.
    public let date = Attribute<Date>("date")
    /// ``FetchOutcome`` as text.
    package let storedOutcome = Attribute<String>("outcome")
    /// The HTTP status; nil without an answer.
    public let status = Attribute<Int?>("status")
    let errorDetail = Attribute<String?>("error")
    /// Articles added.
    public let inserted = Attribute<Int>("inserted")
    /// Articles edited.
    public let edited = Attribute<Int>("edited")
    /// The decoded body's size, in bytes.
    public let bytes = Attribute<Int>("bytes")
    /// Milliseconds until the answer's first byte.
    package let firstByte = Attribute<Int?>("first_byte_ms")
    /// Milliseconds until the answer's end.
    package let total = Attribute<Int?>("total_ms")
    /// The bytes that were transferred, before decoding; nil in records from version 7.
    package let transferred = Attribute<Int?>("transferred_bytes")
    /// The number that identifies the run's claims; nil for a run without claims, and in records from version
    /// 8.
    public let run = Attribute<Int64?>("run")
    /// Articles in the document that the user's filter excluded; nil if zero.
    package let skipped = Attribute<Int?>("skipped")
    /// Articles in the document that duplicate another one; nil if zero.
    package let joined = Attribute<Int?>("joined")
    /// Texts that exceeded a limit and were shortened; nil if zero.
    package let shortenedTexts = Attribute<Int?>("shortened_texts")
    /// Lists that exceeded a limit and were shortened; nil if zero.
    package let shortenedLists = Attribute<Int?>("shortened_lists")
    /// Articles that were left out because they were damaged or too long; nil if zero.
    package let dropped = Attribute<Int?>("dropped_articles")
    /// The address of an unencrypted answer, for a feed with an encrypted address; nil otherwise.
    package let openURL = Attribute<WebAddress?>("open_url")
    /// True if the document was an HTML page; nil otherwise.
    package let isWebPage = Attribute<Bool?>("web_page")
    let errorCode = Attribute<String?>("error_code")
    let errorNumber = Attribute<Int?>("error_number")
    let errorAddress = Attribute<WebAddress?>("error_address")
    /// Articles with changed markup, without an edit; nil if zero.
    package let markupChanges = Attribute<Int?>("markup_changes")
    /// Articles with changes only in their dates; nil if zero.
    package let dateChanges = Attribute<Int?>("date_changes")
    /// Articles that changed after they were moved to an archive; nil if zero.
    package let archivedEdits = Attribute<Int?>("archived_edits")
  }

  /// The outcome.
  public var outcome: FetchOutcome? {
    get { FetchOutcome(rawValue: self.storedOutcome) }
    set { if let newValue { self.storedOutcome = newValue.rawValue } }
  }

  /// The transfer's duration, in seconds; 0 if it is unknown.
  public var seconds: TimeInterval { TimeInterval(self.total ?? 0) / 1000 }

  public static let entity = EntityDeclaration<FetchRecord>(Schema(), unique: [[\.feed, \.slot]])
}
