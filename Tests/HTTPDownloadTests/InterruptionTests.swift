import Dispatch
import LoopbackServer
import Testing

@testable import HTTPDownload

/// What a process that was stopped for a while counts towards the limits of its transfers.
struct InterruptionTests {
  private let start = ContinuousClock.now

  @Test func `rounds that follow one another are no interruption`() {
    var watch = InterruptionWatch(tolerance: .seconds(3), now: start)
    let times = [0.5, 1.5, 4.4, 7.3].map { start + .seconds($0) }
    #expect(times.map { watch.interruption(at: $0) } == [nil, nil, nil, nil])
  }

  @Test func `the time without a round is the interruption`() {
    var watch = InterruptionWatch(tolerance: .seconds(3), now: start)
    let times = [1.0, 601, 602].map { start + .seconds($0) }
    #expect(times.map { watch.interruption(at: $0) } == [nil, .seconds(600), nil])
  }

  /// Starts a transfer, holds the loop for longer than the transfer's limits, and lets the server answer only after that.
  private func interrupted(
    _ response: ScriptedResponse, change: (inout DownloadRequest) -> Void
  ) async throws -> RecordingSink.Record {
    let (gate, release) = (Gate(), DispatchSemaphore(value: 0))
    let server = try LoopbackHTTPServer { request in
      request.target == "/" ? response.after(gate) : .ok("x")
    }
    defer { server.stop() }
    let downloader = try Downloader.make { $0.interruptionTolerance = .milliseconds(500) }
    defer { downloader.shutdown() }
    let sink = RecordingSink()
    var request = DownloadRequest.patient(server.url("/"))
    change(&request)
    downloader.start(request, sink: sink)
    await server.waitForRequests(1)
    let holder = RecordingSink { _, _ in
      release.wait()
      return .proceed
    }
    downloader.start(.patient(server.url("/hold")), sink: holder)
    // A transfer of another downloader takes longer than the limits of the first one, without a sleep.
    let other = try SilentServer()
    var clock = DownloadRequest.patient("http://127.0.0.1:\(other.port)/")
    clock.limits.totalTimeout = .seconds(5)
    #expect(await (try Downloader.make()).fetch(clock).error == .timedOut(seconds: 5, phase: .waiting))
    release.signal()
    // The loop makes another round.
    #expect(await downloader.fetch(.patient(server.url("/next"))).status == 200)
    gate.open()
    return await sink.finished()
  }

  @Test func `an interruption does not count towards the total time`() async throws {
    let record = try await interrupted(.ok("x")) { $0.limits.totalTimeout = .seconds(4) }
    #expect(record.status == 200, "\(record.words)")
  }

  @Test func `an interruption does not make a transfer too slow`() async throws {
    let response = ScriptedResponse(.send(ScriptedResponse.head(304, "Not Modified", headers: [])))
    let record = try await interrupted(response) {
      $0.etag = Array("\"1\"".utf8)
      $0.limits.lowSpeedTime = .seconds(4)
    }
    #expect(record.status == 304, "\(record.words)")
  }
}
