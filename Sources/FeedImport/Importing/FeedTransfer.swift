import HTTPDownload
import Threading
import WebAddress

/// Passes the data of one feed from the download thread to its worker, in order.
///
/// Bytes that wait for the worker are counted. Above a limit the transfer pauses, so that a server that is faster than
/// the parser does not fill the memory.
final class FeedTransfer: DownloadSink {
  /// An event for the worker.
  enum Event: Sendable {
    case head(ResponseHead)
    case chunk([UInt8])
    case end(Result<DownloadSummary, DownloadError>)
  }

  private struct Backlog: Sendable {
    /// The capacity of chunks: a chunk that is half full takes as much memory as a full one.
    var bytes = 0
    var isPaused = false
  }

  private static let pauseAbove = 64 << 10
  private static let resumeBelow = 32 << 10

  let request: FeedRequest
  private let worker: FeedWorker
  private let backlog = Locked(Backlog())

  init(_ request: FeedRequest, worker: FeedWorker) {
    self.request = request
    self.worker = worker
  }

  func mayStart(_ transfer: TransferID) -> Bool { worker.run.begin(request) }

  func mayFollow(to address: WebAddress, transfer: TransferID) -> Bool {
    worker.run.mayFollow(request, to: address)
  }

  func mustWait(toFollow address: WebAddress, transfer: TransferID) -> Bool {
    worker.run.mustWait(request, toFollow: address, transfer)
  }

  func mustWait(beforeRedirect retryAfter: String, transfer: TransferID) -> Bool {
    !request.hasWaited && worker.run.asksForPause(retryAfter)
  }

  func didReceive(head: ResponseHead, transfer: TransferID) {
    worker.run.note(head)
    // The end states everything about an answer without articles.
    if head.status == 200 || head.isPartialFeed { worker.deliver(.head(head), of: self, transfer) }
  }

  func didReceive(chunk: [UInt8], transfer: TransferID) -> DownloadFlow {
    // Many small responses are as much as a large one.
    let isCrowded =
      worker.backlog.withLock { $0.add(chunk.capacity) } || !worker.run.hasMemory(for: transfer)
    let flow = backlog.withLock { backlog -> DownloadFlow in
      backlog.bytes += chunk.capacity
      backlog.isPaused = isCrowded || backlog.bytes > Self.pauseAbove
      return backlog.isPaused ? .pause : .proceed
    }
    worker.deliver(.chunk(chunk), of: self, transfer)
    return flow
  }

  func didFinish(_ result: Result<DownloadSummary, DownloadError>, transfer: TransferID) {
    worker.run.endTransfer(of: request)
    worker.deliver(.end(result), of: self, transfer)
  }

  /// Notes that the worker has parsed a chunk.
  ///
  /// - Returns: The paused transfers of the worker that can take more now.
  func didParse(_ chunk: [UInt8], transfer: TransferID) -> [TransferID] {
    let isReady = backlog.withLock { backlog in
      backlog.bytes -= chunk.capacity
      guard backlog.isPaused, backlog.bytes < Self.resumeBelow else { return false }
      backlog.isPaused = false
      return true
    }
    return worker.backlog.withLock { $0.remove(chunk.capacity, resumable: isReady ? transfer : nil) }
  }
}
