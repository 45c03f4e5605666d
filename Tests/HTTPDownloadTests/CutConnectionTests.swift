import HTTPDownload
import LoopbackServer
import Testing

struct CutConnectionTests {
  @Test func `a body shorter than its Content-Length fails`() async throws {
    let body = [UInt8](repeating: 0x20, count: 10_000)
    let whole = ScriptedResponse.status(200, headers: ["ETag: \"x\""], body: body)
    let record = try await fetch(whole.cut(after: 5000))
    guard case .truncated(let cause) = record.error else {
      Issue.record("\(record.words)")
      return
    }
    #expect(cause.contains("before the end"))
    #expect(record.body.count < body.count)
  }

  @Test(arguments: [0, 17, 30, 47])
  func `a connection closed during the head fails`(count: Int) async throws {
    let record = try await fetch(ScriptedResponse.ok("body", headers: ["X-Padding: pad"]).cut(after: count))
    #expect(record.error != nil)
    #expect(record.heads.isEmpty && record.body.isEmpty)
  }

  @Test func `a connection reset at once fails`() async throws {
    let record = try await fetch(ScriptedResponse(.reset))
    guard case .connectionLost = record.error else {
      Issue.record("\(record.words)")
      return
    }
  }

  @Test func `a connection reset during the body fails`() async throws {
    let head = ScriptedResponse.head(200, "OK", headers: ["Content-Length: 1000"])
    let record = try await fetch(ScriptedResponse(.send(head + [0x20]), .reset))
    #expect(record.error != nil)
  }

  @Test func `a chunked body without its end fails`() async throws {
    let whole = ScriptedResponse.chunked([Array("body".utf8)])
    let record = try await fetch(
      ScriptedResponse(whole.steps[0]).cut(
        after: ScriptedResponse.head(200, "OK", headers: ["Transfer-Encoding: chunked"]).count + 9))
    #expect(record.error != nil)
    #expect(
      record.words.contains("outstanding") || record.words.contains("truncated")
        || record.words.contains("lost"))
  }

  @Test func `the error for a closed port names it`() async throws {
    let server = try LoopbackHTTPServer { _ in .ok("") }
    let url = server.url("/")
    server.stop()
    let record = await (try Downloader.make()).fetch(DownloadRequest(url: url))
    guard case .couldNotConnect = record.error else {
      Issue.record("\(record.words)")
      return
    }
  }

  @Test func `the error for an unknown host names it`() async throws {
    let record = await (try Downloader.make()).fetch(
      DownloadRequest(url: "http://\(String(repeating: "x", count: 64)).invalid/"))
    guard case .couldNotResolve = record.error else {
      Issue.record("\(record.words)")
      return
    }
  }

  @Test func `a TLS connection to a plain server fails with a TLS error`() async throws {
    try await withServer { _ in
      .ok("x")
    } _: { server in
      let record = await (try Downloader.make()).fetch(
        DownloadRequest(url: "https://127.0.0.1:\(server.port)/"))
      switch record.error {
      case .tls, .connectionLost: break
      default: Issue.record("\(record.words)")
      }
    }
  }
}
