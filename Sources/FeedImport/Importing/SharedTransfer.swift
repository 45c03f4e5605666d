import HTTPDownload
import WebAddress

/// One request of several feeds: each gets its answer as if it had asked alone.
///
/// Feeds come to the same address by redirects, or by addresses that differ in what no server sees.
final class SharedTransfer: DownloadSink {
  private let transfers: [FeedTransfer]

  init(_ transfers: [FeedTransfer]) {
    self.transfers = transfers
  }

  /// Those that are asked together stay together: one that waits keeps the others waiting.
  func mayStart(_ transfer: TransferID) -> Bool {
    transfers.allSatisfy { $0.mayStart(transfer) }
  }

  func mustWait(beforeRedirect retryAfter: String, transfer: TransferID) -> Bool {
    transfers.contains { $0.mustWait(beforeRedirect: retryAfter, transfer: transfer) }
  }

  func didReceive(head: ResponseHead, transfer: TransferID) {
    for feed in transfers { feed.didReceive(head: head, transfer: transfer) }
  }

  func mayFollow(to address: WebAddress, transfer: TransferID) -> Bool {
    transfers.allSatisfy { $0.mayFollow(to: address, transfer: transfer) }
  }

  /// Pauses for the slowest; the first that is ready again lets all go on, and the slowest pauses after one more chunk.
  func didReceive(chunk: [UInt8], transfer: TransferID) -> DownloadFlow {
    let flows = transfers.map { $0.didReceive(chunk: chunk, transfer: transfer) }
    return flows.contains(.pause) ? .pause : .proceed
  }

  func didFinish(_ result: Result<DownloadSummary, DownloadError>, transfer: TransferID) {
    for feed in transfers { feed.didFinish(result, transfer: transfer) }
  }
}

extension DownloadRequest {
  /// The one request of feeds whose ``FeedRequest/identity`` is the same.
  ///
  /// It is conditional where "not modified" means the same to all of them: after one common answer it always does.
  init(_ requests: [FeedRequest], limits: DownloadLimits) {
    let first = requests[0]
    let isConditional = requests.dropFirst().allSatisfy {
      $0.etag == first.etag && $0.lastModified == first.lastModified
        && $0.validatorsTarget == first.validatorsTarget
    }
    self.init(
      first.address, etag: isConditional ? first.etag : nil,
      lastModified: isConditional ? first.lastModified : nil, headers: first.additions.fields, limits: limits)
    validatorsAddress = first.validatorsAddress
    userAgent = first.additions.userAgent
    // A server whose part could not be read is asked for the whole.
    acceptsPartialFeed = requests.allSatisfy { $0.failures == 0 }
  }
}
