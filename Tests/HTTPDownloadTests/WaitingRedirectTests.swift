import HTTPDownload
import LoopbackServer
import Testing
import Threading
import WebAddress

/// A sink that lets each redirect wait, and resumes it at once, from another thread or when the test wants.
private final class PatientSink: DownloadSink {
  struct State: Sendable {
    var asked: [WebAddress] = []
    var refuses = false
  }

  let record = RecordingSink()
  let state = Locked(State())
  private let onWait: @Sendable (TransferID) -> Void

  init(onWait: @escaping @Sendable (TransferID) -> Void) { self.onWait = onWait }

  func mayFollow(to address: WebAddress, transfer: TransferID) -> Bool {
    !state.withLock { $0.refuses }
  }

  func mustWait(toFollow address: WebAddress, transfer: TransferID) -> Bool {
    let isNew = state.withLock { state in
      if state.asked.contains(address) { return false }
      state.asked.append(address)
      return true
    }
    if isNew { onWait(transfer) }
    return isNew
  }

  func didReceive(head: ResponseHead, transfer: TransferID) {
    record.didReceive(head: head, transfer: transfer)
  }

  func didReceive(chunk: [UInt8], transfer: TransferID) -> DownloadFlow {
    record.didReceive(chunk: chunk, transfer: transfer)
  }

  func didFinish(_ result: Result<DownloadSummary, DownloadError>, transfer: TransferID) {
    record.didFinish(result, transfer: transfer)
  }
}

@Suite struct WaitingRedirectTests {
  /// A server whose redirects have bodies of several kinds, and one that has the feed.
  private func withServers(
    _ body: (_ server: LoopbackHTTPServer, _ target: LoopbackHTTPServer) async throws -> Void
  ) async throws {
    try await withServer { _ in
      .ok("feed")
    } _: { target in
      let away = target.url("/there")
      try await withServer { request in
        switch request.path {
        case "/twice": .redirect(301, to: "/once")
        // Servers that close the connection after each response, in several ways.
        case "/close": .raw("HTTP/1.1 302 Found\r\nLocation: \(away)\r\nConnection: close\r\n\r\n<html>")
        case "/length":
          .raw(
            "HTTP/1.1 302 Found\r\nLocation: \(away)\r\nConnection: X, Close\r\nContent-Length: 4\r\n\r\nhtml"
          )
        case "/none": .raw("HTTP/1.0 302 Found\r\nLocation: \(away)\r\nContent-Length: 0\r\n\r\n")
        case "/old": .raw("HTTP/1.0 301 Moved\r\nLocation: \(away)\r\n\r\n")
        case "/short": .raw("HTTP/1.1 302 Found\r\nLocation: \(away)\r\nContent-Length: 90\r\n\r\nhtml")
        case "/chain": .raw("HTTP/1.1 302 Found\r\nLocation: /old\r\nConnection: close\r\n\r\n")
        case "/body":
          .status(302, "Found", headers: ["Location: \(away)"], body: Array(repeating: 0x78, count: 5000))
        default: .redirect(302, to: away)
        }
      } _: { server in
        try await body(server, target)
      }
    }
  }

  @Test(arguments: ["/once", "/twice", "/body", "/close", "/length", "/none", "/old", "/short", "/chain"])
  func `a redirect waits until it is resumed, and is then followed`(path: String) async throws {
    try await withServers { server, target in
      let downloader = try Downloader.make { $0.closesIdleConnections = true }
      defer { downloader.shutdown() }
      let gate = Gate()
      let isTwice = ["/twice", "/chain"].contains(path)
      let sink = PatientSink { [unowned downloader] id in
        Task {
          #expect(target.requests.isEmpty)
          downloader.resume(id)
          gate.open()
        }
      }
      downloader.start(.patient(server.url(path)), sink: sink)
      let record = await sink.record.finished()
      #expect(record.error == nil && record.body == Array("feed".utf8) && record.disorder == 0)
      #expect(record.heads.first?.redirects.count == (isTwice ? 2 : 1))
      #expect(target.requests.count == 1)
      #expect(sink.state.withLock { $0.asked.count } == (isTwice ? 2 : 1))
    }
  }

  @Test func `a redirect that may not be followed after its wait ends the transfer`() async throws {
    try await withServers { server, target in
      let downloader = try Downloader.make()
      defer { downloader.shutdown() }
      // A request needs only the connection that is open now.
      _ = await downloader.fetch(.patient(target.url("/feed")))
      let away = WebAddress(target.url("/there"))
      let place = Locked<PatientSink?>(nil)
      let sink = PatientSink { [unowned downloader] id in
        place.withLock { $0 }?.state.withLock { $0.refuses = true }
        downloader.resume(id)
      }
      place.withLock { $0 = sink }
      downloader.start(.patient(server.url("/once")), sink: sink)
      #expect(await sink.record.finished().error == .redirected(to: away, .hostClosed))
      #expect(target.requests.map(\.path) == ["/feed"])
      place.withLock { $0 = nil }
    }
  }

  @Test func `a redirect that waits can be cancelled`() async throws {
    try await withServers { server, _ in
      let downloader = try Downloader.make()
      defer { downloader.shutdown() }
      let sink = PatientSink { [unowned downloader] id in downloader.cancel(id) }
      downloader.start(.patient(server.url("/body")), sink: sink)
      #expect(await sink.record.finished().error == .cancelled)
    }
  }
}
