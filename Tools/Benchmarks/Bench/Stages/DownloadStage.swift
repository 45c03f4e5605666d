import Corpus
import Foundation
import HTTPDownload
import Threading
import WebAddress

/// Downloads all feeds and discards them.
enum DownloadStage {
  static func run(
    _ corpus: CorpusFolder, port: UInt16, _ stopwatch: inout Stopwatch
  ) throws -> (bytes: Int, rows: Int) {
    guard port > 0 else { throw Failure("download needs a server: --port") }
    let size = corpus.corpus.size
    let drain = Drain(feeds: size.feeds)
    try stopwatch.measure {
      let downloader = try Downloader(configuration: DownloaderConfiguration(userAgent: "newsimport-bench"))
      defer { downloader.shutdown() }
      var limits = DownloadLimits()
      limits.maxBodyBytes = 4 << 30
      downloader.start(
        (0..<size.feeds).map { feed in
          let url = LoopbackSocket.url(corpus.corpus.path(of: feed), of: feed, port: port)
          return (request: DownloadRequest(WebAddress(url), limits: limits), sink: drain)
        })
      drain.wait()
    }
    if let failure = drain.failure { throw Failure("download: \(failure)") }
    return (drain.bytes, size.articles)
  }
}

/// A sink that counts bytes.
private final class Drain: DownloadSink {
  private struct State {
    var bytes = 0
    var remaining: Int
    var failure: String?
  }

  private let state: Locked<State>
  private let end = DispatchSemaphore(value: 0)

  init(feeds: Int) {
    state = Locked(State(remaining: feeds))
  }

  var bytes: Int { state.withLock { $0.bytes } }
  var failure: String? { state.withLock { $0.failure } }

  /// Waits for the last transfer.
  func wait() { end.wait() }

  func didReceive(head: ResponseHead, transfer: TransferID) {
    if head.status != 200 { state.withLock { $0.failure = "status \(head.status)" } }
  }

  func didReceive(chunk: [UInt8], transfer: TransferID) -> DownloadFlow {
    state.withLock { $0.bytes += chunk.count }
    return .proceed
  }

  func didFinish(_ result: Result<DownloadSummary, DownloadError>, transfer: TransferID) {
    let isLast = state.withLock { state in
      if case .failure(let error) = result { state.failure = "\(error)" }
      state.remaining -= 1
      return state.remaining == 0
    }
    if isLast { end.signal() }
  }
}
