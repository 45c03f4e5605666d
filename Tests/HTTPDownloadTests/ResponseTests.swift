import HTTPDownload
import LoopbackServer
import Testing

struct ResponseTests {
  @Test func `a response contains the fields that the schedule needs`() async throws {
    let record = try await fetch(
      .ok(
        "body",
        headers: [
          "content-type: application/rss+xml; charset=utf-8", "Retry-After: 120", "Cache-Control: public",
          "cache-control: max-age=60", "Expires: Thu, 01 Jan 1970 00:00:00 GMT", "Date: now", "ETag: \"1\"",
          "ETag: \"2\"",
        ]))
    let head = try #require(record.summary?.head)
    #expect(record.heads == [head])
    #expect(head.contentType == "application/rss+xml; charset=utf-8")
    #expect(head.retryAfter == "120")
    #expect(head.cacheControl == "public, max-age=60")
    #expect(head.expires == "Thu, 01 Jan 1970 00:00:00 GMT")
    #expect(head.date == "now")
    #expect(head.etag == Array("\"1\"".utf8))
    #expect(head.redirects.isEmpty && head.permanentAddress == nil)
    #expect(record.summary?.decodedBytes == 4 && record.summary?.wireBytes == 4)
    #expect(record.disorder == 0)
  }

  @Test(arguments: ["RateLimit-", "X-RateLimit-", "x-rate-limit-"])
  func `a response contains the fields of a limit of requests`(prefix: String) async throws {
    let fields = [
      "\(prefix)Reset: 30", "\(prefix)Remaining: 2", "RateLimit: \"a\";r=2", "RateLimit: \"b\";r=3",
    ]
    let head = try #require(try await fetch(.ok("body", headers: fields)).summary?.head)
    #expect(
      head.limitFields == .init(rateLimit: "\"a\";r=2, \"b\";r=3", reset: "30", remaining: "2"))
    #expect(try await fetch(.ok("body")).summary?.head.limitFields == nil)
  }

  /// Unusual responses that are valid or that all clients accept.
  static let oddities: [(String, String)] = [
    ("lower case, no reason", "HTTP/1.1 200 \r\ncontent-length:4\r\n\r\nbody"),
    ("obs-fold", "HTTP/1.1 200 OK\r\nX-A: 1\r\n  folded\r\nContent-Length: 4\r\n\r\nbody"),
    ("HTTP/1.0, end by close", "HTTP/1.0 200 OK\r\n\r\nbody"),
    ("line feeds only", "HTTP/1.1 200 OK\nContent-Length: 4\n\nbody"),
    (
      "early hints",
      "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"
    ),
    ("continue", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"),
    ("chunk extension", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;a=b\r\nbody\r\n0\r\n\r\n"),
    ("trailers", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\nX-T: 1\r\n\r\n"),
    (
      "junk after the body",
      "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody<!-- junk -->HTTP/1.1 500 x\r\n\r\n"
    ),
    ("location", "HTTP/1.1 200 OK\r\nLocation: file:///etc/passwd\r\nContent-Length: 4\r\n\r\nbody"),
    (
      "a thousand cookies",
      "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n"
        + (0..<1000).map { "Set-Cookie: c\($0)=v\($0)\r\n" }.joined() + "\r\nbody"
    ),
  ]

  @Test(arguments: oddities) func `unusual but readable responses are accepted`(name: String, bytes: String)
    async throws
  {
    let record = try await fetch(.raw(bytes))
    #expect(record.words == "")
    #expect(record.text == "body")
    #expect(record.disorder == 0)
  }

  /// Responses that must fail, with a word that the error must contain.
  static let violations: [(String, String)] = [
    ("<rss/>", "HTTP/0.9"), ("HTTP/9.9 200 OK\r\nContent-Length: 4\r\n\r\nbody", "HTTP"),
    ("\u{16}\u{3}\u{1}garbage\r\n\r\n", "HTTP/0.9"), ("HTTP/1.1 000 Zero\r\nContent-Length: 0\r\n\r\n", ""),
    (
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nbody",
      "switchedProtocols"
    ),
    ("HTTP/1.1 302 Found\r\nContent-Length: 4\r\n\r\nbody", "302"),
    ("HTTP/1.1 301 Moved\r\nLocation:\r\nContent-Length: 0\r\n\r\n", "301"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nbody", "chunk"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nbody", "chunk"),
    (
      "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 20\r\n\r\nbodybodybodybodybody",
      "undecodable"
    ),
    (
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip, gzip, gzip, gzip, gzip\r\nContent-Length: 4\r\n\r\nbody",
      "encoding"
    ),
  ]

  @Test(arguments: violations) func `invalid responses fail`(bytes: String, word: String) async throws {
    let record = try await fetch(.raw(bytes))
    #expect(record.error != nil)
    #expect(record.words.contains(word))
    #expect(record.disorder == 0)
  }

  @Test(arguments: [204, 206, 400, 401, 403, 404, 410, 429, 451, 500, 502, 503, 999])
  func `a status other than 200 is reported without its body`(code: Int) async throws {
    let body = code == 204 ? [] : Array("<rss/>".utf8)
    let record = try await fetch(.status(code, "\u{1b}[31mOdd", headers: ["Retry-After: 7"], body: body))
    #expect(record.status == code)
    #expect(record.heads.first?.retryAfter == "7")
    #expect(record.body.isEmpty && record.summary?.decodedBytes == 0)
  }

  @Test func `an endless error page returns its status`() async throws {
    let head = ScriptedResponse.head(500, "Oops", headers: [])
    let record = try await fetch(
      ScriptedResponse(.send(head), .sendForEver(Array(repeating: 0x20, count: 65536))))
    #expect(record.status == 500)
  }

  @Test func `a truncated or stuck error page still returns its status`() async throws {
    let head = ScriptedResponse.head(503, "Busy", headers: ["Content-Length: 1000"])
    #expect(try await fetch(ScriptedResponse(.send(head))).status == 503)
    let stuck = try await fetch(ScriptedResponse(.send(head), .hang)) {
      $0.limits.totalTimeout = .seconds(1)
    }
    #expect(stuck.status == 503)
  }

  @Test func `the connection of a small error page is reused`() async throws {
    try await withServer { _ in
      .status(404, "Not Found", body: Array(repeating: 0x20, count: 60_000))
    } _: { server in
      let downloader = try Downloader.make()
      for _ in 0..<3 {
        #expect(await downloader.fetch(DownloadRequest.patient(server.url("/"))).status == 404)
      }
      #expect(server.connectionCount == 1)
    }
  }

  @Test func `an empty body is a success without a chunk`() async throws {
    let record = try await fetch(.ok(""))
    #expect(record.status == 200)
    #expect(record.chunkCount == 0 && record.heads.count == 1)
  }

  @Test(arguments: [1, 1000, 65_536, 65_537, 1_000_000])
  func `a body arrives complete`(size: Int) async throws {
    let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let record = try await fetch(.status(200, body: body))
    #expect(record.body == body)
    let chunked = try await fetch(
      .chunked(stride(from: 0, to: size, by: 7000).map { Array(body[$0..<min(size, $0 + 7000)]) }))
    #expect(chunked.body == body)
  }

  @Test(
    arguments: [
      (403, ["cf-mitigated: challenge"], "", true), (202, ["x-amzn-waf-action: challenge"], "", true),
      (503, [], "<title>Just a moment...</title><script src='/challenge-platform/'>", true),
      (403, [], "forbidden", false), (404, [], "challenge", false),
      (200, ["cf-mitigated: challenge"], "x", false), (403, ["Server: ddos-guard"], "", true),
      (403, ["Server: Sucuri/Cloudproxy", "x-sucuri-id: 1"], "Access Denied", true),
      (403, ["Server: AkamaiGHost"], "<H1>Access Denied</H1>", true), (403, ["X-Iinfo: 1"], "", true),
      (403, ["X-DataDome: protected"], "", true), (403, [], "Incapsula incident ID: 1", true),
      (404, ["Server: ddos-guard"], "", false), (403, ["Server: nginx"], "no", false),
    ] as [(Int, [String], String, Bool)])
  func `a wall against programs is recognized`(status: Int, headers: [String], body: String, isWall: Bool)
    async throws
  {
    let record = try await fetch(.status(status, "X", headers: headers, body: Array(body.utf8)))
    #expect(record.summary?.head.isChallenge == isWall)
  }

  @Test func `203 has a body as 200`() async throws {
    let record = try await fetch(.status(203, "Other", body: Array("feed".utf8)))
    #expect(record.text == "feed" && record.status == 203)
  }
}
