import Foundation
import GRDB
import ManagedContext
import SQLiteStore
import TestSupport
import Testing

/// Groups of saves that share a transaction.
@Suite struct GroupedWriteTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore

  init() throws {
    folder = try TemporaryFolder()
    var options = SQLiteStoreOptions()
    options.busyTimeout = 0
    store = try SQLiteStore(
      path: folder.file("library.db"), model: Library.model, identity: LibraryStack.identity, options: options
    )
  }

  private func save(_ name: String) -> ChangeSet {
    let context = ManagedObjectContext(
      parent: PersistentStoreCoordinator(model: Library.model, store: GatedStore()))
    var changes = ChangeSet(mergePolicy: .error)
    changes.insertions = [.init(id: context.insert(Author.self).id, values: [.text(name), .null])]
    return changes
  }

  /// Writes groups of authors, and returns for each of them whether it was written.
  ///
  /// - Parameter body: Is called before each group after the first.
  private func write(_ groups: [[String]], before body: () throws -> Void = {}) throws -> [Bool] {
    var rest = groups[...]
    var failure: (any Error)?
    let results = store.write(groups: {
      if rest.startIndex > 0 {
        do { try body() } catch { failure = failure ?? error }
      }
      return rest.popFirst()?.map(save)
    })
    if let failure { throw failure }
    return results.map { if case .success = $0 { true } else { false } }
  }

  private func names() throws -> [String] {
    try DatabaseQueue(path: folder.file("library.db")).read { db in
      try String.fetchAll(db, sql: "SELECT name FROM author ORDER BY id")
    }
  }

  @Test func `groups are committed together, when there are no more`() throws {
    let written = try write([["Woolf", "Joyce"], ["Proust"], ["Kafka"]]) {
      let seen = try names()
      #expect(seen.isEmpty)
    }
    #expect(written == [true, true, true, true])
    #expect(try names() == ["Woolf", "Joyce", "Proust", "Kafka"])
    #expect(try store.history(after: nil).map(\.changes.inserted.count) == [2, 1, 1])
  }

  @Test func `a save that cannot be written fails alone, in whichever group it is`() throws {
    #expect(try write([["Woolf", "Woolf"], ["Joyce"]]) == [true, false])
    #expect(try write([["Proust"], ["Kafka", "Woolf", "Musil"], ["Mann"]]) == [true, true, false, true])
    #expect(try names() == ["Woolf", "Proust", "Kafka", "Musil"])
    // The group after the refused one waits for the next transaction.
    #expect(try write([["Mann"]]) == [true])
    #expect(try store.history(after: nil).map(\.changes.inserted.count) == [1, 1, 1, 1, 1])
  }

  @Test func `if the commit fails, the saves of all groups fail`() throws {
    store.beginBulkLoad()
    store.stopWaiting()
    defer { store.endBulkLoad() }
    let reader = try DatabaseQueue(path: folder.file("library.db"))
    try reader.inDatabase { db in
      // Without a log, a reader blocks a commit.
      let written = try write([["Woolf"], ["Joyce"]]) {
        if !db.isInsideTransaction { try db.execute(sql: "BEGIN; SELECT * FROM author") }
      }
      #expect(written == [false, false])
      try db.execute(sql: "COMMIT")
    }
    #expect(try names().isEmpty)
    #expect(try write([["Woolf"], ["Joyce"]]) == [true, true])
  }
}
