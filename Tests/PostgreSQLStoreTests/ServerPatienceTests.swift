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

  @Test func `a wait ends if the result is not needed any more`() {
    let patience = ServerPatience(limit: 3600) {}
    var wait = ServerPatience.Wait()
    patience.end()
    #expect(!patience.pause(&wait))
  }
}
