import GRDB
import ManagedContext
import Testing
import Threading

@testable import SQLiteStore

@Suite struct LockPatienceTests {
  @Test func `a long wait is reported once, a short one never`() {
    let told = Locked(0)
    let patience = LockPatience(limit: 1) { told.withLock { $0 += 1 } }
    for tries in 0..<5 { #expect(patience.wait(tries: tries)) }
    #expect(told.withLock { $0 } == 0)
    for tries in 5..<40 { _ = patience.wait(tries: tries) }
    #expect(told.withLock { $0 } == 1)
    #expect(!patience.wait(tries: 200))
  }

  @Test func `an operation that itself waited as long as the limit is not repeated`() {
    let patience = LockPatience(limit: 0.05)
    var tries = 0
    #expect(throws: StoreError.self) {
      try patience.untilFree { () throws(StoreError) in
        tries += 1
        let began = ContinuousClock.now
        while ContinuousClock.now - began < .seconds(0.05) {}
        throw StoreError.busy
      }
    }
    #expect(tries == 1)
  }

  @Test func `a bulk load waits without a report`() {
    let told = Locked(0)
    let patience = LockPatience(limit: 1) { told.withLock { $0 += 1 } }
    patience.setLoading(true)
    for tries in 30..<35 { #expect(patience.wait(tries: tries)) }
    #expect(told.withLock { $0 } == 0)
  }

  @Test func `a bulk load that only readers keep from committing waits for a pause of a reader`() throws {
    let patience = LockPatience(limit: 1)
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    configuration.prepareDatabase { patience.attach(to: $0) }
    let queue = try DatabaseQueue(configuration: configuration)
    try queue.inDatabase { db in
      // After 4,000 tries it has waited for 80 seconds.
      patience.setLoading(true)
      #expect(!patience.wait(tries: 4000))
      try db.execute(sql: "BEGIN IMMEDIATE")
      #expect(patience.wait(tries: 4000))
      #expect(!patience.wait(tries: 50_000))
      patience.setLoading(false)
      #expect(!patience.wait(tries: 4000))
      try db.execute(sql: "ROLLBACK")
    }
  }
}
