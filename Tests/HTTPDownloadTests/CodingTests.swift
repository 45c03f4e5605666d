import LoopbackServer
import Testing

@testable import HTTPDownload

/// Bodies in codings that not every libcurl can decode. Requests do not offer codings that it cannot.
@Suite struct CodingTests {
  static let codings:
    [(name: String, stored: @Sendable ([UInt8]) -> [UInt8], bomb: @Sendable () -> [UInt8])] = [
      ("br", { Brotli.stored($0) }, { Brotli.bomb(16) }),
      ("zstd", { Zstandard.stored($0) }, { Zstandard.bomb(2048) }),
    ]

  /// Returns the codings that requests offer to servers.
  private func offered() async throws -> String {
    let server = try LoopbackHTTPServer { .ok($0.text(of: "Accept-Encoding") ?? "") }
    defer { server.stop() }
    let downloader = try Downloader.make()
    defer { downloader.shutdown() }
    return await downloader.fetch(.patient(server.url("/"))).text
  }

  private func coded(_ bytes: [UInt8], _ name: String) -> ScriptedResponse {
    .status(200, headers: ["Content-Encoding: \(name)"], body: bytes)
  }

  @Test(arguments: codings.indices, [0, 1, 100_000, 1_000_000])
  func `a body in an offered coding is decoded`(coding: Int, count: Int) async throws {
    let (name, stored, _) = Self.codings[coding]
    guard try await offered().contains(name) else { return }
    let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let record = try await fetch(coded(stored(body), name))
    #expect(record.body == body)
    #expect(record.summary?.head.contentEncoding == name)
  }

  @Test(arguments: codings.indices)
  func `a decompression bomb in any coding stops at the limit of decoded bytes`(
    coding: Int
  )
    async throws
  {
    let (name, _, bomb) = Self.codings[coding]
    guard try await offered().contains(name) else { return }
    let bytes = bomb()
    #expect(bytes.count < 16 << 10)
    let record = try await fetch(coded(bytes, name)) { $0.limits.maxBodyBytes = 4 << 20 }
    #expect(record.error == .bodyTooLarge(limit: 4 << 20))
    #expect(record.body.count <= 4 << 20)
  }

  @Test(arguments: codings.indices)
  func `a body that does not match its coding fails`(coding: Int) async throws {
    let name = Self.codings[coding].name
    guard try await offered().contains(name) else { return }
    let record = try await fetch(coded(Array("<?xml version=\"1.0\"?><rss version=\"2.0\"/>".utf8), name))
    guard case .undecodableBody = record.error else {
      Issue.record("\(record.words)")
      return
    }
  }
}
