import HTTPDownload
import LoopbackServer
import Testing
import Threading

/// Credentials and other additional header fields belong to one scheme, host and port.
struct CredentialTests {
  private static let headers = [
    HeaderField("Authorization", "Bearer b3arer"), HeaderField("X-Token", "t0ken"),
    HeaderField("Cookie", "c=c00kie"),
  ]

  @Test(arguments: [301, 302, 303, 307, 308])
  func `credentials are not sent to another port, nor after a redirect back`(code: Int) async throws {
    let home = Locked("")
    try await withServer { request in
      request.path == "/x" ? .redirect(code, to: home.withLock { $0 }) : .ok("end")
    } _: { other in
      try await withServer { request in
        request.path == "/back" ? .ok("end") : .redirect(code, to: other.url("/x"))
      } _: { server in
        home.withLock { $0 = server.url("/back") }
        var request = DownloadRequest.patient(server.url("/"))
        request.headers = Self.headers
        let record = await (try Downloader.make()).fetch(request)
        #expect(record.text == "end")
        #expect(server.requests.first?.text(of: "Authorization") == "Bearer b3arer")
        #expect(server.requests.first?.text(of: "X-Token") == "t0ken")
        for request in other.requests + server.requests.dropFirst() {
          for field in Self.headers { #expect(request.value(of: field.name) == nil, "\(field.name)") }
        }
      }
    }
  }

  @Test func `credentials belong to the host's name, not to its address`() async throws {
    try await withServer { request in
      request.path == "/" ? .redirect(302, to: "http://\(Self.localhost(request))/x") : .ok("end")
    } _: { server in
      var request = DownloadRequest.patient(server.url("/"))
      request.headers = Self.headers
      let record = await (try Downloader.make()).fetch(request)
      #expect(record.text == "end")
      #expect(server.requests.map { $0.text(of: "X-Token") } == ["t0ken", nil])
      #expect(server.requests.map { $0.value(of: "Authorization") != nil } == [true, false])
    }
  }

  @Test func `credentials are sent neither from https to http nor from http to https`() async throws {
    let port = Locked("")
    try await withServer { request in
      request.path == "/to-https"
        ? .redirect(302, to: "https://127.0.0.1:\(port.withLock { $0 })/plain-was-here") : .ok("end")
    } _: { plain in
      let seen = try await TLSServer.run(reportingTo: plain.url(""), away: plain.url("/x")) { certificate in
        await plain.waitForRequests(1)
        port.withLock { $0 = String((plain.requests.first?.path ?? "").dropFirst("/port/".count)) }
        let downloader = try Downloader.make { $0.certificateFile = certificate }
        for url in ["https://127.0.0.1:\(port.withLock { $0 })/away", plain.url("/to-https")] {
          var request = DownloadRequest.patient(url)
          request.headers = Self.headers
          let record = await downloader.fetch(request)
          #expect(record.text == "end", "\(record.words)")
        }
      }
      let (first, second) = try #require(Self.heads(seen))
      #expect(first.hasPrefix("GET /away ") && second.hasPrefix("GET /plain-was-here "))
      for secret in ["Bearer b3arer", "t0ken", "c00kie"] {
        #expect(first.contains(secret))
        #expect(!second.contains(secret))
      }
      let away = try #require(plain.requests.first { $0.path == "/x" })
      let toTLS = try #require(plain.requests.first { $0.path == "/to-https" })
      for field in Self.headers {
        #expect(away.value(of: field.name) == nil)
        #expect(toTLS.value(of: field.name) == field.value)
      }
    }
  }

  @Test func `a request's own user agent is sent after a redirect`() async throws {
    try await withServer { _ in
      .ok("end")
    } _: { other in
      try await withServer { _ in
        .redirect(302, to: other.url("/x"))
      } _: { server in
        var request = DownloadRequest.patient(server.url("/"))
        request.userAgent = "mine/1"
        let downloader = try Downloader.make()
        _ = await downloader.fetch(request)
        request.userAgent = nil
        _ = await downloader.fetch(request)
        for server in [server, other] {
          #expect(
            server.requests.map { $0.text(of: "User-Agent") }
              == ["mine/1", "newsimport-tests/1 (+https://example.org)"])
        }
        request.userAgent = "a\r\nX-Injected: 1"
        #expect(await downloader.fetch(request).error == .invalidHeader(name: "User-Agent"))
      }
    }
  }

  /// Returns the host of a request under another name.
  private static func localhost(_ request: ReceivedRequest) -> String {
    (request.text(of: "Host") ?? "").replacing("127.0.0.1", with: "localhost")
  }

  /// Returns the heads of two requests.
  private static func heads(_ text: String) -> (String, String)? {
    let heads = text.split(separator: "\n\n").map(String.init)
    return heads.count == 2 ? (heads[0], heads[1]) : nil
  }
}
