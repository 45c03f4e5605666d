import HTTPDownload
import Threading
import WebAddress

/// Passes a feed's data from the download thread to its worker, in order.
///
/// It counts the bytes that wait for the worker. Above a limit the transfer pauses, so that a server that is
/// faster than the parser does not fill the memory.
final class FeedTransfer: DownloadSink {
  enum Event: Sendable {
    case head(ResponseHead)
    case chunk([UInt8])
    case end(Result<DownloadSummary, DownloadError>)
  }

  private struct Backlog: Sendable {
    /// The capacity of waiting chunks: a half-full chunk takes as much memory as a full one.
    var bytes = 0
    var isPaused = false
    /// The number of the feed's worker; nil before it gets the response.
    var worker: Int?
    /// What was received before there was memory for the response; nil once the worker has it.
    var held: [Event]? = []
  }

  private static let pauseAbove = 64 << 10
  private static let resumeBelow = 32 << 10

  let request: FeedRequest
  private let run: ImportRun
  private let workers: [FeedWorker]
  private let usual: Int
  private let backlog = Locked(Backlog())

  /// - Parameters:
  ///   - workers: The run's workers.
  ///   - usual: The number of the worker that gets the feed if no other has fewer waiting bytes.
  init(_ request: FeedRequest, run: ImportRun, workers: [FeedWorker], usual: Int) {
    self.request = request
    (self.run, self.workers, self.usual) = (run, workers, usual)
  }

  /// The feed's worker: the one with the fewest waiting bytes when it gets the response. A fixed choice could
  /// give one worker all the feeds that have changed.
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

  /// Returns the number of the worker with the fewest waiting bytes; `usual` if none has fewer than it.
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

  /// Passes on an answer's head that another feed with the same request has noted.
  func receive(_ head: ResponseHead, _ transfer: TransferID) {
    // For an answer without articles, the end carries everything.
    if head.isDocument || head.isPartialFeed { backlog.withLock { $0.held?.append(.head(head)) } }
  }

  func didReceive(chunk: [UInt8], transfer: TransferID) -> DownloadFlow {
    let isHeld = backlog.withLock { $0.held != nil }
    if isHeld, !run.hasMemory(for: transfer) {
      // A parser takes more memory than the first bytes.
      backlog.withLock { $0.held?.append(.chunk(chunk)) }
      run.waitForMemory(transfer)
      return .pause
    }
    if isHeld { _ = deliverHeld(transfer) }
    return deliver(chunk, transfer)
  }

  private func deliverHeld(_ transfer: TransferID) -> DownloadFlow {
    var flow = DownloadFlow.proceed
    for event in backlog.withLock({ $0.held.take() }) ?? [] {
      if case .chunk(let chunk) = event {
        flow = deliver(chunk, transfer)
      } else {
        worker.deliver(event, of: self, transfer)
      }
    }
    return flow
  }

  private func deliver(_ chunk: [UInt8], _ transfer: TransferID) -> DownloadFlow {
    // Many small responses count as much as a large one.
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
    if backlog.withLock({ $0.held?.isEmpty == false }) {
      run.admit(transfer)
      // The transfer has paused, and keeps its slot until it is resumed.
      if deliverHeld(transfer) == .proceed { run.downloader.resume(transfer) }
    }
    worker.deliver(.end(result), of: self, transfer)
  }

  /// Notes that the worker has parsed a chunk.
  ///
  /// - Returns: The worker's paused transfers that can take more now.
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
