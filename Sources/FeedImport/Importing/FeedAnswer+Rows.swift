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
      Feed.Key.lastFetch.index, Feed.Key.lastOutcome.index, Feed.Key.lastStatus.index,
      Feed.Key.lastInserted.index, Feed.Key.lastEdited.index, Feed.Key.failures.index,
      Feed.Key.notBefore.index, Feed.Key.pausedURL.index, Feed.Key.isGone410.index, Feed.Key.nextFetch.index,
      Feed.Key.scheduledAt.index, Feed.Key.etag.index, Feed.Key.lastModified.index, Feed.Key.bodyHash.index,
      Feed.Key.validatorsURL.index, Feed.Key.fetches.index,
    ]

  /// Writes a feed's ``columns``.
  ///
  /// - Returns: The answer's slot in the log.
  func write(to feed: inout some AttributeWriting) -> Int {
    if outcome != .refused { feed[Feed.Key.lastFetch] = date }
    feed[Feed.Key.lastOutcome] = outcome.rawValue
    feed[Feed.Key.lastStatus] = summary?.head.status
    Feed.write(failure, to: &feed)
    feed[Feed.Key.lastInserted] = counts.inserted
    feed[Feed.Key.lastEdited] = counts.edited
    if outcome != .refused { feed[Feed.Key.failures] = outcome == .failed ? Feed.failures(in: feed) + 1 : 0 }
    feed[Feed.Key.notBefore] = notBefore
    feed[Feed.Key.pausedURL] = notBefore.flatMap { _ in summary.map(\.head.address.removingPassword) }
    feed[Feed.Key.isGone410] = isGone
    feed[Feed.Key.nextFetch] = next.date
    PollReason.write(next.reason, to: &feed)
    feed[Feed.Key.scheduledAt] = date
    if let head = summary?.head, outcome.isSuccess { writeValidators(head, to: &feed) }
    let fetches = Feed.fetches(in: feed)
    feed[Feed.Key.fetches] = fetches + 1
    return fetches % FetchRecord.kept
  }

  private func writeValidators(_ head: ResponseHead, to feed: inout some AttributeWriting) {
    if let saved {
      feed[Feed.Key.etag] = saved.etag
      feed[Feed.Key.lastModified] = saved.lastModified
      if let hash = saved.hash { feed[Feed.Key.bodyHash] = hash }
    } else if head.status == 304 {
      // A 304 may contain newer validators; without any, the previous ones stay (RFC 9110, 15.4.5).
      if let etag = head.etag { feed[Feed.Key.etag] = etag }
      if let lastModified = head.lastModified { feed[Feed.Key.lastModified] = lastModified }
    } else {
      return
    }
    feed[Feed.Key.validatorsURL] = head.address.removingPassword
  }

  // MARK: The log

  /// The attributes that identify a log entry.
  static let recordPlace = [FetchRecord.Key.feed.index, FetchRecord.Key.slot.index]

  /// Returns an empty batch for log entries.
  static func records() -> RowBatch {
    RowBatch(entity: NewsModel.Place.fetchRecord, columns: FetchRecord.Key.columns)
  }

  /// Adds the answer's log entry.
  func appendRecord(of request: FeedRequest, slot: Int, to rows: inout RowBatch) {
    rows.beginRow()
    rows.append(request.feed.attributeValue)
    rows.append(slot.attributeValue)
    rows.append(date.attributeValue)
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
