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
    /// The number of the feed's worker; nil before its response begins.
    var worker: Int?
  }

  private static let pauseAbove = 64 << 10
  private static let resumeBelow = 32 << 10

  let request: FeedRequest
  private let run: ImportRun
  private let workers: [FeedWorker]
  private let usual: Int
  private let backlog = Locked(Backlog())

  /// - Parameters:
  ///   - workers: The workers of the run.
  ///   - usual: The number of the worker that gets the feed if none has less to do.
  init(_ request: FeedRequest, run: ImportRun, workers: [FeedWorker], usual: Int) {
    self.request = request
    (self.run, self.workers, self.usual) = (run, workers, usual)
  }

  /// The worker of the feed, which is chosen when its response begins: the one for which the fewest bytes wait. By their places
  /// alone, one worker could get all the feeds that have changed.
  private var worker: FeedWorker {
    let number = backlog.withLock { backlog in
      if let number = backlog.worker { return number }
      let waiting = workers.map { $0.backlog.withLock { $0.bytes } }
      let number = Self.leastBusy(waiting, usual: usual)
      backlog.worker = number
      return number
    }
    return workers[number]
  }

  /// Returns the number of the worker for which the fewest bytes wait: `usual` if no other has fewer.
  static func leastBusy(_ waiting: [Int], usual: Int) -> Int {
    guard let least = waiting.min(), waiting[usual] > least else { return usual }
    return waiting.firstIndex(of: least) ?? usual
  }

  func mayStart(_ transfer: TransferID) -> Bool { run.begin(request) }

  func mayFollow(to address: WebAddress, transfer: TransferID) -> Bool {
    run.mayFollow(request, to: address)
  }

  func mustWait(toFollow address: WebAddress, transfer: TransferID) -> Bool {
    run.mustWait(request, toFollow: address, transfer)
  }

  func mustWait(beforeRedirect retryAfter: String, transfer: TransferID) -> Bool {
    !request.hasWaited && run.asksForPause(retryAfter)
  }

  func didReceive(head: ResponseHead, transfer: TransferID) {
    run.note(head, of: request)
    receive(head, transfer)
  }

  /// Passes on the head of an answer that another feed of the same request has noted.
  func receive(_ head: ResponseHead, _ transfer: TransferID) {
    // The end states everything about an answer without articles.
    if head.isDocument || head.isPartialFeed { worker.deliver(.head(head), of: self, transfer) }
  }

  func didReceive(chunk: [UInt8], transfer: TransferID) -> DownloadFlow {
    // Many small responses are as much as a large one.
    let worker = worker
    let isCrowded = worker.backlog.withLock { $0.add(chunk.capacity) } || !run.hasMemory(for: transfer)
    let flow = backlog.withLock { backlog -> DownloadFlow in
      backlog.bytes += chunk.capacity
      backlog.isPaused = isCrowded || backlog.bytes > Self.pauseAbove
      return backlog.isPaused ? .pause : .proceed
    }
    worker.deliver(.chunk(chunk), of: self, transfer)
    return flow
  }

  func didFinish(_ result: Result<DownloadSummary, DownloadError>, transfer: TransferID) {
    run.endTransfer(of: request)
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
