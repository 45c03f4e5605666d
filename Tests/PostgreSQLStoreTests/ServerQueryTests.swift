import ManagedContext
import TestSupport
import Testing

@testable import PostgreSQLStore

/// Queries that a user writes.
@Suite(.enabled(if: TestServer.address != nil, "there is no server; make test-postgresql starts one"))
struct ServerQueryTests {
  private let schema: TestSchema
  private let store: PostgreSQLStore

  init() throws {
    schema = try TestSchema()
    store = try PostgreSQLStore(
      schema.address, model: Library.model, application: 7,
      views: ["CREATE VIEW names AS SELECT name FROM author"])
    _ = try LibraryStore.addAuthor(
      "Ann", to: PersistentStoreCoordinator(model: Library.model, store: store))
  }

  private func rows(_ sql: String) throws(StoreError) -> [[AttributeValue]] {
    var rows: [[AttributeValue]] = []
    try store.query(sql) { row in
      rows.append(row)
      return true
    }
    return rows
  }

  private func cause(_ sql: String) -> String? {
    do throws(StoreError) {
      _ = try rows(sql)
      return nil
    } catch {
      return if case .request(let cause) = error { cause } else { "\(error)" }
    }
  }

  @Test func `a limit for the statements of a role holds for a user's own queries only`() throws {
    let address = try #require(StoreAddress(schema.text + "%20-cstatement_timeout%3D12345"))
    let store = try PostgreSQLStore(address, model: Library.model, application: 7)
    let sql = "SELECT current_setting('statement_timeout')"
    var limits: [[AttributeValue]] = []
    let note = { (row: [AttributeValue]) in
      limits.append(row)
      return true
    }
    try store.query(sql, visit: note)
    #expect(limits == [[.text("0")]])
    var own = FirstValues()
    try store.query(sql, &own)
    #expect(own.values == [.text("12345ms")])
  }

  /// The values of the first column.
  private struct FirstValues: RowVisitor {
    var values: [AttributeValue] = []

    mutating func begin(_ columns: [String]) {}

    mutating func visit(_ row: borrowing some VisitedRow & ~Copyable) -> Bool {
      values += row.values.prefix(1)
      return true
    }
  }

  @Test func `values of all types arrive as numbers, texts and bytes`() throws {
    let values = try rows(
      #"""
      SELECT 1::smallint, -5, 9223372036854775807, 1.5, 2::numeric, 0.1::float8, 'NaN'::numeric, true, false, NULL,
        'é', ''::text, '\x00ff'::bytea, DATE '2026-02-03', '{"a": 1}'::jsonb
      """#)
    #expect(
      values.map { $0.map { "\($0)" } } == [
        [
          AttributeValue.integer(1), .integer(-5), .integer(.max), .real(1.5), .integer(2), .real(0.1),
          .real(.nan), .integer(1), .integer(0), .null, .text("é"), .text(""), .bytes([0, 255]),
          .text("2026-02-03"), .text(#"{"a": 1}"#),
        ].map { "\($0)" }
      ])
  }

  @Test func `a view of the program is there, and its columns are named before the first row`() throws {
    var names: [String] = []
    try store.query("SELECT * FROM names WHERE false", begin: { names = $0 }, visit: { _ in true })
    #expect(names == ["name"])
    #expect(try rows("SELECT * FROM names -- all of them") == [[.text("Ann")]])
  }

  @Test func `a query ends when no further row is wanted, and the store can be queried again`() throws {
    var count = 0
    try store.query("SELECT generate_series(1, 100000000)") { _ in
      count += 1
      return count < 3
    }
    #expect(count == 3)
    #expect(try rows("SELECT count(*) FROM author") == [[.integer(1)]])
  }

  @Test(arguments: [
    ("DELETE FROM author", "it is not a query; the store is only read here"),
    ("DELETE FROM author RETURNING id", "it changes something; the store is only read here"),
    (
      "WITH gone AS (DELETE FROM author RETURNING id) SELECT * FROM gone",
      "it changes something; the store is only read here"
    ),
    ("EXPLAIN ANALYZE DELETE FROM author", "it changes something; the store is only read here"),
    ("COPY author TO PROGRAM 'cat > /dev/null'", "it is not a query; the store is only read here"),
    ("COMMIT", "it is not a query; the store is only read here"),
    ("SELECT 1; DELETE FROM author", "there is more than one statement"),
    ("SELECT nextval('author_id_seq')", "it changes something; the store is only read here"),
    ("SELEC 1", #"syntax error at or near "SELEC""#),
    ("SELECT (1", "syntax error at end of input"),
    ("SELECT $1::int", "the statement contains a parameter; replace it by a value"),
    (
      "SELECT nam FROM author",
      #"column "nam" does not exist (Perhaps you meant to reference the column "author.name".)"#
    ),
    ("SELECT * FROM writers", #"relation "writers" does not exist"#),
    ("SELECT 1 / 0", "division by zero"),
    ("", "there is no statement"), (" \n", "there is no statement"),
  ]) func `what is not one query that only reads is refused`(sql: String, expected: String) throws {
    #expect(cause(sql) == expected)
    #expect(try rows("SELECT count(*) FROM author") == [[.integer(1)]])
  }

  @Test func `a view with the name of another program's table is refused`() throws {
    let schema = try TestSchema()
    _ = try PostgreSQLStore.execute("CREATE TABLE names (name text)", at: schema.address)
    let error = #expect(throws: StoreError.self) {
      try PostgreSQLStore(
        schema.address, model: Library.model, application: 7, views: ["CREATE VIEW names AS SELECT 1 AS name"]
      )
    }
    #expect(
      error
        == .foreign(
          "\(schema.address.withoutPassword): relation \"names\" already exists; name another schema in search_path"
        ))
    #expect(
      try PostgreSQLStore.execute(
        "SELECT count(*) FROM pg_class WHERE relname = 'author' AND relnamespace = current_schema()::regnamespace",
        at: schema.address) == ["0"])
  }
}
