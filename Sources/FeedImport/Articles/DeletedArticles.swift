import Foundation
package import ManagedContext
import NewsModel

/// A feed's tombstones, and which of them its document still lists.
///
/// A tombstone is removed after a whole document that does not list it, if it was not listed for
/// ``patience``. So a server that shows an old copy for a day brings nothing back. The last listing date is
/// updated at most once a month, so that a poll rarely writes tombstones.
package struct DeletedArticles {
  private struct Grave {
    let id: ManagedObjectID
    /// Seconds since 1970.
    let seen: Int64
    /// See ``Tombstone/archivedHash``.
    let archivedHash: Int64?
    var isListed = false
    /// The article's hash in the document, if it differs from the archived one.
    var changedHash: Int64?
  }

  private var graves: [UInt64: Grave] = [:]

  /// The seconds that a tombstone stays after its feed has stopped listing it.
  static let patience: TimeInterval = 90 * 86400
  /// The maximum age of a listing date, in seconds.
  static let noteAge: TimeInterval = 30 * 86400

  /// Reads the rows of ``rows(of:in:)``; nil without tombstones.
  package init?(_ rows: RowBatch) {
    guard rows.count > 0 else { return nil }
    graves.reserveCapacity(rows.count)
    for row in 0..<rows.count {
      guard case .integer(let hash) = rows.cell(row: row, column: 0),
        case .integer(let seen) = rows.cell(row: row, column: 1)
      else { continue }
      var archived: Int64?
      if case .integer(let hash) = rows.cell(row: row, column: 2) { archived = hash }
      graves[UInt64(bitPattern: hash)] = Grave(id: rows.id(row: row), seen: seen, archivedHash: archived)
    }
  }

  /// Returns the feed's tombstones, for ``init(_:)``.
  package static func rows(
    of feed: ManagedObjectID, in context: ManagedObjectContext
  ) throws(StoreError) -> RowBatch {
    try context.rows(
      FetchRequest(Tombstone.self, where: \.feed == feed),
      columns: columns)
  }

  static let columns = [
    Tombstone.schema.guidHash.index, Tombstone.schema.seen.index, Tombstone.schema.archivedHash.index,
  ]

  /// Returns whether an article in the document was deleted or archived, and notes that it is listed.
  ///
  /// - Parameter contentHash: The article's hash in the document; nil if it is not compared.
  mutating func holds(guid: UInt64, contentHash: Int64?) -> Bool {
    guard var grave = graves[guid] else { return false }
    grave.isListed = true
    if let contentHash, let archived = grave.archivedHash, archived != contentHash {
      grave.changedHash = contentHash
    }
    graves[guid] = grave
    return true
  }

  /// Returns the changes to tombstones after the whole document was read; nil if nothing changes.
  func care(at now: Date) -> Care? {
    let seconds = now.timeIntervalSince1970
    var care = Care(now: now)
    for (guid, grave) in graves {
      let age = seconds - Double(grave.seen)
      if let hash = grave.changedHash { care.changed.append((guid, hash)) }
      if grave.isListed, age > Self.noteAge {
        care.listed.append(grave.id)
      } else if !grave.isListed, age > Self.patience {
        care.forgotten.append(grave.id)
      }
    }
    return care.listed.isEmpty && care.forgotten.isEmpty && care.changed.isEmpty ? nil : care
  }

  /// The changes to a feed's tombstones.
  struct Care: Sendable {
    /// The time when the document was read.
    var now: Date
    /// The tombstones that the document lists.
    var listed: [ManagedObjectID] = []
    /// The tombstones that no document will list again.
    var forgotten: [ManagedObjectID] = []
    /// The guid hashes and new content hashes for changed archived articles.
    var changed: [(guid: UInt64, content: Int64)] = []

    /// Adds the changes to the context's next save.
    func apply(to feed: ManagedObjectID, in context: ManagedObjectContext) throws(StoreError) {
      // In whole seconds, like all stored dates.
      let seen = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
      if !listed.isEmpty {
        try context.updateAll(Tombstone.self, where: .ids(listed), set: .set(\.seen, to: seen))
      }
      if !changed.isEmpty {
        var rows = try ObjectRows(
          Tombstone.self, in: context.model, \.feed, \.guidHash, \.seen, \.archivedHash)
        for (guid, content) in changed { rows.append(feed, Int64(bitPattern: guid), seen, content) }
        context.insert(
          BatchUpsert(rows.batch, unique: [Tombstone.schema.feed.index, Tombstone.schema.guidHash.index]))
      }
      if !forgotten.isEmpty { try context.deleteAll(Tombstone.self, where: .ids(forgotten)) }
    }
  }
}
