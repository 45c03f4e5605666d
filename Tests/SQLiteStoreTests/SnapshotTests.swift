import ManagedContext
import SQLiteStore
import Testing

/// Several queries on one state of a store.
@Suite struct SnapshotTests {
  private let file: TableStore
  private let store: SQLiteStore

  init() throws {
    file = try TableStore()
    store = try file.open(.one(1, [.attribute(AttributeKey<String>(0, "title"))]))
    try store.insert([(0, [.text("one")])])
  }

  private static func count(_ snapshot: StoreSnapshot) throws -> AttributeValue? {
    var count: AttributeValue?
    try snapshot.query("SELECT count(*) FROM first") { row in
      count = row.first
      return true
    }
    return count
  }

  @Test func `queries on one state do not see what is saved meanwhile`() throws {
    let counts = try store.withSnapshot { snapshot in
      let before = try Self.count(snapshot)
      try store.insert([(0, [.text("two")])])
      return [before, try Self.count(snapshot)]
    }
    #expect(counts == [.integer(1), .integer(1)])
    #expect(try store.withSnapshot { try Self.count($0) } == .integer(2))
  }

  @Test func `errors of the caller and of a query reach the caller, and the store can be read again`() throws
  {
    struct Own: Error {}
    #expect(throws: Own.self) { try store.withSnapshot { _ in throw Own() } }
    #expect(throws: StoreError.self) {
      try store.withSnapshot { try $0.query("SELECT nothing FROM first") { _ in true } }
    }
    #expect(try store.withSnapshot { try Self.count($0) } == .integer(1))
  }
}
