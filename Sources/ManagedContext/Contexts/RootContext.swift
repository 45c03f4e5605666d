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
    public var inboxBytes = 16 << 20

    /// The recommended grouping.
    public init() {}
  }

  private struct Entry: Sendable {
    let changes: ChangeSet
    let ticket: SaveTicket
    let rows: Int
    let bytes: Int
  }

  private struct Inbox: Sendable {
    var entries: [Entry] = []
    var rows = 0
    var bytes = 0
    /// Bytes of the group that is being written; they are in memory still.
    var bytesInWriting = 0
    /// Somebody waits for the outcome: do not wait for more to come.
    var isUrgent = false
    var isClosed = false
    var hasEnded = false

    mutating func takeAll() -> [Entry] {
      defer { (entries, rows, bytes) = ([], 0, 0) }
      return entries
    }
  }

  private let coordinator: PersistentStoreCoordinator
  private let grouping: Grouping
  private let inbox = Monitor(Inbox())
  private let thread: OwnThread
  private let observers = Monitor<[Int: @Sendable (ContextChanges) -> Void]>([:])

  /// The entities of the stack.
  public var model: ManagedObjectModel { coordinator.model }

  /// Starts the writer's thread.
  ///
  /// - Parameter niceness: 0 to 19; above 0 the writer yields the processor to the main queue.
  public init(coordinator: PersistentStoreCoordinator, grouping: Grouping = Grouping(), niceness: Int32 = 0) {
    self.coordinator = coordinator
    self.grouping = grouping
    // The thread holds what it needs, not the root: what was taken is written even when the root is dropped.
    thread = startThread(name: "root context", niceness: niceness) { [coordinator, inbox, observers] in
      while let group = Self.nextGroup(from: inbox, grouping) {
        var group = group
        var results = coordinator.write(group.map(\.changes))
        let isBusy = results.contains { if case .failure(.busy) = $0 { true } else { false } }
        inbox.update { state in
          state.bytesInWriting = 0
          guard isBusy else { return }
          // What waits behind would wait as long for the same lock, one group after the other.
          results += state.entries.map { _ in .failure(.busy) }
          group += state.takeAll()
        }
        Self.announce(results, of: group, to: observers.update { Array($0.values) })
      }
      inbox.update { $0.hasEnded = true }
    }
  }

  deinit {
    inbox.update { $0.isClosed = true }
    thread.detach()
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
  public func accept(_ changes: ChangeSet) -> SaveTicket {
    let entry = Entry(
      changes: changes, ticket: SaveTicket(), rows: changes.rowCount, bytes: changes.byteCount)
    let limit = grouping.inboxBytes
    let isTaken = inbox.wait { state -> Bool? in
      if state.isClosed { return false }
      let held = state.bytes + state.bytesInWriting
      guard held == 0 || held + entry.bytes <= limit else { return nil }
      state.entries.append(entry)
      state.rows += entry.rows
      state.bytes += entry.bytes
      return true
    }
    guard isTaken else { return SaveTicket(.failure(.inputOutput("the root context is closed"))) }
    return entry.ticket
  }

  /// Commits what is in the inbox now without waiting for more; returns at once.
  public func flush() {
    inbox.update { $0.isUrgent = true }
  }

  /// Commits what is in the inbox, ends the writer's thread, and returns once that is done.
  public func close() {
    inbox.update { $0.isClosed = true }
    inbox.wait { $0.hasEnded ? () : nil }
  }

  // MARK: Did-save

  /// Calls `body` after each transaction with what it changed, on the writer's thread.
  ///
  /// - Returns: A number for ``removeObserver(_:)``.
  public func addObserver(_ body: @escaping @Sendable (ContextChanges) -> Void) -> Int {
    observers.update { observers in
      let number = (observers.keys.max() ?? 0) + 1
      observers[number] = body
      return number
    }
  }

  /// Ends an observation; nothing happens when it has ended already.
  public func removeObserver(_ number: Int) {
    observers.update { $0[number] = nil }
  }

  // MARK: Writing

  private static func nextGroup(from inbox: Monitor<Inbox>, _ grouping: Grouping) -> [Entry]? {
    let isOpen = inbox.wait { state -> Bool? in
      state.entries.isEmpty ? (state.isClosed ? false : nil) : true
    }
    guard isOpen else { return nil }
    _ = inbox.wait(deadline: Date(timeIntervalSinceNow: grouping.delay)) { state -> Bool? in
      state.rows >= grouping.rows || state.bytes >= grouping.bytes || state.isUrgent || state.isClosed
        ? true : nil
    }
    return inbox.update { takeGroup(from: &$0, grouping) }
  }

  /// The oldest saves, as many as one transaction should hold, at least one.
  private static func takeGroup(from state: inout Inbox, _ grouping: Grouping) -> [Entry] {
    var rows = 0
    var bytes = 0
    var count = 0
    for entry in state.entries {
      if count > 0 && (rows + entry.rows > grouping.rows * 2 || bytes + entry.bytes > grouping.bytes * 2) {
        break
      }
      rows += entry.rows
      bytes += entry.bytes
      count += 1
    }
    let group = Array(state.entries.prefix(count))
    state.entries.removeFirst(count)
    state.rows -= rows
    state.bytes -= bytes
    state.bytesInWriting = bytes
    if state.entries.isEmpty { state.isUrgent = false }
    return group
  }

  /// Posts one did-save for the transaction, then acknowledges each save in it.
  private static func announce(
    _ results: [SaveTicket.Outcome], of group: [Entry], to observers: [@Sendable (ContextChanges) -> Void]
  ) {
    var changes = ContextChanges()
    for case .success(let result) in results { changes.formUnion(result.changes) }
    if !changes.isEmpty {
      for body in observers { body(changes) }
    }
    for (entry, result) in zip(group, results) { entry.ticket.complete(result) }
  }
}
