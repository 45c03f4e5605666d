import HTTPDownload
import LoopbackServer
import Testing
import Threading
import WebAddress

struct RedirectTests {
  /// Redirects `/1`, `/2` ... with these status codes in turn, and answers at the end of the chain.
  private func chain(_ codes: [Int]) -> LoopbackHTTPServer.Handler {
    { request in
      guard let step = Int(request.path.dropFirst()), step <= codes.count else {
        return .ok("end", headers: ["ETag: \"end\""])
      }
      return .redirect(codes[step - 1], to: step == codes.count ? "/end" : "/\(step + 1)")
    }
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func `every kind of redirect is followed and reported`(code: Int)
    async throws
  {
    try await withServer(chain([code])) { server in
      let record = await (try Downloader.make()).fetch(DownloadRequest(url: server.url("/1")))
      let head = try #require(record.summary?.head)
      #expect(record.text == "end")
      #expect(head.redirects == [Redirect(status: code, target: WebAddress(server.url("/end")))])
      #expect(head.address.text == server.url("/end"))
      #expect(head.permanentAddress?.text == (code == 301 || code == 308 ? server.url("/end") : nil))
      #expect(head.etag == Array("\"end\"".utf8))
    }
  }

  @Test(
    arguments: [([301, 308], "/end"), ([301, 302, 301], "/2"), ([302, 301], nil)] as [([Int], String?)])
  func `a chain is permanent up to its first temporary redirect`(codes: [Int], path: String?) async throws {
    try await withServer(chain(codes)) { server in
      let record = await (try Downloader.make()).fetch(DownloadRequest(url: server.url("/1")))
      #expect(record.summary?.head.redirects.map(\.status) == codes)
      #expect(record.summary?.head.permanentAddress?.text == path.map { server.url($0) })
    }
  }

  @Test func `a redirect with trailers and a hint after it is reported once`() async throws {
    try await withServer { request in
      request.target == "/"
        ? .raw(
          """
          HTTP/1.1 301 Moved\r\nLocation: /end\r\nTransfer-Encoding: chunked\r\n\r\n\
          2\r\nok\r\n0\r\nLocation: /other\r\nX-T: 1\r\n\r\n
          """) : .raw("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend")
    } _: { server in
      let record = await (try Downloader.make()).fetch(DownloadRequest(url: server.url("/")))
      #expect(record.text == "end")
      #expect(
        record.summary?.head.redirects == [Redirect(status: 301, target: WebAddress(server.url("/end")))])
    }
  }

