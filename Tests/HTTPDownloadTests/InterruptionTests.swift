import Dispatch
import LoopbackServer
import Testing
import Threading

@testable import HTTPDownload

/// What a process that was stopped for a while counts towards the limits of its transfers.
struct InterruptionTests {
  private let start = ContinuousClock.now

  @Test func `rounds that follow one another are no interruption`() {
    var watch = InterruptionWatch(now: start)
    let times = [0.5, 1.5, 4.4, 7.3].map { start + .seconds($0) }
    #expect(times.map { watch.interruption(at: $0) } == [nil, nil, nil, nil])
  }

  @Test func `the time without a round is the interruption`() {
    var watch = InterruptionWatch(now: start)
    let times = [1.0, 601, 602].map { start + .seconds($0) }
    #expect(times.map { watch.interruption(at: $0) } == [nil, .seconds(600), nil])
  }

  @Test func `an interruption does not count towards the total time`() async throws {
    let (gate, passed) = (Gate(), Locked(Duration.zero))
    try await withServer { request in
      request.target == "/" ? .ok("x").after(gate) : .ok("y")
    } _: { server in
      let downloader = try Downloader.make { $0.now = { .now + passed.withLock { $0 } } }
      let sink = RecordingSink()
      downloader.start(.patient(server.url("/")), sink: sink)
      await server.waitForRequests(1)
      passed.withLock { $0 = .seconds(3600) }
      // The loop makes a round.
      #expect(await downloader.fetch(.patient(server.url("/next"))).status == 200)
      gate.open()
      let record = await sink.finished()
      #expect(record.status == 200, "\(record.words)")
    }
  }

  /// The loop reads its clock several times in a round.
  @Test(arguments: [false, true], 0..<4)
  func `an answer that broke off during an interruption is no failure if the request is repeated`(
    isRepeated: Bool, readsBefore: Int
  ) async throws {
    let (gate, reads) = (Gate(), Locked<Int?>(nil))
    let passed = { @Sendable () -> Duration in
      let left = reads.withLock { reads in
        reads = reads.map { $0 - 1 }
        return reads
      }
      return left.map { $0 < 0 } == true ? .seconds(3600) : .zero
    }
    let cut = ScriptedResponse(
      .send(ScriptedResponse.head(200, "OK", headers: ["Content-Length: 100"])), .wait(gate))
    try await withServer { request in
      request.target == "/" ? cut : .ok("y")
    } _: { server in
      let downloader = try Downloader.make { $0.now = { .now + passed() } }
      let sink = RecordingSink()
      var request = DownloadRequest.patient(server.url("/"))
      request.isRepeated = isRepeated
      downloader.start(request, sink: sink)
      await server.waitForRequests(1)
      reads.withLock { $0 = readsBefore }
      // The loop makes rounds.
      #expect(await downloader.fetch(.patient(server.url("/next"))).status == 200)
      gate.open()
      let record = await sink.finished()
      #expect((record.error == .withheld) == isRepeated, "\(record.words)")
    }
  }

  /// A sink that holds the loop when its transfer has ended.
  private final class HoldingSink: DownloadSink {
    let release = DispatchSemaphore(value: 0)

    func didReceive(head: ResponseHead, transfer: TransferID) {}
    func didReceive(chunk: [UInt8], transfer: TransferID) -> DownloadFlow { .proceed }
    func didFinish(_ result: Result<DownloadSummary, DownloadError>, transfer: TransferID) { release.wait() }
  }

  /// The loop holds itself, by the end of a transfer: on a busy machine, the test may go on much later.
  @Test func `an answer that came during an interruption is not too slow`() async throws {
    let (gate, holder) = (Gate(), HoldingSink())
    // An answer without a body would end before libcurl looks at the speed.
    let head = ScriptedResponse.head(200, "OK", headers: ["Content-Length: 1"])
    let answer = ScriptedResponse(.send(head + [0x20]))
    try await withServer { _ in
      answer.after(gate)
    } _: { server in
      let (downloader, silent) = (try Downloader.make(), try SilentServer())
      var request = DownloadRequest.patient(server.url("/"))
      request.limits.lowSpeedTime = .seconds(10)
      let sink = RecordingSink()
      downloader.start(request, sink: sink)
      // libcurl looks at the speed once a second. It has found it too low when the loop is held.
      var held = DownloadRequest.patient("http://127.0.0.1:\(silent.port)/")
      held.limits.totalTimeout = .milliseconds(2500)
      downloader.start(held, sink: holder)
      await server.waitForRequests(1)
      // A transfer of another downloader takes longer than both limits, without a sleep.
      held.limits.totalTimeout = .seconds(14)
      #expect(await (try Downloader.make()).fetch(held).error == .timedOut(seconds: 14, phase: .waiting))
      gate.open()
      // The server has sent the answer.
      await server.waitForConnections(atMost: 0)
      holder.release.signal()
      let record = await sink.finished()
      #expect(record.status == 200, "\(record.words)")
    }
  }
}
