import Foundation
@testable import ManagedContext
import TestSupport
import Testing
import Threading

@Suite struct ThreadExecutorTests {
  @Test(arguments: [(0, 0, 0), (7, 0, 7), (ThreadExecutor.idle, 5, 0)])
  func `the system schedules a thread by its niceness`(
    niceness: Int32, policy: Int32, nice: Int32
  ) throws {
    let found = try ThreadExecutor(name: "nice", niceness: niceness).runAndWait {
      // SCHED_IDLE is 5. For both calls, 0 means the calling thread.
      [sched_getscheduler(0), getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)]
    }
    #expect(found == [policy, nice])
  }

  @Test func `idle work waits until the thread has no other work`() async throws {
    let executor = try ThreadExecutor(name: "idle")
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

  @Test func `a thread runs its idle work before it ends`() async throws {
    var executor: ThreadExecutor? = try ThreadExecutor(name: "idle")
    await withCheckedContinuation { done in
      executor?.enqueueWhenIdle { done.resume() }
      executor = nil
    }
  }

  @Test func `contexts on a shared thread have separate objects, and may be parent and child`()
    async throws
  {
    let store = try LibraryStore(.sqlite)
    let executor = try ThreadExecutor(name: "shared")
    let parent = BackgroundContext(parent: store.coordinator, on: executor)
    let child = BackgroundContext(parent: parent, on: executor)
    let other = BackgroundContext(parent: store.coordinator, on: executor)
    await child.perform { $0.insert(Author.self).name = "Woolf" }
    try await child.save()
    let names = FetchRequest(Author.self)
    #expect(try await parent.perform { (context) throws(StoreError) in try context.count(names) } == 1)
    #expect(try await other.perform { (context) throws(StoreError) in try context.count(names) } == 0)
    // The child queries its parent on the thread that both share.
    #expect(
      try await child.perform { (context) throws(StoreError) in try context.fetch(names).map(\.name) } == [
        "Woolf"
      ])
    try await parent.save()
    #expect(try await other.perform { (context) throws(StoreError) in try context.count(names) } == 1)
  }

  @Test func `ten thousand contexts share one thread`() async throws {
    let store = try LibraryStore(.memory)
    try store.add("Woolf")
    let executor = try ThreadExecutor(name: "shared")
    let contexts = (0..<10_000).map { _ in BackgroundContext(parent: store.coordinator, on: executor) }
    for context in contexts {
      let count = try await context.perform { (context) throws(StoreError) in
        try context.count(FetchRequest(Author.self))
      }
      guard count == 1 else {
        Issue.record("a context found \(count)")
        return
      }
    }
  }

  /// The address sanitizer needs more memory than the process may have here.
  @Test(.enabled(if: unsafe dlsym(nil, "__asan_init") == nil))
  func `if the system cannot create a thread, an executor reports it, and contexts share one or report it`()
    async
  {
    await #expect(processExitsWith: .success) {
      let coordinator = PersistentStoreCoordinator(
        model: Library.model, store: InMemoryStore(model: Library.model))
      let first = BackgroundContext(parent: coordinator, name: "first")
      // The runtime creates its threads when needed, and stops the program if it cannot.
      await withTaskGroup(of: Int.self) { group in
        for _ in 0..<200 { group.addTask { (0..<20_000).reduce(0, &+) } }
      }
      try forbidMoreMemory()
      var executors: [ThreadExecutor] = []
      let refusal = #expect(throws: StoreError.self) {
        // Some threads may be created from memory that the process already has.
        while executors.count < 1000 { executors.append(try ThreadExecutor(name: "one more")) }
      }
      guard case .inputOutput(let cause)? = refusal, cause.contains("no thread for one more") else {
        throw StoreError.invalid("\(String(describing: refusal))")
      }
      let second = BackgroundContext(parent: coordinator, name: "second")
      guard second.executor === first.executor else { throw StoreError.invalid("it has a thread") }
      await second.perform { $0.insert(Author.self).name = "Woolf" }
      try await second.save()
      let root = ManagedObjectContext(parent: RootContext(coordinator: coordinator))
      root.insert(Author.self).name = "Austen"
      do {
        try root.save()
        throw StoreError.invalid("saved without a thread")
      } catch {
        guard case .inputOutput(let cause)? = error as? StoreError, cause.contains("no thread") else {
          throw error
        }
      }
    }
  }

  @Test func `a thread releases a block before its waiting caller continues`() throws {
    let context = try LibraryStack().background()
    // The compiler checks at run time that the body did not escape. A thread that keeps the body too long stops the
    // program once in some thousand runs.
    var total = 0
    for number in 0..<20_000 { total += context.performAndWait { _ in number } }
    #expect(total == 19_999 * 20_000 / 2)
  }
}

/// Prevents the process from getting more memory, and therefore more threads.
private func forbidMoreMemory() throws {
  let status = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
  let pages = status.split(separator: " ").first.flatMap { UInt($0) } ?? 0
  let bytes = pages * UInt(sysconf(Int32(_SC_PAGESIZE))) + 6_000_000
  var limit = rlimit(rlim_cur: bytes, rlim_max: bytes)
  guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else {
    throw StoreError.invalid("setrlimit: \(errno)")
  }
}
