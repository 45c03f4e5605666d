/// The saves that wait in a root context, in arrival order.
struct RootInbox: Sendable {
  /// One child's save.
  struct Entry: Sendable {
    let changes: ChangeSet
    let ticket: SaveTicket
    /// A save that must have succeeded first; nil for most.
    let prerequisite: SaveTicket?
    let rows: Int
    let bytes: Int

    init(_ changes: ChangeSet, after prerequisite: SaveTicket?) {
      self.changes = changes
      self.prerequisite = prerequisite
      ticket = SaveTicket()
      rows = changes.rowCount
      bytes = changes.byteCount
    }
  }

  /// The size of saves.
  struct Size: Sendable {
    var rows = 0
    var bytes = 0

    /// True if saves of this size are worth a place in an open transaction: half a group.
    func isLarge(_ grouping: RootContext.Grouping) -> Bool {
      rows >= grouping.rows / 2 || bytes >= grouping.bytes / 2
    }

    static func += (size: inout Size, entry: Entry) {
      size.rows += entry.rows
      size.bytes += entry.bytes
    }

    static func -= (size: inout Size, entry: Entry) {
      size.rows -= entry.rows
      size.bytes -= entry.bytes
    }
  }

  /// The writer's next work.
  struct Group: Sendable {
    /// Saves to write in one transaction.
    var entries: [Entry] = []
    /// Saves to refuse, because their prerequisites failed.
    var refused: [(entry: Entry, error: StoreError)] = []
  }

  private(set) var entries: [Entry] = []
  /// The size of ``entries``.
  private(set) var waiting = Size()
  /// The size of the group that is being written. It is still in memory.
  var writing = Size()
  /// True if a caller waits for that group, and all saves that waited with it are written.
  private var isWritingUrgent = false
  /// True if a caller waits for the outcome, so the writer does not wait for more saves.
  var isUrgent = false
  /// True if a caller needs the waiting saves' memory, so the writer does not wait for more saves.
  var isHasty = false
  /// True during a bulk load.
  var isLoading = false
  /// The reason why the inbox accepts no more saves; nil while it is open.
  var closure: StoreError?
  var hasEnded = false

  var isClosed: Bool { closure != nil }

  /// Refuses further saves. Accepted saves are still written.
  mutating func close() {
    closure = closure ?? .inputOutput("the root context is closed")
  }

  /// Returns whether a transaction should start without waiting for more saves.
  func isWorthWriting(_ grouping: RootContext.Grouping) -> Bool {
    waiting.rows >= grouping.rows || waiting.bytes >= grouping.bytes || isUrgent || isHasty || isClosed
  }

  /// True if an open transaction should end before it takes more saves.
  var mustCommit: Bool {
    guard let next = entries.first else { return isWritingUrgent || isUrgent || isClosed }
    return isWritingUrgent || next.prerequisite.map { $0.outcome == nil } ?? false
  }

  mutating func append(_ entry: Entry) {
    entries.append(entry)
    waiting += entry
  }

  /// Removes the oldest saves that fit into one group, at least one.
  ///
  /// A save never shares a transaction with its prerequisite, because the prerequisite's outcome must be
  /// known first.
  mutating func takeGroup(_ grouping: RootContext.Grouping) -> Group {
    var (group, size, taken) = (Group(), Size(), 0)
    for entry in entries {
      if let prerequisite = entry.prerequisite {
        guard let outcome = prerequisite.outcome else { break }
        if case .failure(let error) = outcome {
          group.refused.append((entry, error))
          taken += 1
          continue
        }
      }
      let isFull = size.rows + entry.rows > grouping.rows || size.bytes + entry.bytes > grouping.bytes
      if isFull && !group.entries.isEmpty { break }
      group.entries.append(entry)
      size += entry
      taken += 1
    }
    for entry in entries.prefix(taken) { waiting -= entry }
    entries.removeFirst(taken)
    writing = size
    isWritingUrgent = isUrgent && entries.isEmpty
    if entries.isEmpty { (isUrgent, isHasty) = (false, false) }
    return group
  }

  /// Removes all waiting saves.
  mutating func takeAll() -> [Entry] {
    defer { (entries, waiting) = ([], Size()) }
    return entries
  }
}
