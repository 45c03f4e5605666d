public import Foundation
import Threading

/// The store's only writer. It accepts saves from many children in memory and commits them in groups.
///
/// A child's save costs only the transfer of a value. The writer's thread has low priority. It combines saves
/// into one transaction (by rows, bytes and time), notifies the observers, and ends the tickets. The inbox is
/// bounded in bytes, and a child waits while it is full, so memory stays bounded.
public final class RootContext: ContextParent {
  /// The rules for grouping saves into transactions.
  public struct Grouping: Sendable {
    /// The number of waiting rows that starts a transaction. A group has at most as many, unless one save has more.
    public var rows = 10_000
    /// The number of waiting bytes that starts a transaction. A group has at most as many, unless one save has more.
    public var bytes = 6 << 20
    /// The longest time that a save waits before a transaction starts, in seconds.
    public var delay = 0.03
    /// The size, in bytes, at which a transaction takes no more groups, except in a bulk load. While saves come
    /// faster than they are written, transactions have this size, because each costs syncs and pages that the
    /// next one writes again.
    public var transactionBytes = 32 << 20
    /// The time after which a transaction takes no more groups, in seconds: other programs wait for its end.
    public var transactionTime = 1.0
    /// The size of the inbox, in bytes. A save waits while the inbox contains more.
    public var inboxBytes = 12 << 20

    /// Creates the grouping with the shortest total time.
    public init() {}

    /// Short transactions for a program with a user interface. The writer never occupies a processor for
    /// long, and needs a few percent more time in total.
    public static var responsive: Grouping {
      var grouping = Grouping()
      grouping.rows = 200
      grouping.bytes = 700 << 10
      grouping.transactionBytes = 0
      return grouping
    }
  }

  private let coordinator: PersistentStoreCoordinator
  private let grouping: Grouping
  private let author: String?
  private let inbox = Monitor(RootInbox())

  /// The model that the whole stack shares.
  public var model: ManagedObjectModel { coordinator.model }
  public var writtenStoreNumber: StoreNumber { coordinator.writtenStoreNumber }
  /// Notifies observers about each transaction, on the writer's thread, before its saves' tickets end.
  public var didSave: ChangeNotifier { coordinator.didSave }
  /// Notifies children about changes they may merge: ``didSave``.
  public var notices: ChangeNotifier { didSave }

  /// Starts the writer's thread. If the system cannot create one, saves fail with
  /// ``StoreError/inputOutput(_:)``.
  ///
  /// - Parameters:
  ///   - coordinator: The coordinator with the store to write. Writes to it are serialized.
  ///   - grouping: The rules for grouping saves into transactions.
  ///   - niceness: 0 to 19, or ``ThreadExecutor/idle``. A higher value leaves more time to the main queue.
  ///   - author: The author for children's saves without their own author; nil for no author.
  public init(
    coordinator: PersistentStoreCoordinator, grouping: Grouping = Grouping(), niceness: Int32 = 0,
    author: String? = nil
  ) {
    self.coordinator = coordinator
    self.author = author
    self.grouping = grouping
    // The thread holds its own state, not the root, so accepted saves are written even after the root is
    // released.
    do throws(StoreError) {
      _ = try startThread(name: "root context", niceness: niceness) { [coordinator, inbox] in
        while Self.writeNext(from: inbox, coordinator, grouping) {}
        inbox.update { $0.hasEnded = true }
      }
    } catch {
      inbox.update { ($0.closure, $0.hasEnded) = (error, true) }
    }
  }

  deinit {
    inbox.update { $0.close() }
  }

  // MARK: Children

