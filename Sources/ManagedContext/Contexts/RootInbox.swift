/// The saves that wait in a root context, in the order in which they came.
struct RootInbox: Sendable {
  /// One child's save.
  struct Entry: Sendable {
    let changes: ChangeSet
    let ticket: SaveTicket
    /// Must have succeeded before; nil for most.
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

  /// What the writer does next.
  struct Group: Sendable {
    /// To be written in one transaction.
    var entries: [Entry] = []
    /// Not to be written: what they rely on has failed.
    var refused: [(entry: Entry, error: StoreError)] = []
  }

  private(set) var entries: [Entry] = []
  private(set) var rows = 0
  private(set) var bytes = 0
  /// Bytes of the group that is being written; they are in memory still.
  var bytesInWriting = 0
  /// Somebody waits for the outcome: do not wait for more to come.
  var isUrgent = false
  /// Why no more saves are taken; nil as long as they are.
  var closure: StoreError?
  var hasEnded = false

  var isClosed: Bool { closure != nil }

  /// Takes no more saves; what was taken is still written.
  mutating func close() {
    closure = closure ?? .inputOutput("the root context is closed")
  }

  /// Whether a transaction should not wait for more to come.
  func isWorthWriting(_ grouping: RootContext.Grouping) -> Bool {
    rows >= grouping.rows || bytes >= grouping.bytes || isUrgent || isClosed
  }

  mutating func append(_ entry: Entry) {
    entries.append(entry)
    rows += entry.rows
    bytes += entry.bytes
  }

  /// The oldest saves, as many as one transaction should hold, at least one.
  ///
  /// A save never shares a transaction with its prerequisite: how that ended must be known first.
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

  /// Everything that waits.
  mutating func takeAll() -> [Entry] {
    defer { (entries, rows, bytes) = ([], 0, 0) }
    return entries
  }
}
