import FeedParsing
import HTTPDownload
import NewsModel
import TestSupport
import Testing

@testable import FeedImport

@Suite struct PollFailureMappingTests {
  @Test(
    arguments: [
      .notAFeed(looksLike: "an HTML page"), .limit(name: "items", value: 7), .truncated, .outOfMemory,
    ] as [FeedError]) func `a parser's error has the same sentence in parse and in the store`(
      error: FeedError
    )
  {
    #expect(PollFailure(document: error).description == "\(error)")
  }

  @Test(
    arguments: [
      (.timedOut(seconds: 2.5, phase: .securing), "timed out after 2.5 s (the TLS handshake)"),
      (.refusedAddress("10.0.0.1"), "address refused: 10.0.0.1 is not public"),
      (.invalidHeader(name: "X\n"), "the header field X\\u000a can't be sent"),
      (.protocolViolation(.unmarkedPart), "HTTP 226 (IM used) without IM: feed"),
      (
        .hostSilent(transfers: 4, proxy: "http://p:1"),
        "not requested: the proxy http://p:1 did not answer 4 others"
      ),
      (
        .redirected(to: "http://me:secret@b.example/", .tls(cause: "expired")),
        "TLS: expired, at http://me@b.example/"
      ),
    ] as [(DownloadError, String)]) func `a failed transfer is a code with its values`(
      error: DownloadError, sentence: String
    )
  {
    #expect(PollFailure(transfer: error).description == sentence)
  }
}
