import LoopbackServer
import TestSupport
import Testing

@testable import HTTPDownload

/// Files with trusted certificates that cannot be used.
@Suite struct CertificateFileTests {
  @Test(arguments: [
    ("", "no certificate in PEM form"), ("text\n", "no certificate in PEM form"),
    ("-----BEGIN PRIVATE KEY-----\nx\n", "no certificate in PEM form"),
  ])
  func `a file without certificates is refused before a request`(content: String, problem: String)
    async throws
  {
    let folder = try TemporaryFolder()
    let file = try folder.write("ca.pem", content.utf8)
    try await withServer { _ in
      .ok("feed")
    } _: { server in
      let downloader = try Downloader.make { $0.certificateFile = file }
      defer { downloader.shutdown() }
      let record = await downloader.fetch(.patient("https://127.0.0.1:\(server.port)/"))
      guard case .unusableCertificates(let cause) = record.error else {
        Issue.record("\(record.words)")
        return
      }
      #expect(cause.contains(file) && cause.hasSuffix(problem))
      #expect(server.connectionCount == 0)
      // A request without encryption needs no certificates.
      #expect(await downloader.fetch(.patient(server.url("/"))).text == "feed")
    }
  }

  @Test func `a file that cannot be read is named with the reason`() throws {
    #expect(
      CertificateFile.problem("/nowhere/ca.pem")?.hasSuffix("cannot be read (No such file or directory)")
        == true)
    #expect(CertificateFile.problem("/")?.contains("cannot be read") == true)
  }

  @Test(arguments: ["-----BEGIN CERTIFICATE-----", "# x\n-----BEGIN TRUSTED CERTIFICATE-----"])
  func `a file with certificates has no problem`(content: String) throws {
    let folder = try TemporaryFolder()
    #expect(CertificateFile.problem(try folder.write("ca.pem", (content + "\n").utf8)) == nil)
  }
}
