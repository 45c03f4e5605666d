import Foundation
package import ManagedContext
import NewsModel

/// The tombstones of one feed, and which of them its document still lists.
///
/// A tombstone goes once a whole document was read that does not list it, and it has not been listed for
/// ``patience``: a server that shows an old copy for a day brings nothing back. To know that, it is written anew
/// that it was seen, but once a month at most, so that a fetch hardly ever writes tombstones.
package struct DeletedArticles {
  private struct Grave {
    let id: ManagedObjectID
    /// Seconds since 1970.
    let seen: Int64
    var isListed = false
  }

  private var graves: [UInt64: Grave] = [:]

  /// How long a tombstone stays that its feed no longer lists, in seconds.
  static let patience: TimeInterval = 90 * 86400
  /// How old the note of having seen it may become, in seconds.
  static let noteAge: TimeInterval = 30 * 86400

  /// Reads the answer of ``rows(of:in:)``; nil without tombstones.
  package init?(_ rows: RowBatch) {
    guard rows.count > 0 else { return nil }
    graves.reserveCapacity(rows.count)
    for row in 0..<rows.count {
      guard case .integer(let hash) = rows.cell(row: row, column: 0),
        case .integer(let seen) = rows.cell(row: row, column: 1)
      else { continue }
      graves[UInt64(bitPattern: hash)] = Grave(id: rows.id(row: row), seen: seen)
    }
  }

  /// The columns and condition that ``init(_:)`` reads.
  package static func rows(
    of feed: ManagedObjectID, in context: ManagedObjectContext
  ) throws(StoreError) -> RowBatch {
    try context.rows(
      FetchRequest(Tombstone.self, where: \.feed == feed),
      columns: [Tombstone.Key.guidHash.index, Tombstone.Key.seen.index])
  }

  /// Whether an article that the document lists was deleted, which is remembered.
  mutating func holds(guid: UInt64) -> Bool {
    guard graves[guid] != nil else { return false }
    graves[guid]?.isListed = true
    return true
  }

  /// What is to be written of the tombstones once the whole document was read; nil for nothing.
  func care(at now: Date) -> Care? {
    let seconds = now.timeIntervalSince1970
    var care = Care(now: now)
    for grave in graves.values {
      let age = seconds - Double(grave.seen)
      if grave.isListed, age > Self.noteAge {
        care.listed.append(grave.id)
      } else if !grave.isListed, age > Self.patience {
        care.forgotten.append(grave.id)
      }
    }
    return care.listed.isEmpty && care.forgotten.isEmpty ? nil : care
  }

  /// What is written of tombstones.
  struct Care: Sendable {
    /// When the document was read.
    var now: Date
    /// Those that it lists.
    var listed: [ManagedObjectID] = []
    /// Those that no document will list any more.
    var forgotten: [ManagedObjectID] = []

    /// Adds it to the context's next save.
    func apply(in context: ManagedObjectContext) throws(StoreError) {
      // To the second, as all dates of the store.
      let seen = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
      if !listed.isEmpty {
        try context.updateAll(Tombstone.self, where: .ids(listed), set: .set(\.seen, to: seen))
      }
      if !forgotten.isEmpty { try context.deleteAll(Tombstone.self, where: .ids(forgotten)) }
    }
  }
}
