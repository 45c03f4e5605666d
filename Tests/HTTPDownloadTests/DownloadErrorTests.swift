import Testing

@testable import HTTPDownload

struct DownloadErrorTests {
  @Test func `errors say what happened in words`() {
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

  @Test(arguments: ["\u{1b}]0;x\u{7}", "\u{9b}31m", "\u{202e}txt", "a\nb", "\u{2028}", "\u{7f}", "\u{feff}"])
  func `nothing that moves a cursor or turns text is left`(text: String) {
    let escaped = SafeText.escaping("before \(text) after")
    #expect(escaped.hasPrefix("before ") && escaped.hasSuffix(" after"))
    #expect(escaped.contains("\\u{"))
    #expect(SafeText.escaping(escaped) == escaped)
  }

  @Test(arguments: [
    "error:0A00010B:SSL routines::wrong version number",
    "error:0A0000C6:SSL routines::packet length too long",
  ])
  func `an https address of a plain port is told so in words`(cause: String) {
    #expect(
      DownloadError.tls(saying: cause).description
        == "TLS: the server does not speak TLS at this port; is it http?")
  }

  @Test func `ordinary text stays as it is`() {
    #expect(SafeText.escaping("Straße, 東京, 🙂 e\u{301}") == "Straße, 東京, 🙂 e\u{301}")
  }

  @Test func `a secret is cut out wherever it stands`() {
    #expect(SafeText.cause("no pw here: s3 and s3", withoutSecret: "s3") == "no pw here: *** and ***")
    #expect(SafeText.cause("plain", withoutSecret: "") == "plain")
    #expect(SafeText.cause("plain", withoutSecret: nil) == "plain")
  }

  @Test(arguments: [
    (64, 1024, 64), (1024, 1024, 333), (64, 40, 5), (64, 20, 1), (0, 1024, 1), (64, .max, 64),
  ])
  func `jobs keep to the descriptors`(wanted: Int, descriptors: Int, jobs: Int) {
    #expect(DownloaderConfiguration.jobs(wanted, descriptors: descriptors) == jobs)
  }
}
