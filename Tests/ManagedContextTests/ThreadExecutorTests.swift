import Foundation
@testable import ManagedContext
import TestSupport
import Testing
import Threading

@Suite struct ThreadExecutorTests {
  @Test(arguments: [(0, 0, 0), (7, 0, 7), (ThreadExecutor.idle, 5, 0)])
  func `the niceness of a thread is what the system schedules it by`(
    niceness: Int32, policy: Int32, nice: Int32
  ) {
    let found = ThreadExecutor(name: "nice", niceness: niceness).runAndWait {
      // SCHED_IDLE is 5; with 0 both calls mean the calling thread.
      [sched_getscheduler(0), getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)]
    }
    #expect(found == [policy, nice])
  }

  @Test func `work for when there is nothing else to do waits for what comes meanwhile`() async {
    let executor = ThreadExecutor(name: "idle")
    let order = Locked<[String]>([])
    await withCheckedContinuation { done in
      executor.enqueue {
        executor.enqueueWhenIdle {
          order.withLock { $0.append("idle") }
          done.resume()
        }
        executor.enqueue {
          order.withLock { $0.append("first") }
          executor.enqueue { order.withLock { $0.append("second") } }
        }
      }
    }
    #expect(order.withLock { $0 } == ["first", "second", "idle"])
  }

  @Test func `a thread does such work before it ends`() async {
    await withCheckedContinuation { done in
      ThreadExecutor(name: "idle").enqueueWhenIdle { done.resume() }
    }
  }

  @Test func `a thread that was waited for has let go of what it ran`() throws {
    let context = try LibraryStack().background()
    // The compiler checks at run time that the body did not escape; a thread that keeps it a moment too long
    // stops the program in one of some thousand times.
    var total = 0
    for number in 0..<20_000 { total += context.performAndWait { _ in number } }
    #expect(total == 19_999 * 20_000 / 2)
  }
}
