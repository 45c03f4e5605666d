import HTTPDownload
import LoopbackServer
import Testing

struct LifecycleTests {
  @Test func `cancelling ends running and queued transfers`() async throws {
    try await withServer { _ in
      ScriptedResponse(.hang)
    } _: { server in
      let downloader = try Downloader.make(jobs: 1)
      let sinks = (0..<2).map { _ in RecordingSink() }
      let ids = sinks.map { downloader.start(DownloadRequest.patient(server.url("/")), sink: $0) }
      await server.waitForRequests(1)
      downloader.cancel(ids[1])
      #expect(await sinks[1].finished().error == .cancelled)
      #expect(sinks[0].record.result == nil)
      downloader.cancel(ids[0])
      #expect(await sinks[0].finished().error == .cancelled)
      downloader.cancel(ids[0])
      downloader.resume(ids[0])
      #expect(server.requests.count == 1)
    }
  }

  @Test func `the slot of a cancelled transfer is free for the next`() async throws {
    try await withServer {
      $0.target == "/stuck" ? ScriptedResponse(.hang) : .ok("x")
    } _: { server in
      let downloader = try Downloader.make(jobs: 1)
      let stuck = RecordingSink()
      let id = downloader.start(DownloadRequest.patient(server.url("/stuck")), sink: stuck)
      await server.waitForRequests(1)
      downloader.cancel(id)
      #expect(await downloader.fetch(DownloadRequest.patient(server.url("/"))).text == "x")
    }
  }

  @Test func `cancelling all transfers does not affect later ones`() async throws {
    try await withServer {
      $0.target == "/stuck" ? ScriptedResponse(.hang) : .ok("x")
    } _: { server in
      let downloader = try Downloader.make(jobs: 2)
      let sinks = (0..<10).map { _ in RecordingSink() }
      for sink in sinks { downloader.start(DownloadRequest.patient(server.url("/stuck")), sink: sink) }
      downloader.cancelAll()
      #expect(await downloader.fetch(DownloadRequest.patient(server.url("/"))).text == "x")
      for sink in sinks { #expect(await sink.finished().error == .cancelled) }
    }
  }

  @Test func `a shutdown during transfers notifies every sink once`() async throws {
    try await withServer { request in
      request.target == "/stuck"
        ? ScriptedResponse(.hang)
        : ScriptedResponse(.send(ScriptedResponse.head(200, "OK", headers: [])), .sendForEver([1]))
    } _: { server in
      let downloader = try Downloader.make(jobs: 4, perHost: 4)
      let sinks = (0..<50).map { _ in RecordingSink { _, count in count > 3 ? .pause : .proceed } }
      for (number, sink) in sinks.enumerated() {
        downloader.start(
          DownloadRequest.patient(server.url(number.isMultiple(of: 2) ? "/stuck" : "/")), sink: sink)
      }
      await server.waitForRequests(4)
      downloader.shutdown()
      for sink in sinks {
        #expect(sink.record.error == .cancelled)
        #expect(sink.record.disorder == 0)
      }
      downloader.shutdown()
      let late = RecordingSink()
      downloader.start(DownloadRequest.patient(server.url("/")), sink: late)
      #expect(late.record.error == .cancelled)
    }
  }

  @Test func `releasing a downloader ends its transfers`() async throws {
    try await withServer { _ in
      ScriptedResponse(.hang)
    } _: { server in
      let sink = RecordingSink()
      do {
        let downloader = try Downloader.make()
        downloader.start(DownloadRequest.patient(server.url("/")), sink: sink)
        await server.waitForRequests(1)
      }
      #expect(await sink.finished().error == .cancelled)
    }
  }

  @Test func `a sink may start, cancel and shut down`() async throws {
    try await withServer { _ in
      .ok("x")
    } _: { server in
      let downloader = try Downloader.make()
      let second = RecordingSink()
      let first = RecordingSink { id, _ in
        downloader.start(DownloadRequest.patient(server.url("/2")), sink: second)
        downloader.cancel(id)
        downloader.shutdown()
        return .proceed
      }
      downloader.start(DownloadRequest.patient(server.url("/1")), sink: first)
      #expect(await first.finished().text == "x")
      #expect(await second.finished().result != nil)
    }
  }

  @Test func `twenty thousand queued transfers are cancelled at once`() async throws {
    try await withServer { _ in
      ScriptedResponse(.hang)
    } _: { server in
      let downloader = try Downloader.make(jobs: 2)
      let sink = RecordingSink()
      for _ in 0..<20_000 { downloader.start(DownloadRequest.patient(server.url("/")), sink: sink) }
      downloader.shutdown()
      #expect(sink.record.error == .cancelled)
      #expect(sink.record.disorder == 19_999)
    }
  }
}
