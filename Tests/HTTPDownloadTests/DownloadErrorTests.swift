import Testing

@testable import HTTPDownload

struct DownloadErrorTests {
  @Test func `errors have readable descriptions`() {
    #expect(
      "\(DownloadError.timedOut(seconds: 3, phase: .waiting))"
        == "timed out after 3 s (waiting for the answer)")
    #expect("\(DownloadError.bodyTooLarge(limit: 32 << 20))" == "body too large: over the limit of 32 MiB")
    #expect("\(DownloadError.bodyTooLarge(limit: 1536))" == "body too large: over the limit of 1536 bytes")
    #expect(
      "\(DownloadError.headersTooLarge(limit: 256 << 10))" == "header too large: over the limit of 256 KiB")
    #expect(
      "\(DownloadError.tooSlow(bytesPerSecond: 100, seconds: 20))"
        == "too slow: under 100 bytes a second for 20 s")
  }

  @Test(arguments: [
    "error:0A00010B:SSL routines::wrong version number",
    "error:0A0000C6:SSL routines::packet length too long",
  ])
  func `the error for https on a plain port has a readable description`(cause: String) {
    #expect(
      DownloadError.tls(message: cause).description
        == "TLS: the server does not speak TLS at this port; is it http?")
  }

  @Test func `a secret is removed wherever it occurs`() {
    #expect(CauseText.printable("no pw here: s3 and s3", without: "s3") == "no pw here: *** and ***")
    #expect(CauseText.printable("plain", without: "") == "plain")
    #expect(CauseText.printable("plain", without: nil) == "plain")
  }

  @Test(arguments: [
    (64, 1024, 64), (1024, 1024, 333), (64, 40, 5), (64, 20, 1), (0, 1024, 1), (64, .max, 64),
  ])
  func `the number of jobs is limited by the number of descriptors`(wanted: Int, descriptors: Int, jobs: Int)
  {
    #expect(DownloaderConfiguration.jobs(wanted, descriptors: descriptors) == jobs)
  }
}
