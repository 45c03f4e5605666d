import HTTPDownload
import LoopbackServer
import Testing
import WebAddress

/// What a server has of a downloader that has nothing more to ask: no connection.
@Suite struct IdleConnectionTests {
  private func fetch(_ urls: [String], by downloader: Downloader) async -> [RecordingSink.Record] {
    let sinks = urls.map { _ in RecordingSink() }
    downloader.start(zip(urls, sinks).map { (.patient($0), $1) })
    var records: [RecordingSink.Record] = []
    for sink in sinks { records.append(await sink.finished()) }
    return records
  }

  @Test(arguments: [1, 3, 4, 5, 30])
  func `connections are used again while requests wait, and closed after the last ones`(count: Int)
    async throws
  {
    try await withServer { _ in
      .ok("feed")
    } _: { server in
      let downloader = try Downloader.make { $0.closesIdleConnections = true }
      defer { downloader.shutdown() }
      let records = await fetch((0..<count).map { server.url("/\($0)") }, by: downloader)
      #expect(records.allSatisfy { $0.error == nil })
      // The downloader still runs.
      await server.waitForConnections(atMost: 0)
      #expect(server.connectionCount <= min(4, count) && server.requests.count == count)
    }
  }

  @Test func `a connection is closed whose request outlasts those that waited`() async throws {
    let gate = Gate()
    try await withServer { request in
      guard request.path == "/slow" else { return .ok("feed") }
      let head = ScriptedResponse.head(200, "OK", headers: ["Content-Length: 2"])
      return ScriptedResponse(.send(head + [0x61]), .wait(gate), .send([0x62]), keepsConnection: true)
    } _: { server in
      let downloader = try Downloader.make(perHost: 2) { $0.closesIdleConnections = true }
      defer { downloader.shutdown() }
      let slow = RecordingSink { _, _ in .proceed }
      downloader.start(.patient(server.url("/slow")), sink: slow)
      _ = await fetch((0..<6).map { server.url("/\($0)") }, by: downloader)
      gate.open()
      #expect(await slow.finished().error == nil)
      await server.waitForConnections(atMost: 0)
    }
  }

  @Test func `a connection is closed before another server is asked because of a redirect`() async throws {
    let gate = Gate()
    try await withServer { _ in
      ScriptedResponse.ok("feed").after(gate)
    } _: { target in
      let away = target.url("/")
      try await withServer { request in
        request.path == "/there"
          ? .redirect(302, to: away) : .redirect(302, to: "/there")
      } _: { server in
        let downloader = try Downloader.make { $0.closesIdleConnections = true }
        defer { downloader.shutdown() }
        let sink = RecordingSink()
        downloader.start(.patient(server.url("/")), sink: sink)
        await target.waitForRequests(1)
        await server.waitForConnections(atMost: 0)
        // A redirect to the same server uses the connection.
        #expect(server.connectionCount == 1 && server.requests.map(\.path) == ["/", "/there"])
        gate.open()
        #expect(await sink.finished().error == nil)
      }
    }
  }
}
