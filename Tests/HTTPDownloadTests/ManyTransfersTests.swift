import HTTPDownload
import LoopbackServer
import Testing

struct ManyTransfersTests {
  @Test func `transfers of one host stay within its limit`() async throws {
    let gate = Gate()
    try await withServer { _ in
      .ok("x").after(gate)
    } _: { server in
      let downloader = try Downloader.make(jobs: 16, perHost: 3)
      let sinks = (0..<20).map { _ in RecordingSink() }
      for (number, sink) in sinks.enumerated() {
        downloader.start(DownloadRequest.patient(server.url("/\(number)")), sink: sink)
      }
      await server.waitForRequests(3)
      gate.open()
      for sink in sinks { #expect(await sink.finished().text == "x") }
      #expect(server.mostRequestsAtOnce == 3)
      #expect(server.connectionCount == 3)
    }
  }

  @Test func `transfers of all hosts stay within the number of jobs`() async throws {
    let gate = Gate()
    let servers = try (0..<6).map { _ in try LoopbackHTTPServer { _ in .ok("x").after(gate) } }
    defer { for server in servers { server.stop() } }
    let downloader = try Downloader.make(jobs: 5, perHost: 2)
    let sinks = (0..<30).map { _ in RecordingSink() }
    for (number, sink) in sinks.enumerated() {
      downloader.start(DownloadRequest.patient(servers[number % 6].url("/\(number)")), sink: sink)
    }
    // The first five servers have one transfer each, and the sixth waits for a slot.
    for server in servers.prefix(5) { await server.waitForRequests(1) }
    #expect(servers.map(\.requests.count) == [1, 1, 1, 1, 1, 0])
    gate.open()
    for sink in sinks { #expect(await sink.finished().text == "x") }
    #expect(servers.allSatisfy { $0.requests.count == 5 && $0.mostRequestsAtOnce <= 2 })
  }

  @Test func `requests queued together give every host its turn, even with few jobs`() async throws {
    try await withServer { _ in
      ScriptedResponse(.hang)
    } _: { tarpit in
      try await withServer { _ in
        .ok("good")
      } _: { good in
        let downloader = try Downloader.make(jobs: 2, perHost: 4)
        let sink = RecordingSink()
        let stuck = (0..<12).map { (DownloadRequest.patient(tarpit.url("/\($0)")), RecordingSink()) }
        downloader.start(stuck + [(DownloadRequest.patient(good.url("/")), sink)])
        #expect(await sink.finished().text == "good")
        downloader.shutdown()
      }
    }
  }

  @Test func `unresponsive hosts do not delay another host`() async throws {
    try await withServer { _ in
      ScriptedResponse(.hang)
    } _: { tarpit in
      try await withServer { _ in
        .ok("good")
      } _: { good in
        let downloader = try Downloader.make(jobs: 8, perHost: 4)
        let sinks = (0..<12).map { _ in RecordingSink() }
        for (number, sink) in sinks.enumerated() {
          downloader.start(DownloadRequest.patient(tarpit.url("/\(number)")), sink: sink)
        }
        #expect(await downloader.fetch(DownloadRequest.patient(good.url("/"))).text == "good")
        downloader.cancelAll()
        for sink in sinks { #expect(await sink.finished().error == .cancelled) }
        #expect(tarpit.requests.count <= 4)
      }
    }
  }

  @Test func `silent hosts take no slots from others, and count again when they send`()
    async throws
  {
    let gate = Gate()
    let silent = try (0..<3).map { _ in try LoopbackHTTPServer { _ in .ok("late").after(gate) } }
    defer { for server in silent { server.stop() } }
    try await withServer { _ in
      .ok("good")
    } _: { good in
      let downloader = try Downloader.make(jobs: 1) { $0.silence = .milliseconds(1) }
      let late = silent.map { (DownloadRequest.patient($0.url("/")), RecordingSink()) }
      let sink = RecordingSink()
      downloader.start(late + [(DownloadRequest.patient(good.url("/")), sink)])
      #expect(await sink.finished().text == "good")
      gate.open()
      for (_, sink) in late { #expect(await sink.finished().text == "late") }
    }
  }

  @Test func `redirects to one host stay within its limit of connections`() async throws {
    let gate = Gate()
    try await withServer { _ in
      .ok("x").after(gate)
    } _: { target in
      let servers = try (0..<4).map { _ in
        try LoopbackHTTPServer { request in .redirect(302, to: target.url(request.target)) }
      }
      defer { for server in servers { server.stop() } }
      let downloader = try Downloader.make(jobs: 16, perHost: 2)
      let sinks = (0..<8).map { _ in RecordingSink() }
      for (number, sink) in sinks.enumerated() {
        downloader.start(DownloadRequest.patient(servers[number % 4].url("/\(number)")), sink: sink)
      }
      await target.waitForRequests(2)
      for server in servers { await server.waitForRequests(2) }
      gate.open()
      for sink in sinks { #expect(await sink.finished().text == "x") }
      #expect(target.mostConnectionsAtOnce <= 2)
    }
  }

  @Test func `five hundred transfers reach their sinks`() async throws {
    try await withServer {
      .ok(String(repeating: $0.target, count: 1000))
    } _: { server in
      let downloader = try Downloader.make(jobs: 32, perHost: 16)
      let sinks = (0..<500).map { _ in RecordingSink() }
      for (number, sink) in sinks.enumerated() {
        downloader.start(DownloadRequest.patient(server.url("/\(number)")), sink: sink)
      }
      for (number, sink) in sinks.enumerated() {
        let record = await sink.finished()
        #expect(record.text == String(repeating: "/\(number)", count: 1000))
        #expect(record.disorder == 0)
      }
      #expect(server.connectionCount <= 16)
    }
  }
}
