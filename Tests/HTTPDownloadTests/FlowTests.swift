import HTTPDownload
import Threading
import LoopbackServer
import Testing

struct FlowTests {
  /// Contains the downloader for a sink that is created before it.
  private final class Later: Sendable {
    let downloader = Locked<Downloader?>(nil)

    func resume(_ id: TransferID) {
      downloader.withLock { $0 }?.resume(id)
    }
  }

  /// A repeated block of a prime length, so that a lost or duplicated piece is detected. It is not built byte by byte,
  /// because under the thread sanitizer that takes longer than a transfer may be silent.
  private static let body: [UInt8] = {
    let block = [UInt8](1...251)
    var body: [UInt8] = []
    while body.count < 600_000 { body += block }
    return body
  }()

  /// Compares whole bodies outside `#expect`, which would search for the differences of two large arrays for a very
  /// long time.
  private func expect(_ record: RecordingSink.Record, has body: [UInt8]) {
    #expect(record.error == nil)
    #expect(record.body.count == body.count)
    let isSame = record.body == body
    #expect(isSame)
  }

  @Test func `a sink that pauses after each chunk receives everything`() async throws {
    let later = Later()
    try await withServer { _ in
      .status(200, body: Self.body)
    } _: { server in
      let downloader = try Downloader.make()
      later.downloader.withLock { $0 = downloader }
      let sink = RecordingSink { id, _ in
        Task { later.resume(id) }
        return .pause
      }
      downloader.start(DownloadRequest(url: server.url("/")), sink: sink)
      let record = await sink.finished()
      expect(record, has: Self.body)
      #expect(record.chunkCount > 5)
      #expect(record.disorder == 0)
      later.downloader.withLock { $0 = nil }
    }
  }

  @Test func `a sink that resumes before its pause takes effect continues`() async throws {
    let later = Later()
    try await withServer { _ in
      .status(200, body: Self.body)
    } _: { server in
      let downloader = try Downloader.make()
      later.downloader.withLock { $0 = downloader }
      let sink = RecordingSink { id, _ in
        later.resume(id)
        return .pause
      }
      downloader.start(DownloadRequest(url: server.url("/")), sink: sink)
      expect(await sink.finished(), has: Self.body)
      later.downloader.withLock { $0 = nil }
    }
  }

  @Test func `a complete transfer keeps its slot until its sink resumes`() async throws {
    try await withServer { _ in
      .status(200, body: Array("a small body".utf8))
    } _: { server in
      let downloader = try Downloader.make(jobs: 1)
      let other = try Downloader.make()
      let isResumed = Locked(false)
      let paused = AsyncStream<TransferID>.makeStream()
      let first = RecordingSink { id, _ in
        paused.continuation.yield(id)
        return .pause
      }
      let wasResumed = Locked<Bool?>(nil)
      let second = RecordingSink { _, _ in
        wasResumed.withLock { $0 = isResumed.withLock { $0 } }
        return .proceed
      }
      downloader.start([
        (DownloadRequest(url: server.url("/1")), first), (DownloadRequest(url: server.url("/2")), second),
      ])
      for await id in paused.stream {
        // Waits as long as the second transfer would take if it could start.
        if (await other.fetch(DownloadRequest(url: server.url("/3")))).error == nil {
          isResumed.withLock { $0 = true }
        }
        downloader.resume(id)
        break
      }
      #expect(await first.finished().text == "a small body")
      #expect(await second.finished().text == "a small body")
      #expect(wasResumed.withLock { $0 } == true)
    }
  }

  @Test func `a coded body survives pauses`() async throws {
    let later = Later()
    try await withServer { _ in
      .status(200, headers: ["Content-Encoding: gzip"], body: Gzip.stored(Self.body))
    } _: { server in
      let downloader = try Downloader.make()
      later.downloader.withLock { $0 = downloader }
      let sink = RecordingSink { id, count in
        guard count.isMultiple(of: 3) else { return .proceed }
        Task { later.resume(id) }
        return .pause
      }
      downloader.start(DownloadRequest(url: server.url("/")), sink: sink)
      expect(await sink.finished(), has: Self.body)
      later.downloader.withLock { $0 = nil }
    }
  }

  @Test func `a paused transfer does not time out and buffers a limited number of bytes`() async throws {
    try await withServer { request in
      request.target == "/stuck"
        ? ScriptedResponse(.hang)
        : ScriptedResponse(
          .send(ScriptedResponse.head(200, "OK", headers: [])),
          .sendForEver(Array(repeating: 1, count: 65536)))
    } _: { server in
      let downloader = try Downloader.make()
      let sink = RecordingSink { _, _ in .pause }
      var request = DownloadRequest(url: server.url("/"))
      request.limits.totalTimeout = .seconds(2)
      request.limits.maxBodyBytes = .max
      let id = downloader.start(request, sink: sink)
      // This time is longer than the limit of the paused transfer.
      var stuck = DownloadRequest(url: server.url("/stuck"))
      stuck.limits.totalTimeout = .milliseconds(2500)
      #expect(await downloader.fetch(stuck).error == .timedOut(seconds: 2.5, phase: .waiting))
      #expect(sink.record.result == nil)
      #expect(sink.record.chunkCount == 1)
      downloader.cancel(id)
      #expect(await sink.finished().error == .cancelled)
    }
  }

  @Test func `a sink that cancels receives no further data`() async throws {
    try await withServer { _ in
      .status(200, body: Self.body)
    } _: { server in
      let downloader = try Downloader.make()
      let sink = RecordingSink { _, count in count == 2 ? .cancel : .proceed }
      downloader.start(DownloadRequest(url: server.url("/")), sink: sink)
      let record = await sink.finished()
      #expect(record.error == .cancelled)
      #expect(record.chunkCount == 2 && record.disorder == 0)
    }
  }

  @Test func `a failed transfer delivers at most a beginning and reports one error`() async throws {
    try await withServer { _ in
      ScriptedResponse.status(200, body: Self.body).cut(after: 300_000)
    } _: { server in
      let downloader = try Downloader.make()
      let sink = RecordingSink()
      downloader.start(DownloadRequest(url: server.url("/")), sink: sink)
      let record = await sink.finished()
      #expect(record.error != nil)
      #expect(record.disorder == 0)
      #expect(Self.body.starts(with: record.body))
    }
  }
}
