import ManagedContext
@testable import SQLiteStore
import Testing
import Threading

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
}
