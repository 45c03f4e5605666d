import Foundation
import ManagedContext
import Synchronization
import TestSupport
import Testing

@Suite struct RootContextTests {
  private let store = GatedStore()

  private func root(_ grouping: RootContext.Grouping = .init()) -> RootContext {
    RootContext(
      coordinator: PersistentStoreCoordinator(model: Library.model, store: store), grouping: grouping)
  }

  private func insertion() -> ChangeSet {
    let context = ManagedObjectContext(
      parent: PersistentStoreCoordinator(model: Library.model, store: GatedStore()))
    let author = context.insert(Author.self)
    var changes = ChangeSet(mergePolicy: .error)
    changes.insertions = [.init(id: author.id, values: [.text("A"), .null])]
    return changes
  }

  @Test func `saves that wait together are committed in one transaction`() async throws {
    store.closeGate()
    let root = root()
    let tickets = (0..<50).map { _ in root.accept(insertion()) }
    store.openGate()
    for ticket in tickets { _ = try await ticket.committed() }
    #expect(store.groups.reduce(0, +) == 50)
    #expect(store.groups.count <= 2)
  }

  @Test func `a save that the store refuses fails alone`() async throws {
    let refused = insertion()
    let refusedID = try #require(refused.insertions.first).id
    store.refuse { $0.insertions.first?.id == refusedID ? .invalid("no") : nil }
    let root = root()
    let good = root.accept(insertion())
    let bad = root.accept(refused)
    _ = try await good.committed()
    await #expect(throws: StoreError.invalid("no")) { _ = try await bad.committed() }
  }

