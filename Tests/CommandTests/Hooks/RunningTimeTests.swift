import Testing

@testable import ArticleHooks
@testable import NewsCommand

/// The time limits of hooks.
@Suite struct RunningTimeTests {
  private let start = SuspendingClock.now

  @Test func `the time ends after its seconds`() {
    var time = RunningTime(of: 3, now: start)
    for second in 1...3 {
      #expect(!time.isOver)
      time.pass(until: start + .seconds(second))
    }
    #expect(time.isOver)
  }

  @Test func `the time in which the process is stopped does not pass`() {
    var time = RunningTime(of: 10, now: start)
    time.pass(until: start + .seconds(3600))
    #expect(!time.isOver)
    for second in 1...8 { time.pass(until: start + .seconds(3600 + second)) }
    #expect(time.isOver)
  }

  @Test func `a wait is as long as the rest, but no longer than a second`() {
    var waits: [Int32] = []
    for seconds in [0, -1, 0.0001, 0.5, 600] {
      var time = RunningTime(of: seconds)
      #expect(
        time.waiting {
          waits.append($0)
          return 7
        } == 7)
    }
    #expect(waits == [0, 0, 1, 500, 1000])
  }
}
