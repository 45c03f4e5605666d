public import ManagedContext
public import WebAddress

/// The result of polling a feed once, as its record in the fetch log states it.
///
/// It is a copy that may leave its context.
public struct PollResult: Sendable {
  /// The ``Feed``.
  public let feed: ManagedObjectID
  /// The outcome.
  public let outcome: FetchOutcome
  /// The HTTP status; nil without an answer.
  public let status: Int?
  /// The cause of a failure; nil after a success.
  public let failure: PollFailure?
  /// Articles added.
  public let inserted: Int
  /// Articles edited.
  public let edited: Int
  /// Articles with changed markup, without an edit.
  public let markupChanges: Int
  /// Articles with changes only in their dates.
  public let dateChanges: Int
  /// Articles that changed after they were moved to an archive, which keeps their earlier texts.
  public let archivedEdits: Int
  /// The body's decoded size, in bytes.
  public let bytes: Int
  /// The bytes that were transferred, before decoding.
  public let transferred: Int
  /// Milliseconds until the first byte of the answer; nil without an answer.
  public let firstByteMilliseconds: Int?
  /// Milliseconds until the end of the answer; nil without an answer.
  public let totalMilliseconds: Int?
  /// Articles in the document that the user's filter excluded.
  public let skipped: Int
  /// Articles in the document that were joined with another one with the same guid, link, title and date.
  public let joined: Int
  /// Texts that were shortened.
  public let shortenedTexts: Int
  /// Lists that were shortened.
  public let shortenedLists: Int
  /// Articles that were left out.
  public let dropped: Int
  /// The address of an unencrypted answer, for a feed with an encrypted address; nil otherwise.
  public let openURL: WebAddress?
  /// True if the document was an HTML page, which may link to its feed.
  public let isWebPage: Bool

  fileprivate init?(_ row: RowValues) {
    let key = FetchRecord.schema
    guard let outcome = FetchOutcome(rawValue: row[key.storedOutcome]) else { return nil }
    self.outcome = outcome
    feed = row[key.feed]
    status = row[key.status]
    failure = PollFailure(
      code: row[key.errorCode], number: row[key.errorNumber], detail: row[key.errorDetail],
      address: row[key.errorAddress])
    inserted = row[key.inserted]
    edited = row[key.edited]
    markupChanges = row[key.markupChanges] ?? 0
    dateChanges = row[key.dateChanges] ?? 0
    archivedEdits = row[key.archivedEdits] ?? 0
    bytes = row[key.bytes]
    transferred = row[key.transferred] ?? 0
    firstByteMilliseconds = row[key.firstByte]
    totalMilliseconds = row[key.total]
    skipped = row[key.skipped] ?? 0
    joined = row[key.joined] ?? 0
    shortenedTexts = row[key.shortenedTexts] ?? 0
    shortenedLists = row[key.shortenedLists] ?? 0
    dropped = row[key.dropped] ?? 0
    openURL = row[key.openURL]
    isWebPage = row[key.isWebPage] ?? false
  }
}

/// The outcome of polling a feed once: what a run needs to know for each feed.
public struct PollOutcome: Sendable {
  /// The ``Feed``.
  public let feed: ManagedObjectID
  /// The ``FetchRecord``.
  public let record: ManagedObjectID
  /// See ``PollResult/outcome``.
  public let outcome: FetchOutcome
  /// See ``PollResult/inserted``.
  public let inserted: Int
  /// See ``PollResult/edited``.
  public let edited: Int
  /// See ``PollResult/bytes``.
  public let bytes: Int
  /// True if a feed with an encrypted address got an unencrypted answer.
  public let isUnencrypted: Bool

  fileprivate static let columns = [
    FetchRecord.schema.feed.index, FetchRecord.schema.storedOutcome.index, FetchRecord.schema.inserted.index,
    FetchRecord.schema.edited.index, FetchRecord.schema.bytes.index, FetchRecord.schema.openURL.index,
  ]

  fileprivate init?(_ row: RowValues) {
    let key = FetchRecord.schema
    guard let outcome = FetchOutcome(rawValue: row[key.storedOutcome]) else { return nil }
    self.outcome = outcome
    (feed, record) = (row[key.feed], row.id)
    (inserted, edited, bytes) = (row[key.inserted], row[key.edited], row[key.bytes])
    isUnencrypted = row[key.openURL] != nil
  }
}

extension DataSource {
  /// Returns a run's outcomes among fetch log records, without creating objects.
  ///
  /// - Parameters:
  ///   - records: The records that were saved during the run; records from other runs are skipped.
  ///   - run: The number in the run's claims.
  public func pollOutcomes(
    _ records: [ManagedObjectID], ofRun run: Int64
  ) throws(StoreError) -> [PollOutcome] {
    let request = FetchRequest(FetchRecord.self, where: .ids(records) && \.run == run)
    return try values(of: request, PollOutcome.columns).compactMap(PollOutcome.init)
  }

  /// Returns the results in fetch log records, without creating objects.
  public func pollResults(_ records: [ManagedObjectID]) throws(StoreError) -> [PollResult] {
    guard !records.isEmpty else { return [] }
    let request = FetchRequest(FetchRecord.self, where: .ids(records))
    return try values(of: request, FetchRecord.columns).compactMap(PollResult.init)
  }
}
