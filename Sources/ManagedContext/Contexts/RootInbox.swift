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

  /// The writer's next work.
  struct Group: Sendable {
    /// Saves to write in one transaction.
    var entries: [Entry] = []
    /// Saves to refuse, because their prerequisites failed.
    var refused: [(entry: Entry, error: StoreError)] = []
  }

  private(set) var entries: [Entry] = []
  private(set) var rows = 0
  private(set) var bytes = 0
  /// The size of the group that is being written, in bytes. It is still in memory.
  var bytesInWriting = 0
  /// True if a caller waits for the outcome, so the writer does not wait for more saves.
  var isUrgent = false
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
    rows >= grouping.rows || bytes >= grouping.bytes || isUrgent || isClosed
  }

  mutating func append(_ entry: Entry) {
    entries.append(entry)
    rows += entry.rows
    bytes += entry.bytes
  }

  /// Removes the oldest saves that fit into one transaction, at least one.
  ///
  /// A save never shares a transaction with its prerequisite, because the prerequisite's outcome must be
  /// known first.
  mutating func takeGroup(maxRows: Int, maxBytes: Int) -> Group {
    var group = Group()
    var (groupRows, groupBytes, taken) = (0, 0, 0)
    for entry in entries {
      if let prerequisite = entry.prerequisite {
        guard let outcome = prerequisite.outcome else { break }
        if case .failure(let error) = outcome {
          group.refused.append((entry, error))
          taken += 1
          continue
        }
      }
      let isFull = groupRows + entry.rows > maxRows || groupBytes + entry.bytes > maxBytes
      if isFull && !group.entries.isEmpty { break }
      group.entries.append(entry)
      groupRows += entry.rows
      groupBytes += entry.bytes
      taken += 1
    }
    for entry in entries.prefix(taken) {
      rows -= entry.rows
      bytes -= entry.bytes
    }
    entries.removeFirst(taken)
    bytesInWriting = groupBytes
    if entries.isEmpty { isUrgent = false }
    return group
  }

  /// Removes all waiting saves.
  mutating func takeAll() -> [Entry] {
    defer { (entries, rows, bytes) = ([], 0, 0) }
    return entries
  }
}
