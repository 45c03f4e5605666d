import HTTPDownload
import LoopbackServer
import Testing

struct ConditionalRequestTests {
  /// Entity tags from real servers, valid or not.
  static let etags: [[UInt8]] = [
    Array("\"abc-1\"".utf8), Array("W/\"abc\"".utf8), Array("abc".utf8), Array("\"\"".utf8),
    Array("\"a b\"".utf8),
    Array("\"a,b\"".utf8), Array("\"a\\\"b\"".utf8), Array("'abc'".utf8), Array("w/\"x\"".utf8),
    [0x22, 0xE9, 0x74, 0xE9, 0x22], Array("\"été\"".utf8), Array("; no value".utf8), Array(":".utf8),
    Array(repeating: 0x65, count: 8192),
  ]

  @Test(arguments: etags) func `an entity tag is sent back byte for byte`(tag: [UInt8]) async throws {
    try await withServer { request in
      if request.value(of: "If-None-Match") == tag { return .status(304, "Not Modified") }
      var head = ScriptedResponse.head(200, "OK", headers: ["Content-Length: 2"])
      head.removeLast(2)
      return ScriptedResponse(.send(head + Array("ETag: ".utf8) + tag + Array("\r\n\r\nok".utf8)))
    } _: { server in
      let downloader = try Downloader.make()
      let first = await downloader.fetch(DownloadRequest(url: server.url("/")))
      #expect(first.summary?.head.etag == tag)
      let second = await downloader.fetch(
        DownloadRequest(url: server.url("/"), etag: first.summary?.head.etag))
      #expect(second.status == 304)
      #expect(second.body.isEmpty && second.heads.count == 1)
    }
  }

  @Test(arguments: [
    "Tue, 14 Nov 2023 22:13:20 GMT", "Tuesday, 14-Nov-23 22:13:20 GMT", "Mon, 14 Nov 2023 23:13:20 +0100",
    "yesterday",
    "0", "2023-11-14T22:13:20Z", "Sat, 16 Nov 2041 19:11:00 GMT",
  ])
  func `a modification date is sent back byte for byte`(date: String) async throws {
    try await withServer { request in
      request.text(of: "if-modified-since") == date
        ? .status(304, "Not Modified") : .ok("x", headers: ["Last-Modified: \(date)"])
    } _: { server in
      let downloader = try Downloader.make()
      let first = await downloader.fetch(DownloadRequest(url: server.url("/")))
      let known = first.summary?.head.lastModified
      #expect(known == Array(date.utf8))
      let second = await downloader.fetch(DownloadRequest(url: server.url("/"), lastModified: known))
      #expect(second.status == 304)
    }
  }

  @Test(arguments: [
    "ETag: \"a\rX-Injected: 1\"", "ETag: \"a\u{1b}[0m\"", "ETag: \"a\tb\"", "ETag: \"\u{7f}\"", "ETag:",
    "ETag:    ",
    "ETag: " + String(repeating: "e", count: 8193),
  ])
  func `a validator that is not safe to send back is dropped`(line: String) async throws {
    let record = try await fetch(.ok("body", headers: [line]))
    #expect(record.status == 200)
    #expect(record.summary?.head.etag == nil)
    #expect(record.text == "body")
  }

  @Test func `a stored validator with a line end is never sent`() async throws {
    try await withServer { _ in
      .ok("x")
    } _: { server in
      let downloader = try Downloader.make()
      let record = await downloader.fetch(
        DownloadRequest(
          url: server.url("/"), etag: Array("a\r\nX-Injected: 1".utf8), lastModified: Array("b\u{0}c".utf8)))
      #expect(record.status == 200)
      let request = try #require(server.requests.first)
      #expect(request.value(of: "X-Injected") == nil)
      #expect(request.value(of: "If-None-Match") == nil)
      #expect(request.value(of: "If-Modified-Since") == nil)
    }
  }

  @Test func `a 304 to an unconditional request is an error`() async throws {
    let record = try await fetch(.status(304, "Not Modified"))
    #expect(record.error == .protocolViolation(.unrequestedNotModified))
    #expect(record.heads.isEmpty)
  }

  @Test func `validators of interim responses, redirects and trailers are ignored`() async throws {
    try await withServer { request in
      if request.target == "/" {
        return .status(
          302, "Found", headers: ["Location: /final", "ETag: \"redirect\"", "Last-Modified: then"])
      }
      return .raw(
        """
        HTTP/1.1 103 Early Hints\r\nETag: "interim"\r\n\r\n\
        HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: ETag\r\n\r\n\
        2\r\nok\r\n0\r\nETag: "trailer"\r\nHTTP/1.1 404: x\r\n\r\n
        """)
    } _: { server in
      let record = await (try Downloader.make()).fetch(DownloadRequest(url: server.url("/")))
      #expect(record.words == "")
      #expect(record.text == "ok")
      #expect(record.summary?.head.etag == nil)
      #expect(record.summary?.head.lastModified == nil)
    }
  }
}
