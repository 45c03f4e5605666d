import LoopbackServer
import Testing

@testable import HTTPDownload

/// The codings of bodies (RFC 9110, section 8.4) and of transfers (RFC 9112, section 7).
@Suite struct CodingTests {
  private static let text = String(repeating: "<item>news</item>", count: 5000)

  private static let formats: [(coding: String, encode: @Sendable ([UInt8]) -> [UInt8])] = [
    ("gzip", Gzip.stored), ("x-gzip", Gzip.stored), ("GZIP", Gzip.stored), ("deflate", Gzip.zlibStored),
    ("deflate", Gzip.bareStored), ("deflate", Gzip.stored), ("identity, gzip", Gzip.stored),
  ]

  private func coded(_ bytes: [UInt8], _ coding: String = "gzip") -> ScriptedResponse {
    .status(200, headers: ["Content-Encoding: \(coding)"], body: bytes)
  }

  @Test func `requests offer gzip and deflate, also after a redirect`() async throws {
    try await withServer { request in
      request.target == "/old" ? .status(301, headers: ["Location: /new"], body: []) : .ok("body")
    } _: { server in
      _ = await (try Downloader.make()).fetch(DownloadRequest.patient(server.url("/old")))
      #expect(
        server.requests.map { $0.text(of: "Accept-Encoding") } == ["gzip, deflate", "gzip, deflate"])
    }
  }

  @Test(arguments: formats.indices) func `a coded body is decoded`(format: Int) async throws {
    let (coding, encode) = Self.formats[format]
    let body = encode(Array(Self.text.utf8))
    let record = try await fetch(coded(body, coding))
    #expect(record.text == Self.text)
    #expect(record.summary?.head.contentEncoding == coding)
    #expect(record.summary?.decodedBytes == Self.text.utf8.count)
    #expect(record.summary?.wireBytes == body.count)
  }

  @Test func `a coded body that arrives byte by byte is decoded`() async throws {
    let bytes = Gzip.stored(Array("<rss/>".utf8))
    let response = ScriptedResponse.chunked(bytes.map { [$0] }, headers: ["Content-Encoding: gzip"])
    #expect(try await fetch(response).text == "<rss/>")
  }

  @Test func `all members of a gzip body are decoded`() async throws {
    let record = try await fetch(coded(Gzip.stored(Array("one, ".utf8)) + Gzip.stored(Array("two".utf8))))
    #expect(record.text == "one, two")
  }

  @Test func `zeros after the end of a gzip body are padding`() async throws {
    let record = try await fetch(coded(Gzip.stored(Array("body".utf8)) + [UInt8](repeating: 0, count: 512)))
    #expect(record.error == nil && record.text == "body")
  }

  @Test func `the error for bytes after the end of a coded body names them`() async throws {
    let record = try await fetch(coded(Gzip.stored(Array("body".utf8)) + Array("<!-- cached -->".utf8)))
    #expect(record.error == .undecodableBody(cause: "more bytes follow its end"))
  }

  @Test(arguments: [1, 5, 100, 50_000]) func `a coded body without its end is a truncated one`(
    count: Int
  )
    async throws
  {
    let record = try await fetch(coded(Array(Gzip.stored(Array(Self.text.utf8)).prefix(count))))
    #expect(record.error == .truncated(cause: "the compressed body is incomplete"))
    let isBeginning = Self.text.hasPrefix(record.text)
    #expect(isBeginning)
  }

  @Test(arguments: ["gzip", "deflate"]) func `a body that does not match its coding fails`(
    coding: String
  )
    async throws
  {
    let record = try await fetch(coded(Array("<?xml version=\"1.0\"?><rss/>".utf8), coding))
    #expect(record.error == .undecodableBody(cause: "its compression is damaged"))
  }

  @Test func `a body with a wrong checksum fails after its bytes`() async throws {
    var bytes = Gzip.stored(Array("body".utf8))
    bytes[bytes.count - 8] ^= 1
    let record = try await fetch(coded(bytes))
    #expect(record.text == "body")
    #expect(record.error == .undecodableBody(cause: "its compression is damaged"))
  }

  @Test(arguments: ["br", "ZSTD", "compress", "gzip, gzip", "br, gzip"])
  func `a coding that was not requested is refused by its name`(coding: String) async throws {
    let record = try await fetch(coded(Array("body".utf8), coding))
    #expect(
      record.error
        == .undecodableBody(
          cause: "its content encoding (\(coding.lowercased())) was not requested"))
    #expect(record.body.isEmpty)
  }

  @Test(arguments: ["UTF-8", "x-rot13", "none", ""])
  func `a plain body with a coding that does not exist is accepted as it is`(coding: String) async throws {
    let record = try await fetch(coded(Array("body".utf8), coding))
    #expect(record.text == "body" && record.error == nil)
  }

  @Test(arguments: ["gzip, chunked", "br, chunked", "deflate"])
  func `a transfer coding that was not requested is refused`(coding: String) async throws {
    let head = ScriptedResponse.head(200, "OK", headers: ["Transfer-Encoding: \(coding)"])
    let body = Gzip.stored(Array("body".utf8))
    let size = Array(String(body.count, radix: 16).utf8)
    let line = Array("\r\n".utf8)
    let record = try await fetch(
      ScriptedResponse(.send(head + size + line + body + line + Array("0\r\n\r\n".utf8))))
    #expect(record.error == .undecodableBody(cause: "its transfer coding was not requested"))
    #expect(record.body.isEmpty)
  }

  @Test func `a status is reported whatever the coding of its page`() async throws {
    let page = Array("no".utf8)
    #expect(try await fetch(.status(404, headers: ["Content-Encoding: br"], body: page)).status == 404)
  }

  // MARK: Bombs

  @Test func `a decompression bomb stops at the limit of decoded bytes`() async throws {
    let head = ScriptedResponse.head(200, "OK", headers: ["Content-Encoding: gzip"])
    let piece = Array(repeatElement(Gzip.bomb.piece, count: 100).joined())
    let record = try await fetch(ScriptedResponse(.send(head + Gzip.bomb.front), .sendForEver(piece))) {
      $0.limits.maxBodyBytes = 8 << 20
    }
    #expect(record.error == .bodyTooLarge(limit: 8 << 20))
    #expect(record.body.count <= 8 << 20)
    #expect(record.body.allSatisfy { $0 == 0 })
  }

  @Test func `empty members of a gzip body count towards the limit`() async throws {
    let head = ScriptedResponse.head(200, "OK", headers: ["Content-Encoding: gzip"])
    let members = Array(repeatElement(Gzip.stored([]), count: 1000).joined())
    let record = try await fetch(ScriptedResponse(.send(head), .sendForEver(members))) {
      $0.limits.maxBodyBytes = 1 << 20
    }
    #expect(record.error == .bodyTooLarge(limit: 1 << 20))
  }

  @Test func `a bomb is decoded only as far as the sink asks`() throws {
    let collector = ResponseCollector(
      id: TransferID(1), limits: DownloadLimits(), arrivals: ArrivalList(now: .now))
    for line in ["HTTP/1.1 200 OK\r\n", "Content-Encoding: gzip\r\n", "\r\n"] {
      let isTaken = collector.receive(headerLine: Array(line.utf8).span)
      #expect(isTaken == .taken)
    }
    let bomb = Gzip.bomb.front + Array(repeatElement(Gzip.bomb.piece, count: 1000).joined())
    let intake = collector.receive(body: bomb.span)
    #expect(intake == .taken)
    #expect(collector.bodyByteCount == 0)
    #expect(try collector.nextChunk()?.count == ChunkLine.chunkSize)
    #expect(collector.bodyByteCount == ChunkLine.chunkSize)
  }
}
