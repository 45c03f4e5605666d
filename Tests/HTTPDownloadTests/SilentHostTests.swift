import LoopbackServer
import Testing

@testable import HTTPDownload
import TestSupport

@Suite struct SilentHostTests {
  private static let host = "http://a.example:80"

  private static let silence = Result<DownloadSummary, DownloadError>.failure(
    .couldNotConnect(cause: "refused"))

  @Test(
    arguments: [
      (.timedOut(seconds: 1, phase: .waiting), .silence), (.couldNotResolve(cause: "x"), .silence),
      (.timedOut(seconds: 1, phase: .receiving), .answer(seconds: .infinity)),
      (.truncated(cause: "x"), .answer(seconds: .infinity)),
      (.redirected(to: "http://b.example/", .couldNotConnect(cause: "x")), .answer(seconds: .infinity)),
      (.cancelled, .nothing),
      (.hostClosed, .nothing),
    ] as [(DownloadError, HostSign)])
  func `an answer, even an incomplete one, shows that the host responds`(
    error: DownloadError, sign: HostSign
  ) {
    #expect(HostSign(.failure(error)) == sign)
  }

  private func queue(of count: UInt64, perHost: Int = 4) -> TransferQueue {
    var queue = TransferQueue(jobs: 64, open: 64, perHost: perHost, enoughSilence: 4)
    for id in 1...count { queue.enqueue(TransferID(id), host: Self.host) }
    return queue
  }

  /// Ends a transfer and returns the transfers that may begin.
  private func end(_ id: UInt64, _ sign: HostSign, in queue: inout TransferQueue) -> (
    isEnough: Bool, [UInt64]
  ) {
    let isEnough = queue.note(sign, of: TransferID(id))
    queue.finish(TransferID(id))
    return (isEnough, started(&queue))
  }

  private func started(_ queue: inout TransferQueue) -> [UInt64] {
    var ids: [UInt64] = []
    while let id = queue.next() { ids.append(id.rawValue) }
    return ids
  }

  @Test func `no fifth transfer starts while four are unanswered, ended or not`() {
    var queue = queue(of: 9)
    #expect(started(&queue) == [1, 2, 3, 4])
    for id: UInt64 in 1...3 { #expect(end(id, .silence, in: &queue) == (false, [])) }
    #expect(end(4, .silence, in: &queue).isEnough)
  }

  @Test func `a silent host gets one request of those that are queued later`() {
    var queue = queue(of: 4)
    _ = started(&queue)
    for id: UInt64 in 1...4 { _ = end(id, .silence, in: &queue) }
    for id: UInt64 in 5...9 { queue.enqueue(TransferID(id), host: Self.host) }
    #expect(started(&queue) == [5])
    #expect(end(5, .silence, in: &queue) == (true, [6]))
    #expect(end(6, .answer(seconds: 1), in: &queue) == (false, [7, 8, 9]))
  }

  @Test func `an answer lets all transfers continue`() {
    var queue = queue(of: 9)
    _ = started(&queue)
    #expect(end(1, .silence, in: &queue) == (false, []))
    #expect(end(2, .nothing, in: &queue) == (false, [5]))
    #expect(end(3, .answer(seconds: 1), in: &queue) == (false, [6, 7]))
  }

  @Test func `a host loses its turn if one of its transfers gets no answer meanwhile`() {
    var queue = TransferQueue(jobs: 3, open: 64, perHost: 3, enoughSilence: 3)
    for id: UInt64 in 1...9 { queue.enqueue(TransferID(id), host: Self.host) }
    queue.enqueue(TransferID(10), host: "http://b.example:80")
    #expect(started(&queue) == [1, 10, 2])
    #expect(end(1, .silence, in: &queue) == (false, [3]))
    queue.finish(TransferID(10))
    #expect(started(&queue) == [])
  }

  @Test func `sequential unanswered transfers count like concurrent ones`() {
    var queue = queue(of: 9, perHost: 1)
    #expect(started(&queue) == [1])
    for id: UInt64 in 1...3 { #expect(end(id, .silence, in: &queue) == (false, [id + 1])) }
    #expect(end(4, .silence, in: &queue).isEnough)
  }

  @Test func `a silent host costs one timeout, and others continue`() async throws {
    let silent = try SilentServer()
    let server = try LoopbackHTTPServer { _ in .ok("x") }
    defer { server.stop() }
    let downloader = try Downloader.make()
    defer { downloader.shutdown() }
    var limits = DownloadLimits()
    limits.totalTimeout = .milliseconds(200)
    let urls = (0..<20).map { "http://127.0.0.1:\(silent.port)/\($0)" } + [server.url("/")]
    let sinks = urls.map { _ in RecordingSink() }
    downloader.start(zip(urls, sinks).map { (DownloadRequest(url: $0, limits: limits), $1) })
    var errors: [DownloadError?] = []
    for sink in sinks { errors.append(await sink.finished().error) }
    #expect(errors.count { $0 == .timedOut(seconds: 0.2, phase: .waiting) } == 4)
    #expect(errors.count { $0 == .hostSilent(transfers: 4) } == 16)
    #expect(errors.count { $0 == nil } == 1)
  }
}
