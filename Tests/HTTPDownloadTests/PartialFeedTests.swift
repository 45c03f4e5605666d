import HTTPDownload
import LoopbackServer
import Testing

/// RFC 3229 with the `feed` instance manipulation.
struct PartialFeedTests {
  private func request(_ server: LoopbackHTTPServer, etag: String? = "\"old\"") -> DownloadRequest {
    var request = DownloadRequest.patient(server.url("/"))
    request.etag = etag.map { Array($0.utf8) }
    request.acceptsPartialFeed = true
    return request
  }

  private func partial(_ headers: String...) -> ScriptedResponse {
    .status(226, "IM Used", headers: headers, body: Array("new".utf8))
  }

  @Test func `only conditional requests accept a partial feed`() async throws {
    try await withServer { _ in
      .ok("all")
    } _: { server in
      let downloader = try Downloader.make()
      _ = await downloader.fetch(request(server))
      _ = await downloader.fetch(request(server, etag: nil))
      _ = await downloader.fetch(DownloadRequest(url: server.url("/"), etag: [0x22, 0x22]))
      #expect(server.requests.map { $0.text(of: "A-IM") } == ["feed", nil, nil])
    }
  }

  @Test(arguments: ["IM: feed", "im:FEED "])
  func `a requested partial feed is delivered with its validators`(line: String) async throws {
    try await withServer { _ in
      partial(line, "ETag: \"new\"")
    } _: { server in
      let record = try await Downloader.make().fetch(request(server))
      #expect(record.status == 226 && record.text == "new")
      #expect(record.summary?.head.isPartialFeed == true)
      #expect(record.summary?.head.etag == Array("\"new\"".utf8))
    }
  }

  @Test func `a partial feed that was not requested is refused`() async throws {
    let record = try await fetch(partial("IM: feed"))
    #expect(record.error == .protocolViolation(.unrequestedPart))
    #expect(record.body.isEmpty)
  }

  @Test(arguments: ["X: y", "IM: vcdiff", "IM: feed, gzip"])
  func `a partial feed with another manipulation is refused`(line: String) async throws {
    try await withServer { _ in
      partial(line)
    } _: { server in
      let record = try await Downloader.make().fetch(request(server))
      #expect(record.error == .protocolViolation(.unmarkedPart))
      #expect(record.body.isEmpty)
    }
  }

  @Test func `a truncated partial feed fails`() async throws {
    let head = ScriptedResponse.head(226, "IM Used", headers: ["IM: feed", "Content-Length: 100"])
    try await withServer { _ in
      ScriptedResponse(.send(head + Array("new".utf8)))
    } _: { server in
      let record = try await Downloader.make().fetch(request(server))
      guard case .truncated = record.error else {
        Issue.record("\(record.words)")
        return
      }
    }
  }
}
