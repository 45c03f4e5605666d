import Foundation
import HTTPDownload
import WebAddress

/// One request for several feeds: each gets its answer as if it had been polled alone.
///
/// Feeds have the same address after moves, or addresses that differ only in parts that no server receives.
final class SharedTransfer: DownloadSink {
  private let transfers: [FeedTransfer]

  init(_ transfers: [FeedTransfer]) {
    self.transfers = transfers
  }

  /// Feeds that are polled together wait together.
  func mayStart(_ transfer: TransferID) -> Bool {
    transfers.allSatisfy { $0.mayStart(transfer) }
  }

  func mustWait(beforeRedirect retryAfter: String, transfer: TransferID) -> Bool {
    transfers.contains { $0.mustWait(beforeRedirect: retryAfter, transfer: transfer) }
  }

  func didReceive(head: ResponseHead, transfer: TransferID) {
    // The host has answered one request.
    transfers.first?.didReceive(head: head, transfer: transfer)
    for feed in transfers.dropFirst() { feed.receive(head, transfer) }
  }

  func mayFollow(to address: WebAddress, transfer: TransferID) -> Bool {
    transfers.allSatisfy { $0.mayFollow(to: address, transfer: transfer) }
  }

  func mustWait(toFollow address: WebAddress, transfer: TransferID) -> Bool {
    transfers.reduce(false) { $1.mustWait(toFollow: address, transfer: transfer) || $0 }
  }

  /// Pauses for the slowest feed. The first feed that is ready resumes the transfer, and the slowest pauses
  /// it again after one more chunk.
  func didReceive(chunk: [UInt8], transfer: TransferID) -> DownloadFlow {
    let flows = transfers.map { $0.didReceive(chunk: chunk, transfer: transfer) }
    return flows.contains(.pause) ? .pause : .proceed
  }

  func didFinish(_ result: Result<DownloadSummary, DownloadError>, transfer: TransferID) {
    for feed in transfers { feed.didFinish(result, transfer: transfer) }
  }
}

extension DownloadRequest {
  /// Creates the single request for feeds with the same ``FeedRequest/identity``.
  ///
  /// It is conditional if "not modified" means the same for all feeds, as it does after a common answer, and
  /// if no feed is silent for too long.
  init(_ requests: [FeedRequest], limits: DownloadLimits, at now: Date) {
    let first = requests[0]
    let isConditional =
      !requests.contains { $0.doubtsSilence(at: now) }
      && requests.dropFirst().allSatisfy {
        $0.etag == first.etag && $0.lastModified == first.lastModified
          && $0.validatorsTarget == first.validatorsTarget
      }
    self.init(
      first.address, etag: isConditional ? first.etag : nil,
      lastModified: isConditional ? first.lastModified : nil, headers: first.additions.fields, limits: limits)
    validatorsAddress = first.validatorsAddress
    userAgent = first.additions.userAgent
    // After an unreadable partial feed, the server is asked for the whole feed.
    acceptsPartialFeed = requests.allSatisfy { $0.failures == 0 }
    isRepeated = true
    isSingle = requests.contains(where: \.isLimited)
  }
}
