public import Foundation
public import ManagedContext
public import WebAddress

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
    public let feed = Attribute<ManagedObjectID>("feed_id", to: Feed.self, inverse: \.log)
    /// The slot in the ring buffer.
    public let slot = Attribute<Int>("slot")
    /// The time at which the answer ended.
    public let date = Attribute<Date>("date", as: .secondsSince1970)
    /// ``FetchOutcome`` as text.
    package let storedOutcome = Attribute<String>("outcome")
    /// The HTTP status; nil without an answer.
    public let status = Attribute<Int?>("status")
    /// With `errorCode`, `errorNumber` and `errorAddress`: ``failure``.
    let errorDetail = Attribute<String?>("error")
    /// Articles added.
    public let inserted = Attribute<Int>("inserted")
    /// Articles edited. Changes that affect only markup or dates do not count.
    public let edited = Attribute<Int>("edited")
    /// The decoded body's size, in bytes.
    public let bytes = Attribute<Int>("bytes")
    /// Milliseconds until the answer's first byte.
    public let firstByte = Attribute<Int?>("first_byte_ms")
    /// Milliseconds until the answer's end.
    public let total = Attribute<Int?>("total_ms")
    /// The bytes that were transferred, before decoding; 0 in records from version 7.
    public let transferred = Attribute<Int>("transferred_bytes", isOptional: true)
    /// The number that identifies the run's claims; nil for a run without claims, and in records from version
    /// 8.
    public let run = Attribute<Int64?>("run")
    /// Articles in the document that the user's filter excluded.
    public let skipped = Attribute<Int>("skipped", isOptional: true)
    /// Articles in the document that duplicate another one.
    public let joined = Attribute<Int>("joined", isOptional: true)
    /// Texts that exceeded a limit and were shortened.
    public let shortenedTexts = Attribute<Int>("shortened_texts", isOptional: true)
    /// Lists that exceeded a limit and were shortened.
    public let shortenedLists = Attribute<Int>("shortened_lists", isOptional: true)
    /// Articles that were left out because they were damaged or too long.
    public let dropped = Attribute<Int>("dropped_articles", isOptional: true)
    /// The address of an unencrypted answer, for a feed with an encrypted address; nil otherwise.
    public let openURL = Attribute<WebAddress?>("open_url")
    /// True if the document was an HTML page.
    public let isWebPage = Attribute<Bool>("web_page", isOptional: true)
    let errorCode = Attribute<String?>("error_code")
    let errorNumber = Attribute<Int?>("error_number")
    let errorAddress = Attribute<WebAddress?>("error_address")
    /// Articles with changed markup, without an edit.
    public let markupChanges = Attribute<Int>("markup_changes", isOptional: true)
    /// Articles with changes only in their dates.
    public let dateChanges = Attribute<Int>("date_changes", isOptional: true)
    /// Articles that changed after they were moved to an archive.
    public let archivedEdits = Attribute<Int>("archived_edits", isOptional: true)
  }

  public static let entity = EntityDeclaration(FetchRecord.self, Schema(), unique: { [[$0.feed, $0.slot]] })
}

extension EntityValues where Object == FetchRecord {
  /// The outcome; nil if another program has written an unknown one.
  public var outcome: FetchOutcome? { FetchOutcome(rawValue: self[FetchRecord.schema.storedOutcome]) }

  /// The cause of a failure; nil after a success.
  public var failure: PollFailure? {
    PollFailure(
      code: self[FetchRecord.schema.errorCode], number: self[FetchRecord.schema.errorNumber],
      detail: self[FetchRecord.schema.errorDetail], address: self[FetchRecord.schema.errorAddress])
  }

  /// True if a feed with an encrypted address got an unencrypted answer.
  public var isUnencrypted: Bool { self[FetchRecord.schema.openURL] != nil }

}
