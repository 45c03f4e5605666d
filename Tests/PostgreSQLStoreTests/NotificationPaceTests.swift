import Testing

@testable import PostgreSQLStore

@Suite struct NotificationPaceTests {
  @Test func `commits are followed by at most five notifications a second`() {
    var pace = NotificationPace()
    let start = ContinuousClock.now
    let due = (0..<1000).filter { pace.isDue(at: start + .milliseconds($0)) }
    #expect(due == [0, 200, 400, 600, 800])
  }
}
