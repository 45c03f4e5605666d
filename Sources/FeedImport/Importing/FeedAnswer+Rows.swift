import Foundation
import HTTPDownload
import ManagedContext
import NewsModel
import WebAddress

/// Writes an answer into the feed's row and the log.
extension FeedAnswer {
  /// Returns whether the answer needs no object: no feed description, no move, no tombstones.
  func isPlain(_ request: FeedRequest) -> Bool {
    pause == nil && saved?.details == nil && tombstones == nil && !request.hasMove
      && summary?.head.permanentAddress == nil
  }

  /// The feed attributes that ``write(to:)`` may change.
  static let columns =
    Feed.failureColumns + PollReason.columns
    + [
      Feed.schema.lastFetch.index, Feed.schema.storedOutcome.index, Feed.schema.lastStatus.index,
      Feed.schema.lastInserted.index, Feed.schema.lastEdited.index, Feed.schema.storedFailures.index,
      Feed.schema.notBefore.index, Feed.schema.pausedURL.index, Feed.schema.isGone410.index,
      Feed.schema.nextFetch.index,
      Feed.schema.scheduledAt.index, Feed.schema.etag.index, Feed.schema.lastModified.index,
      Feed.schema.bodyHash.index,
      Feed.schema.validatorsURL.index, Feed.schema.storedFetches.index,
    ]

  /// Writes a feed's ``columns``.
  ///
  /// - Returns: The answer's slot in the log.
  func write(to feed: inout some EditableValues<Feed>) -> Int {
    if outcome != .refused { feed[Feed.schema.lastFetch] = date }
    feed[Feed.schema.storedOutcome] = outcome.rawValue
    feed[Feed.schema.lastStatus] = summary?.head.status
    Feed.write(failure, to: &feed)
    feed[Feed.schema.lastInserted] = counts.inserted
    feed[Feed.schema.lastEdited] = counts.edited
    if outcome != .refused {
      feed[Feed.schema.storedFailures] = outcome == .failed ? feed.failures + 1 : 0
    }
    feed[Feed.schema.notBefore] = notBefore
    feed[Feed.schema.pausedURL] = notBefore.flatMap { _ in summary.map(\.head.address.removingPassword) }
    feed[Feed.schema.isGone410] = isGone
    feed[Feed.schema.nextFetch] = next.date
    PollReason.write(next.reason, to: &feed)
    feed[Feed.schema.scheduledAt] = date
    if let head = summary?.head, outcome.isSuccess { writeValidators(head, to: &feed) }
    let fetches = feed.fetches
    feed[Feed.schema.storedFetches] = fetches + 1
    return fetches % FetchRecord.kept
  }

  private func writeValidators(_ head: ResponseHead, to feed: inout some EditableValues<Feed>) {
    if let saved {
      feed[Feed.schema.etag] = saved.etag
      feed[Feed.schema.lastModified] = saved.lastModified
      if let hash = saved.hash { feed[Feed.schema.bodyHash] = hash }
    } else if head.status == 304 {
      // A 304 may contain newer validators; without any, the previous ones stay (RFC 9110, 15.4.5).
      if let etag = head.etag { feed[Feed.schema.etag] = etag }
      if let lastModified = head.lastModified { feed[Feed.schema.lastModified] = lastModified }
    } else {
      return
    }
    feed[Feed.schema.validatorsURL] = head.address.removingPassword
  }

  // MARK: The log

  /// The attributes that identify a log entry.
  static let recordPlace = [FetchRecord.schema.feed.index, FetchRecord.schema.slot.index]

  /// Returns an empty batch for log entries.
  static func records() -> RowBatch {
    RowBatch(entity: NewsModel.Place.fetchRecord, columns: FetchRecord.columns)
  }

  /// Adds the answer's log entry.
  func appendRecord(of request: FeedRequest, slot: Int, to rows: inout RowBatch) {
    rows.beginRow()
    rows.append(request.feed.attributeValue)
    rows.append(slot.attributeValue)
    rows.append(.secondsSince1970(date))
    rows.append(text: outcome.rawValue)
    rows.append((summary?.head.status).attributeValue)
    rows.append((failure?.detail).attributeValue)
    rows.append(counts.inserted.attributeValue)
    rows.append(counts.edited.attributeValue)
    rows.append((summary?.decodedBytes ?? 0).attributeValue)
    rows.append((summary?.firstByteSeconds).map(Self.milliseconds).attributeValue)
    rows.append((summary?.totalSeconds).map(Self.milliseconds).attributeValue)
    rows.append((summary?.wireBytes).attributeValue)
    rows.append((request.claim?.run).attributeValue)
    for count in [counts.skipped, counts.joined, shortened.texts, shortened.lists, shortened.articles] {
      rows.append((count > 0 ? count : nil).attributeValue)
    }
    rows.append(summary.flatMap { request.openAddress($0.head) }.attributeValue)
    rows.append((isWebPage ? true : nil).attributeValue)
    rows.append((failure?.code?.rawValue).attributeValue)
    rows.append((failure?.number).attributeValue)
    rows.append((failure?.address).attributeValue)
    for count in [counts.markupChanges, counts.dateChanges, archivedEdits] {
      rows.append((count > 0 ? count : nil).attributeValue)
    }
  }

  private static func milliseconds(_ seconds: Double) -> Int {
    Int((max(0, min(seconds, 1e6)) * 1000).rounded())
  }
}