  @Test func `a save is not written if its prerequisite failed`() async throws {
    let first = insertion()
    let firstID = try #require(first.insertions.first).id
    store.refuse { $0.insertions.first?.id == firstID ? .full("disk") : nil }
    store.closeGate()
    let root = root()
    let part = root.accept(first)
    let last = root.accept(insertion(), after: part)
    let other = root.accept(insertion())
    store.openGate()
    await #expect(throws: StoreError.full("disk")) { _ = try await last.committed() }
    _ = try await other.committed()
    // The same holds if the failure is already known.
    await #expect(throws: StoreError.full("disk")) {
      _ = try await root.accept(insertion(), after: part).committed()
    }
    #expect(store.groups.reduce(0, +) == 2)
  }

  @Test func `if the store is busy, all waiting saves fail, and can be saved again`() async throws {
    store.refuse { _ in .busy }
    store.closeGate()
    var grouping = RootContext.Grouping()
    grouping.rows = 1
    grouping.delay = 0
    let root = root(grouping)
    let tickets = (0..<9).map { _ in root.accept(insertion()) }
    store.openGate()
    for ticket in tickets { await #expect(throws: StoreError.busy) { _ = try await ticket.committed() } }
    #expect(store.groups.count <= 2)
    store.refuse { _ in nil }
    _ = try await root.accept(insertion()).committed()
  }

  @Test func `observers are notified of a transaction before its saves are acknowledged`() async throws {
    let root = root()
    let seen = Mutex<ContextChanges>(.init())
    let observation = root.didSave.observe { changes in seen.withLock { $0.formUnion(changes) } }
    let result = try await root.accept(insertion()).committed()
    #expect(seen.withLock { $0.inserted } == result.changes.inserted)
    observation.cancel()
    _ = try await root.accept(insertion()).committed()
    #expect(seen.withLock { $0.inserted.count } == 1)
  }

  @Test func `closing commits accepted saves and refuses later ones`() async throws {
    let root = root()
    let ticket = root.accept(insertion())
    root.close()
    _ = try await ticket.committed()
    await #expect(throws: StoreError.self) { _ = try await root.accept(insertion()).committed() }
  }

  @Test func `releasing the root loses no accepted save`() async throws {
    var root: RootContext? = root()
    let ticket = try #require(root?.accept(insertion()))
    root = nil
    _ = try await ticket.committed()
  }

  @Test func `a save waits while the inbox is full and continues when there is room`() async throws {
    var grouping = RootContext.Grouping()
    grouping.inboxBytes = 100
    grouping.delay = 0
    store.closeGate()
    let root = root(grouping)
    let first = root.accept(insertion())
    let second = Task.detached { [insertion = insertion()] in root.accept(insertion) }
    let progress = Mutex(false)
    Task.detached {
      _ = await second.value
      progress.withLock { $0 = true }
    }
    #expect(!progress.withLock { $0 }, "the second save must wait: the first fills the inbox")
    store.openGate()
    _ = try await first.committed()
    _ = try await second.value.committed()
  }

  /// A root whose first transaction begins with two saves, and eight more that wait by then.
  private func fill(
    _ store: OpenStore, _ change: (inout RootContext.Grouping) -> Void = { _ in }
  ) -> (RootContext, [SaveTicket]) {
    var grouping = RootContext.Grouping()
    (grouping.rows, grouping.delay) = (2, 60)
    change(&grouping)
    store.closeGate()
    let root = RootContext(
      coordinator: PersistentStoreCoordinator(model: Library.model, store: store), grouping: grouping)
    return (root, (0..<10).map { _ in root.accept(insertion()) })
  }

  @Test func `a transaction takes the saves that come while it is written`() async throws {
    let store = OpenStore()
    let (root, tickets) = fill(store)
    store.openGate()
    root.flush()
    for ticket in tickets { _ = try await ticket.committed() }
    #expect(store.transactions == [[2, 2, 2, 2, 2]])
  }

  @Test func `a transaction ends at its largest size`() async throws {
    let store = OpenStore()
    let (root, tickets) = fill(store) { $0.transactionBytes = 4 * insertion().byteCount }
    store.openGate()
    root.flush()
    for ticket in tickets { _ = try await ticket.committed() }
    #expect(store.transactions == [[2, 2], [2, 2], [2]])
  }

  /// Accepts a save as soon as a ticket's save is applied, after the writer has begun to wait for more.
  private func accept(
    _ change: ChangeSet, in root: RootContext, afterApplying ticket: SaveTicket
  ) async -> SaveTicket {
    await withCheckedContinuation { continuation in
      ticket.whenEnded(applied: { continuation.resume() }) { _ in }
    }
    return root.accept(change)
  }

  @Test func `a transaction waits for more saves after a group of the usual size`() async throws {
    let store = OpenStore()
    let (root, tickets) = fill(store)
    store.openGate()
    let next = await accept(insertion(), in: root, afterApplying: tickets[9])
    root.flush()
    _ = try await next.committed()
    #expect(store.transactions == [[2, 2, 2, 2, 2, 1]])
  }

  @Test func `a bulk load's transaction waits for more saves after any group, of any size`() async throws {
    let store = OpenStore()
    var grouping = RootContext.Grouping()
    (grouping.delay, grouping.transactionBytes, grouping.transactionTime) = (0, 1, 60)
    let root = RootContext(
      coordinator: PersistentStoreCoordinator(model: Library.model, store: store), grouping: grouping)
    try await root.withBulkLoad {
      let first = root.accept(insertion())
      let second = await accept(insertion(), in: root, afterApplying: first)
      // The caller needs the memory, but not the end.
      root.flush(commits: false)
      let third = await accept(insertion(), in: root, afterApplying: second)
      root.flush()
      _ = try await third.committed()
    }
    #expect(store.transactions == [[1, 1, 1]])
  }

  @Test func `a transaction ends when a caller waits for its saves, although others come`() async throws {
    let store = OpenStore()
    let (root, tickets) = fill(store)
    let later = Mutex<[SaveTicket]>([])
    let added = (0..<4).map { _ in insertion() }
    // When the last of the ten is applied, the transaction is still open.
    tickets[9].whenEnded(applied: { later.withLock { $0 = added.map { root.accept($0) } } }) { _ in }
    root.flush()
    store.openGate()
    for ticket in tickets { _ = try await ticket.committed() }
    #expect(store.transactions.first == [2, 2, 2, 2, 2])
    root.flush()
    for ticket in later.withLock({ $0 }) { _ = try await ticket.committed() }
    #expect(store.transactions == [[2, 2, 2, 2, 2], [2, 2]])
  }

  @Test func `a transaction ends before a save that waits for the outcome of one in it`() async throws {
    let store = OpenStore()
    let (root, tickets) = fill(store)
    let next = root.accept(insertion(), after: tickets[0])
    root.flush()
    store.openGate()
    _ = try await next.committed()
    #expect(store.transactions == [[2, 2, 2, 2, 2], [1]])
  }

  @Test func `a transaction ends after its longest time`() async throws {
    let store = OpenStore()
    let (root, tickets) = fill(store) { $0.transactionTime = 0 }
    store.openGate()
    root.flush()
    for ticket in tickets { _ = try await ticket.committed() }
    #expect(store.transactions == [[2], [2], [2], [2], [2]])
  }

  @Test func `a save frees its memory when the open transaction contains it`() async throws {
    let store = OpenStore()
    let (root, tickets) = fill(store)
    let applied = Mutex<[Bool]>([])
    for ticket in tickets {
      ticket.whenEnded(applied: { applied.withLock { $0.append(store.transactions.isEmpty) } }) { _ in }
    }
    store.openGate()
    root.flush()
    for ticket in tickets { _ = try await ticket.committed() }
    #expect(applied.withLock { $0 } == Array(repeating: true, count: 10))
    // It also does so if it never was in one.
    root.close()
    let refused = root.accept(insertion())
    let ended = Mutex(false)
    refused.whenEnded(applied: { applied.withLock { $0.append(ended.withLock { $0 }) } }) { _ in
      ended.withLock { $0 = true }
    }
    #expect(applied.withLock { $0.count == 11 && $0.last == true })
  }
}

/// A store that keeps a transaction open, and stores nothing. It writes only while its gate is open.
private final class OpenStore: PersistentStore {
  let name = "the open store"
  var number: StoreNumber { gated.number }
  private let gated = GatedStore()
  private let written = Mutex<[[Int]]>([])

  /// The number of change sets in each group, in each ended transaction.
  var transactions: [[Int]] { written.withLock { $0 } }

  func closeGate() { gated.closeGate() }
  func openGate() { gated.openGate() }

  func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch { try gated.fetch(query) }
  func count(_ query: StoreQuery) throws(StoreError) -> Int { 0 }
  func write(_ group: [ChangeSet]) -> [Result<CommitResult, StoreError>] { gated.write(group) }

  func write(groups next: () -> [ChangeSet]?) -> [Result<CommitResult, StoreError>] {
    var (sizes, results): ([Int], [Result<CommitResult, StoreError>]) = ([], [])
    while let group = next() {
      results += gated.write(group)
      sizes.append(group.count)
    }
    written.withLock { $0.append(sizes) }
    return results
  }
}
