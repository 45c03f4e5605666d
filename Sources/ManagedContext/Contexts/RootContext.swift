import Foundation
import Threading

/// The only writer of the store: takes the saves of many children in memory, and commits them in groups.
///
/// A child's save costs it the hand-over of a value. The writer's thread, at low priority, gathers what came in
/// into one transaction (by rows, bytes and time), tells the observers what changed, and ends the tickets. The
/// inbox is bounded in bytes: a child that runs far ahead of the disk waits there, and memory stays bounded.
public final class RootContext: ContextParent {
  /// How saves are grouped into transactions.
  public struct Grouping: Sendable {
    /// Commit once so many rows wait.
    public var rows = 1000
    /// Commit once so many bytes wait.
    public var bytes = 4 << 20
    /// Commit what waits after so long, in seconds.
    public var delay = 0.03
    /// A save waits for room while more bytes than this are in the inbox.
    public var inboxBytes = 10 << 20

    /// The grouping that takes the least time in all.
    public init() {}

    /// Short transactions, for a program that people look at: the writer never keeps a processor for long, and takes a
    /// few percent more time in all.
    public static var responsive: Grouping {
      var grouping = Grouping()
      grouping.rows = 200
      grouping.bytes = 700 << 10
      return grouping
    }
  }

  private let coordinator: PersistentStoreCoordinator
  private let grouping: Grouping
  private let inbox = Monitor(RootInbox())

  /// The entities of the stack.
  public var model: ManagedObjectModel { coordinator.model }
  public var writtenStoreNumber: StoreNumber { coordinator.writtenStoreNumber }
  /// Told of each transaction, on the writer's thread, before the tickets of its saves end.
  public var didSave: ChangeNotifier { coordinator.didSave }
  /// What children of this context may merge: ``didSave``.
  public var notices: ChangeNotifier { didSave }

  /// Starts the writer's thread. Where the system has none to give, saves fail with ``StoreError/inputOutput(_:)``.
  ///
  /// - Parameters:
  ///   - coordinator: Whose store is written, one caller at a time.
  ///   - grouping: How saves are grouped into transactions.
  ///   - niceness: 0 to 19, or ``ThreadExecutor/idle``: how much the writer leaves to the main queue.
  public init(coordinator: PersistentStoreCoordinator, grouping: Grouping = Grouping(), niceness: Int32 = 0) {
    self.coordinator = coordinator
    self.grouping = grouping
    // The thread holds what it needs, not the root: what was taken is written even when the root is dropped.
    do throws(StoreError) {
      _ = try startThread(name: "root context", niceness: niceness) { [coordinator, inbox] in
        while let group = Self.nextGroup(from: inbox, grouping) {
          Self.write(group, from: inbox, coordinator)
        }
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

  /// Reads rows as last committed, on the caller's thread: a WAL snapshot, so no commit is waited for.
  public func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    try coordinator.fetch(query)
  }

  /// Counts rows as last committed.
  public func count(_ query: StoreQuery) throws(StoreError) -> Int {
    try coordinator.count(query)
  }

  /// Takes a child's changes into the inbox; waits only while that is full.
  public func accept(_ changes: ChangeSet, after prerequisite: SaveTicket? = nil) -> SaveTicket {
    let entry = RootInbox.Entry(changes, after: prerequisite)
    let grouping = grouping
    // The writer waits for the first save, and then for so many that they are worth a transaction.
    let wakes = { (state: RootInbox) in state.entries.count <= 1 || state.isWorthWriting(grouping) }
    let refusal = inbox.wait(wakes: wakes) { state -> StoreError?? in
      if let closure = state.closure { return .some(closure) }
      let held = state.bytes + state.bytesInWriting
      guard held == 0 || held + entry.bytes <= grouping.inboxBytes else { return nil }
      state.append(entry)
      return .some(nil)
    }
    return refusal.map { SaveTicket(.failure($0)) } ?? entry.ticket
  }

  /// Prepares the store for a great many new rows, and ends that after `body`; see
  /// ``PersistentStoreCoordinator/withBulkLoad(isolation:_:)``.
  public func withBulkLoad<Result, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    try await coordinator.withBulkLoad(isolation: isolation, body)
  }

  /// From now on the store waits for no lock of another program; see ``PersistentStore/stopWaiting()``.
  public func stopWaiting() {
    coordinator.writtenStore?.stopWaiting()
  }

  /// Has what is in the inbox committed without waiting for more saves.
  ///
  /// Returns before that is done; each ``SaveTicket`` says when its save is.
  public func flush() {
    inbox.update { $0.isUrgent = true }
  }

  /// Commits what is in the inbox, ends the writer's thread, and returns once that is done.
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
    _ = inbox.wait(deadline: Date(timeIntervalSinceNow: grouping.delay)) { state -> Bool? in
      state.isWorthWriting(grouping) ? true : nil
    }
    return inbox.update { $0.takeGroup(maxRows: doubled(grouping.rows), maxBytes: doubled(grouping.bytes)) }
  }

  private static func write(
    _ group: RootInbox.Group, from inbox: Monitor<RootInbox>, _ coordinator: PersistentStoreCoordinator
  ) {
    var entries = group.entries
    for entry in entries { entry.ticket.beginWriting() }
    var results = entries.isEmpty ? [] : coordinator.write(entries.map(\.changes))
    let isBusy = results.contains { if case .failure(.busy) = $0 { true } else { false } }
    inbox.update { state in
      state.bytesInWriting = 0
      guard isBusy else { return }
      // What waits behind would wait as long for the same lock, one group after the other.
      results += state.entries.map { _ in .failure(.busy) }
      entries += state.takeAll()
    }
    for (entry, error) in group.refused { entry.ticket.complete(.failure(error)) }
    for (entry, result) in zip(entries, results) { entry.ticket.complete(result) }
  }
}

/// Twice a number, or the greatest there is.
private func doubled(_ number: Int) -> Int {
  let (double, isTooGreat) = number.multipliedReportingOverflow(by: 2)
  return isTooGreat ? .max : double
}