  /// Reads committed rows on the caller's thread, from a WAL snapshot, so it waits for no commit.
  public func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    try coordinator.fetch(query)
  }

  /// Counts committed rows.
  public func count(_ query: StoreQuery) throws(StoreError) -> Int {
    try coordinator.count(query)
  }

  /// Summarizes groups of committed rows.
  public func groups(_ aggregate: StoreAggregate) throws(StoreError) -> [StoreGroup] {
    try coordinator.groups(aggregate)
  }

  /// Accepts a child's changes into the inbox. Waits only while the inbox is full.
  public func accept(_ changes: ChangeSet, after prerequisite: SaveTicket? = nil) -> SaveTicket {
    var changes = changes
    if changes.author == nil { changes.author = author }
    let entry = RootInbox.Entry(changes, after: prerequisite)
    let grouping = grouping
    // The writer waits for a first save, and then until the saves are worth a transaction or a place in an open one.
    let wakes = { (state: RootInbox) in
      state.entries.count <= 1 || state.waiting.isLarge(grouping) || state.isWorthWriting(grouping)
    }
    let refusal = inbox.wait(wakes: wakes) { state -> StoreError?? in
      if let closure = state.closure { return .some(closure) }
      let held = state.waiting.bytes + state.writing.bytes
      guard held == 0 || held + entry.bytes <= grouping.inboxBytes else { return nil }
      state.append(entry)
      return .some(nil)
    }
    return refusal.map { SaveTicket(.failure($0)) } ?? entry.ticket
  }

  /// Prepares the store for many new rows, and restores the normal mode after `body`; see
  /// ``PersistentStoreCoordinator/withBulkLoad(isolation:_:)``.
  public func withBulkLoad<Result, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    inbox.update { $0.isLoading = true }
    defer { inbox.update { $0.isLoading = false } }
    return try await coordinator.withBulkLoad(isolation: isolation, body)
  }

  /// The written store's clock; see ``PersistentStore/now()``.
  public func now() -> Date { coordinator.writtenStore?.now() ?? Date() }

  /// The store that is written; nil if none exists.
  public var writtenStore: (any PersistentStore)? { coordinator.writtenStore }

  /// Makes the store fail at once instead of waiting for other programs' locks; see
  /// ``PersistentStore/stopWaiting()``.
  public func stopWaiting() {
    coordinator.writtenStore?.stopWaiting()
  }

  /// Starts writing the inbox without waiting for more saves.
  ///
  /// Returns before that is done. Each ``SaveTicket`` reports its own save.
  ///
  /// - Parameter commits: False for a caller that only needs the saves' memory. Their transaction may take more
  ///   saves then.
  public func flush(commits: Bool = true) {
    inbox.update { if commits { $0.isUrgent = true } else { $0.isHasty = true } }
  }

  /// Commits the inbox, ends the writer's thread, and returns after both.
  public func close() {
    inbox.update { $0.close() }
    inbox.wait { $0.hasEnded ? () : nil }
  }

  // MARK: Writing

  private static func nextGroup(from inbox: Monitor<RootInbox>, _ grouping: Grouping) -> RootInbox.Group? {
    let isOpen = inbox.wait { state -> Bool? in
      state.entries.isEmpty ? (state.isClosed ? false : nil) : true
    }
    guard isOpen else { return nil }
    _ = inbox.wait(atMost: grouping.delay) { state -> Bool? in
      state.isWorthWriting(grouping) ? true : nil
    }
    return inbox.update { $0.takeGroup(grouping) }
  }

  /// Returns the next group for an open transaction; nil if it should end: it is large, saves come slowly, a
  /// caller waits for those that it contains, or the next one waits for its outcome.
  ///
  /// Other programs wait for the end, so it waits for saves only after a group of the usual size. A bulk load has
  /// the store for itself: only time limits its transactions.
  private static func nextGroup(
    forTransactionOf bytes: Int, until end: ContinuousClock.Instant, from inbox: Monitor<RootInbox>,
    _ grouping: Grouping
  ) -> RootInbox.Group? {
    let (wasLarge, isLoading) = inbox.update { state in
      defer { state.writing = RootInbox.Size() }
      return (state.writing.isLarge(grouping), state.isLoading)
    }
    guard bytes < grouping.transactionBytes || isLoading, ContinuousClock.now < end else { return nil }
    let patience = isLoading ? (end - ContinuousClock.now) / .seconds(1) : wasLarge ? grouping.delay : 0
    return inbox.wait(atMost: patience) { state -> RootInbox.Group?? in
      if state.mustCommit { return .some(nil) }
      let mustWrite = state.isUrgent || state.isClosed || state.isHasty && !state.entries.isEmpty
      guard mustWrite || state.waiting.isLarge(grouping) else { return nil }
      return state.takeGroup(grouping)
    } ?? nil
  }

  /// Waits for saves and writes them in one transaction, with those that come while it is open.
  ///
  /// - Returns: False if the inbox is closed and empty.
  private static func writeNext(
    from inbox: Monitor<RootInbox>, _ coordinator: PersistentStoreCoordinator, _ grouping: Grouping
  ) -> Bool {
    var group = nextGroup(from: inbox, grouping)
    guard group != nil else { return false }
    var (tickets, applied, bytes): ([SaveTicket], Int, Int) = ([], 0, 0)
    var refused: [(entry: RootInbox.Entry, error: StoreError)] = []
    let end = ContinuousClock.now + .seconds(grouping.transactionTime)
    var results = coordinator.write(groups: {
      for ticket in tickets[applied...] { ticket.noteApplied() }
      applied = tickets.count
      if applied > 0 {
        group = nextGroup(forTransactionOf: bytes, until: end, from: inbox, grouping)
      }
      // The taken group goes to the store, and nothing else may keep its rows.
      guard let taken = group.take() else { return nil }
      refused += taken.refused
      for entry in taken.entries {
        entry.ticket.beginWriting()
        tickets.append(entry.ticket)
        bytes += entry.bytes
      }
      return taken.entries.isEmpty ? nil : taken.entries.map(\.changes)
    })
    let away = results.first { result in
      switch result {
      case .failure(.busy), .failure(.unavailable): true
      default: false
      }
    }
    inbox.update { state in
      state.writing = RootInbox.Size()
      guard let away else { return }
      // The remaining saves would wait as long for the same lock or server, one group after the other.
      results += state.entries.map { _ in away }
      tickets += state.takeAll().map(\.ticket)
    }
    for (entry, error) in refused { entry.ticket.complete(.failure(error)) }
    for (ticket, result) in zip(tickets, results) { ticket.complete(result) }
    return true
  }
}