  @Test(arguments: [(8, true), (9, false), (30, false)]) func `eight redirects are followed`(
    count: Int, isFollowed: Bool
  ) async throws {
    try await withServer(chain(Array(repeating: 302, count: count))) { server in
      let record = await (try Downloader.make()).fetch(DownloadRequest(url: server.url("/1")))
      #expect((record.text == "end") == isFollowed)
      if !isFollowed { #expect(record.error == .tooManyRedirects(limit: 8)) }
      #expect(server.requests.count <= 9)
    }
  }

  @Test(arguments: [
    "file:///etc/passwd", "ftp://127.0.0.1:PORT/x", "gopher://127.0.0.1:PORT/x", "dict://127.0.0.1:PORT/x",
    "ldap://127.0.0.1:PORT/x", "smb://127.0.0.1:PORT/x", "tftp://127.0.0.1:PORT/x",
    "telnet://127.0.0.1:PORT/x",
    "scp://127.0.0.1:PORT/x",
  ])
  func `a redirect to another scheme is refused without a connection`(location: String) async throws {
    try await withServer { _ in
      .ok("secret")
    } _: { target in
      let place = location.replacing("PORT", with: "\(target.port)")
      let record = try await HTTPDownloadTests.fetch(.redirect(302, to: place))
      guard case .invalidAddress(.refusedScheme) = record.error else {
        Issue.record("\(record.words)")
        return
      }
      #expect(target.connectionCount == 0)
      #expect(record.heads.isEmpty)
    }
  }

  @Test(arguments: [
    "http://[", "javascript:alert(1)", "data:text/xml,<rss/>", "/" + String(repeating: "a", count: 200_000),
  ])
  func `a redirect without a location fails`(location: String) async throws {
    try await withServer { request in
      request.target == "/" ? .redirect(302, to: location) : .status(404, "Not Found")
    } _: { server in
      let record = await (try Downloader.make()).fetch(DownloadRequest(url: server.url("/")))
      #expect(record.error != nil || record.status == 404)
      #expect(server.requests.count <= 2)
    }
  }

  @Test(arguments: [
    ("../x/./end", "/x/end"), ("end?a#frag", "/dir/end?a"), ("?q", "/dir/start?q"),
    ("/x%0d%0aX-Injected:%201", "/x%0d%0aX-Injected:%201"),
  ])
  func `a relative redirect is resolved`(location: String, target: String) async throws {
    try await withServer { request in
      request.target == "/dir/start" ? .redirect(301, to: location) : .ok("end")
    } _: { server in
      let record = await (try Downloader.make()).fetch(DownloadRequest(url: server.url("/dir/start")))
      #expect(record.text == "end")
      #expect(server.requests.last?.target == target)
      #expect(server.requests.last?.value(of: "X-Injected") == nil)
    }
  }

  @Test func `a redirect whose body never ends is followed`() async throws {
    try await withServer { request in
      guard request.target == "/" else { return .ok("end") }
      let head = ScriptedResponse.head(302, "Found", headers: ["Location: /end", "Content-Length: 10000000"])
      return ScriptedResponse(.send(head), .sendForEver(Array(repeating: 0x78, count: 4096)))
    } _: { server in
      let record = await (try Downloader.make()).fetch(.patient(server.url("/")))
      #expect(record.text == "end")
    }
  }

  @Test func `a 304 with a location is an answer`() async throws {
    let record = try await fetch(.status(304, "Not Modified", headers: ["Location: /other"])) {
      $0.etag = Array("\"e\"".utf8)
    }
    #expect(record.status == 304)
  }

  @Test func `a cookie of a redirect is sent to its host alone, and ends with the transfer`() async throws {
    try await withServer { _ in
      .ok("end")
    } _: { other in
      let away = other.url("/x").replacing("127.0.0.1", with: "localhost")
      try await withServer { request in
        let cookie = request.text(of: "Cookie")
        return switch request.target {
        case "/gate":
          .status(
            302, "Found",
            headers: [
              "Location: /feed", "Set-Cookie: sid=1; Path=/; HttpOnly", "Set-Cookie: old=x; Max-Age=0",
              "Set-Cookie: safe=1; Secure", "Set-Cookie: b=2; Domain=localhost",
            ])
        case "/feed": cookie == nil ? .redirect(302, to: "/gate") : .redirect(302, to: away)
        default: .ok("")
        }
      } _: { server in
        let downloader = try Downloader.make()
        defer { downloader.shutdown() }
        for _ in 1...2 {
          let record = await downloader.fetch(.patient(server.url("/feed")))
          #expect(record.text == "end", "\(record.words)")
        }
        let cookies = server.requests.map { $0.text(of: "Cookie") }
        #expect(cookies == [nil, nil, "sid=1; b=2", nil, nil, "sid=1; b=2"])
        #expect(other.requests.allSatisfy { $0.value(of: "Cookie") == nil })
      }
    }
  }

  @Test func `a redirect to a host beyond ASCII is followed`() async throws {
    let place = Locked("")
    try await withServer { request in
      request.target == "/" ? .redirect(302, to: place.withLock { $0 }) : .ok("end")
    } _: { server in
      place.withLock { $0 = "http://bücher.localhost:\(server.port)/ü b" }
      let record = await (try Downloader.make()).fetch(.patient(server.url("/")))
      #expect(record.text == "end", "\(record.words)")
      #expect(server.requests.last?.target == "/%C3%BC%20b")
      #expect(server.requests.last?.text(of: "Host") == "xn--bcher-kva.localhost:\(server.port)")
    }
  }

  @Test func `credentials are not sent to another host or port`() async throws {
    try await withServer { _ in
      .ok("end")
    } _: { other in
      try await withServer { request in
        request.target == "/away" ? .redirect(302, to: other.url("/x")) : .redirect(302, to: "/away")
      } _: { server in
        var request = DownloadRequest(
          url: "http://user:pw@127.0.0.1:\(server.port)/", etag: Array("\"e\"".utf8))
        request.headers = [HeaderField("X-Token", "t")]
        let record = await (try Downloader.make()).fetch(request)
        #expect(record.text == "end")
        #expect(server.requests.map { $0.text(of: "X-Token") } == ["t", "t"])
        #expect(server.requests.allSatisfy { $0.value(of: "Authorization") != nil })
        let last = try #require(other.requests.first)
        #expect(last.value(of: "Authorization") == nil && last.value(of: "X-Token") == nil)
        #expect(last.value(of: "Referer") == nil)
        #expect(last.text(of: "If-None-Match") == "\"e\"")
      }
    }
  }
}
