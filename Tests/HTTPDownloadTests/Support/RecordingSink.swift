import HTTPDownload
import Threading
import LoopbackServer

/// A sink that records all events and lets a test wait for the end.
final class RecordingSink: DownloadSink {
  struct Record {
    var heads: [ResponseHead] = []
    var body: [UInt8] = []
    var chunkCount = 0
    var result: Result<DownloadSummary, DownloadError>?
    /// The number of events after the end or in the wrong order, which must be 0.
    var disorder = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(Record())
  private let flow: @Sendable (TransferID, Int) -> DownloadFlow

  /// - Parameter flow: Returns the answer to a chunk, by its number from 1.
  init(flow: @escaping @Sendable (TransferID, Int) -> DownloadFlow = { _, _ in .proceed }) {
    self.flow = flow
  }

  var record: Record { state.withLock { $0 } }

  func didReceive(head: ResponseHead, transfer: TransferID) {
    state.withLock { state in
      if state.result != nil || state.chunkCount > 0 || !state.heads.isEmpty { state.disorder += 1 }
      state.heads.append(head)
    }
  }

  func didReceive(chunk: [UInt8], transfer: TransferID) -> DownloadFlow {
    let count = state.withLock { state in
      if state.result != nil || state.heads.count != 1 || chunk.isEmpty { state.disorder += 1 }
      state.body += chunk
      state.chunkCount += 1
      return state.chunkCount
    }
    return flow(transfer, count)
  }

  func didFinish(_ result: Result<DownloadSummary, DownloadError>, transfer: TransferID) {
    let waiters = state.withLock { state in
      if state.result != nil { state.disorder += 1 }
      state.result = result
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Returns all events after the transfer has ended.
  func finished() async -> Record {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.result == nil { state.waiters.append(continuation) }
        return state.result != nil
      }
      if isOver { continuation.resume() }
    }
    return record
  }
}

extension RecordingSink.Record {
  var summary: DownloadSummary? { try? result?.get() }

  var status: Int? { summary?.head.status }

  var error: DownloadError? {
    guard case .failure(let error) = result else { return nil }
    return error
  }

  var text: String { String(decoding: body, as: UTF8.self) }
}
