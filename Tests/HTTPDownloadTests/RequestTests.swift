import HTTPDownload
import Threading
import LoopbackServer
import Testing
import WebAddress

struct RequestTests {
  @Test func `a request has only the expected header fields`() async throws {
    try await withServer { _ in
      .ok("x", headers: ["Set-Cookie: a=b; Path=/"])
    } _: { server in
      let downloader = try Downloader.make()
      for _ in 0..<2 { _ = await downloader.fetch(DownloadRequest.patient(server.url("/feed?a=1"))) }
      let request = try #require(server.requests.last)
      #expect(server.requests.count == 2)
      #expect(request.method == "GET" && request.target == "/feed?a=1")
      #expect(request.text(of: "User-Agent") == "newsimport-tests/1 (+https://example.org)")
      #expect(request.text(of: "Accept-Encoding")?.contains("gzip") == true)
      for name in ["Cookie", "Referer", "Range", "Authorization", "From", "If-None-Match"] {
        #expect(request.value(of: name) == nil, "\(name)")
      }
    }
  }

  @Test func `additional headers are sent unchanged`() async throws {
    try await withServer { _ in
      .ok("x")
    } _: { server in
      var request = DownloadRequest.patient(server.url("/"))
      request.headers = [HeaderField("X-Key", "a: b;"), HeaderField("X-Empty", "")]
      _ = await (try Downloader.make()).fetch(request)
      #expect(server.requests.first?.text(of: "x-key") == "a: b;")
      #expect(server.requests.first?.text(of: "X-Empty") == "")
    }
  }

  @Test(arguments: [
    HeaderField("X-A", "1\r\nX-Injected: 1"), HeaderField("X-A", "1\nX"),
    HeaderField("X-A\r\nX-Injected", "1"),
    HeaderField("X A", "1"), HeaderField("", "1"), HeaderField("X:A", "1"), HeaderField("X-A", "\u{0}"),
  ])
  func `a header that could inject another is refused before anything is sent`(field: HeaderField)
    async throws
  {
    try await withServer { _ in
      .ok("x")
    } _: { server in
      var request = DownloadRequest.patient(server.url("/"))
      request.headers = [field]
      let record = await (try Downloader.make()).fetch(request)
      #expect(record.error == .invalidHeader(name: field.name))
      #expect(server.requests.isEmpty)
    }
  }

  @Test func `a user agent that could inject a header is refused`() {
    #expect(throws: DownloadError.invalidHeader(name: "User-Agent")) {
      try Downloader(configuration: DownloaderConfiguration(userAgent: "a\r\nX-Injected: 1"))
    }
  }

  @Test func `user information is sent as credentials and never printed`() async throws {
    try await withServer { _ in
      .status(404, "Not Found")
    } _: { server in
      let url = "http://user:s3cret@127.0.0.1:\(server.port)/"
      let record = await (try Downloader.make()).fetch(DownloadRequest.patient(url))
      #expect(record.status == 404)
      #expect(server.requests.first?.text(of: "Authorization") == "Basic dXNlcjpzM2NyZXQ=")
      #expect(WebAddress.withoutPassword(url) == "http://user@127.0.0.1:\(server.port)/")
    }
  }

  @Test func `connections are reused`() async throws {
    try await withServer { _ in
      .ok("x")
    } _: { server in
      let downloader = try Downloader.make()
      for number in 0..<20 {
        let record = await downloader.fetch(DownloadRequest.patient(server.url("/\(number)")))
        #expect(record.summary?.connectionsOpened == (number == 0 ? 1 : 0))
      }
      #expect(server.connectionCount == 1)
    }
  }

  @Test func `excess data of one response does not fail the next transfer`() async throws {
    // The second request on a connection receives bytes that do not belong to it.
    let served = Locked<Set<Int>>([])
    try await withServer { request in
      let isFirst = served.withLock { $0.insert(request.connection).inserted }
      return isFirst ? .ok("good") : .raw("<!-- junk -->\r\n\r\n")
    } _: { server in
      let downloader = try Downloader.make()
      for _ in 0..<6 {
        let record = await downloader.fetch(DownloadRequest.patient(server.url("/")))
        #expect(record.words == "")
        #expect(record.text == "good")
      }
      #expect(server.connectionCount == 6)
    }
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 200 OK\r\nX: a\u{0}b\r\n\r\n",
    "HTTP/1.1 200 OK\r\nETag: \"cut",
    "HTTP/9.9 200 OK\r\n\r\n", "garbage",
  ])
  func `a broken response leaves nothing for the next transfer`(bytes: String) async throws {
    try await withServer {
      $0.target == "/broken" ? .raw(bytes) : .ok("good")
    } _: { server in
      let downloader = try Downloader.make()
      for _ in 0..<3 {
        #expect(await downloader.fetch(DownloadRequest.patient(server.url("/broken"))).text == "")
        let record = await downloader.fetch(DownloadRequest.patient(server.url("/")))
        #expect(record.words == "")
        #expect(record.text == "good")
        #expect(record.summary?.head.etag == nil)
      }
    }
  }

  @Test func `a connection closed meanwhile fails no transfer`() async throws {
    try await withServer { _ in
      var response = ScriptedResponse.ok("x")
      response.keepsConnection = false
      return response
    } _: { server in
      let downloader = try Downloader.make()
      for _ in 0..<5 {
        #expect(await downloader.fetch(DownloadRequest.patient(server.url("/"))).status == 200)
      }
    }
  }

  @Test func `an invalid address fails only its own transfer`() async throws {
    let downloader = try Downloader.make()
    let record = await downloader.fetch(DownloadRequest(url: "file:///etc/passwd"))
    #expect(record.error == .invalidAddress(.refusedScheme("only http and https are fetched, not file")))
  }
}
