import Testing

@testable import HTTPDownload

struct DownloadErrorTests {
  @Test(arguments: [
    "error:0A00010B:SSL routines::wrong version number",
    "error:0A0000C6:SSL routines::packet length too long",
  ])
  func `the error for https on a plain port has a readable description`(cause: String) {
    #expect(
      DownloadError.tls(message: cause)
        == .tls(cause: "the server does not speak TLS at this port; is it http?"))
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
