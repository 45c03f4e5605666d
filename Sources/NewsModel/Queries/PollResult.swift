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
    typealias Key = FetchRecord.Key
    guard let outcome = FetchOutcome(rawValue: row[Key.outcome]) else { return nil }
    self.outcome = outcome
    feed = row[Key.feed]
    status = row[Key.status]
    failure = PollFailure(
      code: row[Key.errorCode], number: row[Key.errorNumber], detail: row[Key.errorDetail],
      address: row[Key.errorAddress])
    inserted = row[Key.inserted]
    edited = row[Key.edited]
    markupChanges = row[Key.markupChanges] ?? 0
    dateChanges = row[Key.dateChanges] ?? 0
    archivedEdits = row[Key.archivedEdits] ?? 0
    bytes = row[Key.bytes]
    transferred = row[Key.transferred] ?? 0
    firstByteMilliseconds = row[Key.firstByte]
    totalMilliseconds = row[Key.total]
    skipped = row[Key.skipped] ?? 0
    joined = row[Key.joined] ?? 0
    shortenedTexts = row[Key.shortenedTexts] ?? 0
    shortenedLists = row[Key.shortenedLists] ?? 0
    dropped = row[Key.dropped] ?? 0
    openURL = row[Key.openURL]
    isWebPage = row[Key.isWebPage] ?? false
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
    FetchRecord.Key.feed.index, FetchRecord.Key.outcome.index, FetchRecord.Key.inserted.index,
    FetchRecord.Key.edited.index, FetchRecord.Key.bytes.index, FetchRecord.Key.openURL.index,
  ]

  fileprivate init?(_ row: RowValues) {
    typealias Key = FetchRecord.Key
    guard let outcome = FetchOutcome(rawValue: row[Key.outcome]) else { return nil }
    self.outcome = outcome
    (feed, record) = (row[Key.feed], row.id)
    (inserted, edited, bytes) = (row[Key.inserted], row[Key.edited], row[Key.bytes])
    isUnencrypted = row[Key.openURL] != nil
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
    return try values(of: request, FetchRecord.Key.columns).compactMap(PollResult.init)
  }
}
