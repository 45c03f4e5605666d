import Foundation
import Testing

@testable import FeedImport

@Suite struct HostAllowanceTests {
  private static let start = Date(timeIntervalSince1970: 1_800_000_000)

  private func after(_ seconds: TimeInterval) -> Date { Self.start.addingTimeInterval(seconds) }

  /// The allowance of a host that has answered some requests, and then refuses one.
  private func refused(after answers: Int, at seconds: TimeInterval = 0, wait: TimeInterval?) -> HostAllowance
  {
    var allowance = HostAllowance(after: answers, since: answers > 0 ? Self.start : nil, at: after(seconds))
    allowance.noteRefusal(wait: wait, usual: 3600, at: after(seconds))
    return allowance
  }

  @Test func `the limit is the number of answers before a refusal, in the time until the next one`() {
    let minute = refused(after: 1, at: 5, wait: 55)
    #expect(minute.requests == 1 && minute.seconds == 60)
    #expect(minute.opening(at: after(5)) == after(60) && minute.allowed(at: after(59)) == 0)
    #expect(minute.opening(at: after(60)) == nil && minute.allowed(at: after(60)) == 1)
    let hour = refused(after: 100, at: 600, wait: 3000)
    #expect(hour.requests == 100 && hour.seconds == 3600 && hour.allowed(at: after(3600)) == 100)
  }

  @Test func `a request that is answered takes one of those in its window`() {
    var allowance = refused(after: 2, wait: 60)
    allowance.noteAnswer(StatedLimit(), at: after(100))
    #expect(allowance.allowed(at: after(100)) == 1 && allowance.opening(at: after(100)) == nil)
    allowance.noteAnswer(StatedLimit(), at: after(110))
    #expect(allowance.allowed(at: after(110)) == 0 && allowance.opening(at: after(110)) == after(160))
    #expect(allowance.allowed(at: after(160)) == 2)
  }

  @Test func `after a refusal without any answer requests follow one another until the next refusal`() {
    var allowance = refused(after: 0, wait: 3600)
    #expect(allowance.requests == nil && allowance.allowed(at: after(3600)) == .max)
    for second in 0..<7 { allowance.noteAnswer(StatedLimit(), at: after(3600 + Double(second))) }
    #expect(allowance.isOver(at: after(3610)))
    allowance.noteRefusal(wait: 53, usual: 3600, at: after(3607))
    #expect(allowance.requests == 7 && allowance.seconds == 60 && !allowance.isOver(at: after(3610)))
  }

  @Test func `answers that were under way when the host refused another one count`() {
    var allowance = refused(after: 0, wait: 60)
    allowance.noteAnswer(StatedLimit(), at: after(1))
    allowance.noteRefusal(wait: 60, usual: 3600, at: after(2))
    #expect(
      allowance.requests == 1 && allowance.opening(at: after(3)) == after(62) && allowance.refusals == 0)
  }

  @Test func `a limit is learned alike if a refusal is noted before the answers that preceded it`() {
    for known in [nil, 8] {
      var early = HostAllowance(at: Self.start)
      (early.requests, early.seconds) = (known, known == nil ? 0 : 60)
      var late = early
      for _ in 0..<3 { early.noteAnswer(StatedLimit(), at: Self.start) }
      early.noteRefusal(wait: 60, usual: 3600, at: Self.start)
      late.noteRefusal(wait: 60, usual: 3600, at: Self.start)
      for _ in 0..<3 { late.noteAnswer(StatedLimit(), at: Self.start) }
      #expect(late.requests == 3 && early.requests == 3)
      #expect(late.seconds == 60 && early.seconds == 60)
      // The next window begins a minute later, and has three requests.
      late.noteAnswer(StatedLimit(), at: after(600))
      #expect(late.allowed(at: after(600)) == 2)
      late.noteRefusal(wait: 50, usual: 3600, at: after(610))
      #expect(late.requests == 1 && late.opening(at: after(611)) == after(660))
    }
  }

  @Test func `without a stated time a host gets a request in each run, and fewer if it refuses that`() {
    var allowance = refused(after: 1, wait: nil)
    #expect(allowance.opening(at: after(1)) == after(3600) && allowance.seconds == 540)
    allowance.noteAnswer(StatedLimit(), at: after(3600))
    allowance.noteRefusal(wait: nil, usual: 3600, at: after(4200))
    #expect(allowance.requests == 1 && allowance.seconds == 1080)
    #expect(allowance.opening(at: after(4201)) == after(7800))
  }

  @Test func `a host that refuses again after its pause is asked less and less often`() {
    var allowance = refused(after: 0, wait: 1)
    var waits: [TimeInterval] = []
    for _ in 0..<4 {
      let now = allowance.pausedUntil ?? Self.start
      allowance.noteRefusal(wait: 1, usual: 3600, at: now)
      waits.append(allowance.pausedUntil?.timeIntervalSince(now) ?? 0)
    }
    #expect(waits == [1800, 3600, 3600, 3600])
  }

  @Test func `the last request that a host allows closes it, without a refusal`() {
    var allowance = HostAllowance(after: 3, since: Self.start, at: after(10))
    var stated = StatedLimit()
    (stated.remaining, stated.reset) = (0, 50)
    allowance.noteAnswer(stated, at: after(10))
    #expect(
      allowance.requests == 4 && allowance.seconds == 60 && allowance.opening(at: after(11)) == after(60))
    (stated.remaining, stated.reset) = (9, 60)
    allowance.noteAnswer(stated, at: after(100))
    #expect(allowance.requests == 10 && allowance.allowed(at: after(101)) == 9)
  }

  @Test
  func `the allowance grows after an hour without refusals, later after each refusal, and is forgotten`() {
    var allowance = refused(after: 1, wait: 60)
    func grown(at seconds: TimeInterval) -> Int {
      allowance.grow(toward: 1000, at: after(seconds))
      return allowance.requests ?? 0
    }
    #expect(grown(at: 3599) == 1)
    #expect(grown(at: 3600) == 2)
    for second in [3600.0, 3601] { allowance.noteAnswer(StatedLimit(), at: after(second)) }
    #expect(grown(at: 3602) == 2)
    allowance.noteRefusal(wait: 58, usual: 3600, at: after(3602))
    #expect(allowance.requests == 2 && allowance.seconds == 60)
    #expect(grown(at: 3602 + 7199) == 2)
    for place in 0..<7 { #expect(grown(at: 3602 + 7200) == 4 << place) }
    #expect(allowance.isOver(at: after(20_000)))
  }

  @Test func `nothing is kept of a limit for three days, or of a clock that was ahead`() {
    let allowance = refused(after: 1, wait: 60)
    #expect(!allowance.isOver(at: after(3 * 86_400)) && allowance.isOver(at: after(3 * 86_400 + 1)))
    #expect(!allowance.isOver(at: after(-600)) && allowance.isOver(at: after(-601)))
  }
}
