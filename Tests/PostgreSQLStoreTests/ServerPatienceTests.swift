import ManagedContext
import Testing

@testable import PostgreSQLStore

@Suite struct ServerPatienceTests {
  private static let limit = 0.002

  @Test func `a wait counts from the loss of the server, not from the beginning of the statement`() {
    let patience = ServerPatience(limit: Self.limit) {}
    var wait = ServerPatience.Wait()
    // The statement takes longer than the wait.
    let end = ContinuousClock.now + .seconds(Self.limit)
    while ContinuousClock.now < end {}
    #expect(patience.pause(&wait))
    while patience.pause(&wait) {}
    #expect(!patience.pause(&wait))
  }

  @Test func `operations that follow one another wait once for an absent server`() {
    let patience = ServerPatience(limit: Self.limit) {}
    patience.noteConnection()
    var wait = ServerPatience.Wait()
    while patience.pause(&wait) {}
    var next = ServerPatience.Wait()
    #expect(!patience.pause(&next))
    patience.noteConnection()
    var later = ServerPatience.Wait()
    #expect(patience.pause(&later))
  }

  @Test func `an attempt to connect that was just given up is not repeated until a connection was made`() {
    let patience = ServerPatience(limit: Self.limit) {}
    #expect(patience.recentFailure == nil)
    patience.note(.unavailable("connection refused"))
    #expect(patience.recentFailure == .unavailable("connection refused"))
    patience.noteConnection()
    #expect(patience.recentFailure == nil)
  }

  @Test func `a wait ends if the result is not needed any more`() {
    let patience = ServerPatience(limit: 3600) {}
    var wait = ServerPatience.Wait()
    patience.end()
    #expect(!patience.pause(&wait))
  }
}
