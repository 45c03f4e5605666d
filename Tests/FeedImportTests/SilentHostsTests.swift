import LoopbackServer
import TestSupport
import Testing

@testable import FeedImport
@testable import HTTPDownload

@Suite struct SilentHostsTests {
  private static let refused = DownloadError.couldNotConnect(cause: "refused")
  private static let origin = "http://a.example:80"

  private func note(_ errors: [DownloadError?]) -> [Bool] {
    var hosts = SilentHosts()
    return errors.enumerated().map { hosts.note($1, of: TransferID(UInt64($0)), at: Self.origin) }
  }

  @Test func `four requests in a row without an answer are enough`() {
    let silence: [DownloadError?] = [
      Self.refused, .timedOut(seconds: 1, phase: .waiting), .couldNotResolve(cause: "x"), Self.refused,
      Self.refused,
    ]
    #expect(note(silence) == [false, false, false, true, false])
  }

  @Test(
    arguments: [
      (nil, true), (.timedOut(seconds: 1, phase: .receiving), true), (.truncated(cause: "x"), true),
      (.redirected(to: "http://b.example/", refused), true), (.cancelled, false), (.hostClosed, false),
    ] as [(DownloadError?, Bool)])
  func `an answer, or what began to be one, tells that the host is there`(
    other: DownloadError?, isAnswer: Bool
  ) {
    let notes = note([Self.refused, Self.refused, Self.refused, other, Self.refused])
    #expect(notes == [false, false, false, false, !isAnswer])
  }

  @Test func `one request of several feeds is one, and each host is for itself`() {
    var hosts = SilentHosts()
    let ids: [UInt64] = [1, 1, 1, 1, 1, 2, 3]
    let notes = ids.map { hosts.note(Self.refused, of: TransferID($0), at: Self.origin) }
    #expect(!notes.contains(true))
    let other = hosts.note(Self.refused, of: TransferID(4), at: "http://b.example:80")
    #expect(!other && !hosts.isSilent(Self.origin))
    let fourth = hosts.note(Self.refused, of: TransferID(5), at: Self.origin)
    #expect(fourth && hosts.isSilent(Self.origin) && !hosts.isSilent("http://b.example:80"))
  }
}
