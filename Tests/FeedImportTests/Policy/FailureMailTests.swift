import FeedImport
import Testing

@Suite struct FailureMailTests {
  private let mail = FailureMail(after: 3)

  @Test(
    arguments: [
      (1, false, nil), (2, false, nil), (3, false, .broken), (4, true, nil), (4, false, .broken),
      (0, false, nil),
      (0, true, .recovered), (1, true, nil),
    ] as [(Int, Bool, FailureMail.News?)]) func `each change of a feed's state is reported once`(
      failures: Int, wasReported: Bool, news: FailureMail.News?
    )
  {
    #expect(mail.news(failures: failures, wasReported: wasReported, isGone: false) == news)
  }

  @Test func `a feed that its publisher ended is reported at once`() {
    #expect(mail.news(failures: 1, wasReported: false, isGone: true) == .broken)
  }

  @Test func `after one failure each first failure is reported`() {
    #expect(FailureMail(after: 1).news(failures: 1, wasReported: false, isGone: false) == .broken)
    #expect(FailureMail(after: 1).news(failures: 2, wasReported: true, isGone: false) == nil)
  }
}
