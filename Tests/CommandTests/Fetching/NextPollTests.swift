import Foundation
import Testing
import TextOutput

@testable import NewsCommand

@Suite struct NextPollTests {
  private let now = Date(timeIntervalSince1970: 1_763_769_600)

  @Test func `the date of the next poll is reported, with its day unless that is today`() {
    let soon = now + 60
    let line = NextPoll.line(soon, claimed: 0, isByHand: false, at: now)
    #expect(line?.hasPrefix("nothing due; next at ") == true)
    #expect(line?.hasSuffix("\(localMinute(now + 60).suffix(5))\n") == true)
    let later = NextPoll.line(now + 3 * 86400, claimed: 0, isByHand: true, at: now)
    let words = "no feed may be polled now; next at \(localMinute(now + 3 * 86400))"
    #expect(later == "\(words) (newsimport fetch -v shows why)\n")
    let told = NextPoll.line(now + 3 * 86400, claimed: 0, isByHand: true, hasReasons: true, at: now)
    #expect(told == "\(words)\n")
  }

  @Test func `without a date the reason is told`() {
    #expect(
      NextPoll.line(nil, claimed: 3, isByHand: false, at: now)
        == "nothing due; another run is fetching 3 feeds\n")
    #expect(
      NextPoll.line(now + 60, claimed: 1, isByHand: false, at: now)
        == "nothing due; another run is fetching 1 feed\n")
    #expect(NextPoll.line(nil, claimed: 3, isByHand: true, at: now) == nil)
    #expect(
      NextPoll.line(nil, claimed: 0, isByHand: false, at: now)?.hasPrefix("nothing due, and no feed") == true)
  }
}
