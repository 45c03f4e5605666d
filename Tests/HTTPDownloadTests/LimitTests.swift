import HTTPDownload
import LoopbackServer
import Testing

struct LimitTests {
  @Test func `an endless body stops at the limit`() async throws {
    let response = ScriptedResponse(
      .send(ScriptedResponse.head(200, "OK", headers: [])), .sendForEver(Array(repeating: 0x20, count: 65536))
    )
    let record = try await fetch(response) { $0.limits.maxBodyBytes = 1 << 20 }
    #expect(record.error == .bodyTooLarge(limit: 1 << 20))
    #expect(record.body.count <= 1 << 20)
  }

  @Test func `a Content-Length over the limit is refused at once`() async throws {
    let head = ScriptedResponse.head(200, "OK", headers: ["Content-Length: 9000000000000000000"])
    let record = try await fetch(ScriptedResponse(.send(head), .hang))
    #expect(record.error == .bodyTooLarge(limit: 32 << 20))
  }

  @Test func `a body of exactly the limit is accepted`() async throws {
    let body = [UInt8](repeating: 1, count: 100_000)
    let record = try await fetch(.chunked([body])) { $0.limits.maxBodyBytes = 100_000 }
    #expect(record.body == body)
    let over = try await fetch(.chunked([body])) { $0.limits.maxBodyBytes = 99_999 }
    #expect(over.error == .bodyTooLarge(limit: 99_999))
  }

  @Test func `endless header lines stop at the limit`() async throws {
    let line = Array(("X-H: " + String(repeating: "h", count: 1000) + "\r\n").utf8)
    let record = try await fetch(
      ScriptedResponse(.send(Array("HTTP/1.1 200 OK\r\n".utf8)), .sendForEver(line)))
    #expect(record.error == .headersTooLarge(limit: 256 << 10))
  }

  @Test func `an endless header line stops at the limit`() async throws {
    let record = try await fetch(
      ScriptedResponse(
        .send(Array("HTTP/1.1 200 OK\r\nX-H: ".utf8)), .sendForEver(Array(repeating: 0x68, count: 65536))))
    #expect(record.error == .headersTooLarge(limit: 256 << 10))
  }

  @Test func `endless interim responses stop at the limit`() async throws {
    let record = try await fetch(
      ScriptedResponse(.sendForEver(Array("HTTP/1.1 103 Early Hints\r\n\r\n".utf8))))
    #expect(record.error == .headersTooLarge(limit: 256 << 10))
  }

  /// The phases in which a server stops sending, with the phase in which the transfer is.
  static let stuck: [(ScriptedResponse, TransferPhase)] = [
    (ScriptedResponse(.hang), .waiting),
    (
      ScriptedResponse(.send(Array("HTTP/1.1 200 OK\r\nX-Slow".utf8)), .hang),
      .waiting
    ),
    (
      ScriptedResponse(
        .send(ScriptedResponse.head(200, "OK", headers: ["Content-Length: 100"]) + [0x20]), .hang),
      .receiving
    ),
  ]

  @Test(arguments: stuck.indices) func `a stuck transfer times out`(index: Int) async throws {
    let (response, phase) = Self.stuck[index]
    let record = try await fetch(response) { $0.limits.totalTimeout = .seconds(1) }
    #expect(record.error == .timedOut(seconds: 1, phase: phase))
    #expect(record.disorder == 0)
  }

  @Test func `a slow transfer fails because of the low-speed limit`() async throws {
    let head = ScriptedResponse.head(200, "OK", headers: ["Content-Length: 100"])
    let record = try await fetch(ScriptedResponse(.send(head + [0x20]), .hang)) {
      $0.limits.lowSpeedTime = .seconds(1)
    }
    #expect(record.error == .tooSlow(bytesPerSecond: 100, seconds: 1))
  }

  @Test func `a TLS handshake that never ends times out`() async throws {
    let server = try SilentServer()
    var request = DownloadRequest(url: "https://127.0.0.1:\(server.port)/")
    request.limits.connectTimeout = .seconds(1)
    let record = await (try Downloader.make()).fetch(request)
    #expect(record.error == .timedOut(seconds: 1, phase: .securing))
  }

  @Test func `transfers to a silent TLS server do not wait for one another`() async throws {
    let server = try SilentServer()
    let downloader = try Downloader.make(perHost: 6)
    let sinks = (0..<6).map { _ in RecordingSink() }
    for sink in sinks {
      var request = DownloadRequest(url: "https://127.0.0.1:\(server.port)/")
      request.limits.connectTimeout = .seconds(1)
      request.limits.totalTimeout = .milliseconds(5500)
      downloader.start(request, sink: sink)
    }
    // One after another, the sixth would begin after five seconds and end by its total timeout.
    for sink in sinks {
      guard case .timedOut(seconds: 1, _) = await sink.finished().error else {
        Issue.record("\(sink.record.words)")
        continue
      }
    }
  }

  @Test func `time in the queue does not count towards the timeout`() async throws {
    let gate = Gate()
    try await withServer { request in
      request.target == "/first" ? .ok("x").after(gate) : .ok("y")
    } _: { server in
      let downloader = try Downloader.make(jobs: 1)
      let sinks = (0..<2).map { _ in RecordingSink() }
      downloader.start(DownloadRequest.patient(server.url("/first")), sink: sinks[0])
      var second = DownloadRequest(url: server.url("/second"))
      second.limits.totalTimeout = .seconds(2)
      downloader.start(second, sink: sinks[1])
      // A third transfer to another server takes longer than the second one's timeout, without a sleep.
      var request = DownloadRequest(url: server.url("/first"))
      request.limits.totalTimeout = .milliseconds(2500)
      #expect(await (try Downloader.make()).fetch(request).error == .timedOut(seconds: 2.5, phase: .waiting))
      gate.open()
      #expect(await sinks[0].finished().status == 200)
      #expect(await sinks[1].finished().status == 200)
    }
  }
}
