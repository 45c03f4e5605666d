import Foundation
import Glibc
import ManagedContext
import SQLiteStore
import TestSupport
import Testing
import TextSearch
import Threading

@testable import PostgreSQLStore

/// The index of words on a server, compared with the one in a file.
@Suite(.enabled(if: TestServer.address != nil, "there is no server; make test-postgresql starts one"))
struct ServerSearchTests {
  private let schema: TestSchema
  private let store: PostgreSQLStore
  private let folder: TemporaryFolder
  private let file: SQLiteStore

  init() throws {
    schema = try TestSchema()
    store = try PostgreSQLStore(schema.address, model: Library.model, application: 7)
    folder = try TemporaryFolder()
    file = try SQLiteStore(
      path: folder.file("library.db"), model: Library.model, identity: LibraryStack.identity)
  }

  private static let columns = ["title": "title", "text": "body", "author": "author", "tag": "tag"]

  private func source(version: Int = 1) -> SearchSource {
    SearchSource(
      entity: Library.book, group: "author_id", date: "mark", attributes: ["title"],
      columns: [("title", 6), ("body", 1), ("author", 3), ("tag", 3)], version: version, texts: DividedTexts()
    )
  }

  private func index(version: Int = 1) throws -> ServerSearchIndex {
    try ServerSearchIndex(of: store, source(version: version), SearchIndex.highlights)
  }

  @Test func `rows whose texts are read together are limited by number and by size`() throws {
    try PostgreSQLStore.execute(
      """
      INSERT INTO author (id, version, name) VALUES (1, 1, 'Ada'); INSERT INTO book (id, version, author_id, title, mark, edits) \
      SELECT number, 1, 1, repeat(number::text, 1000), 0, 0 FROM generate_series(1, 7) AS number
      """, at: schema.address)
    let index = try index()
    let connection = try Connection(schema.text)
    #expect(try index.parts(of: [1, 2, 3, 9, 5], rows: 20, bytes: 1500, connection) == [[1, 2], [3, 5]])
    #expect(
      try index.parts(of: Array(1...7), rows: 3, bytes: 1 << 20, connection) == [[1, 2, 3], [4, 5, 6], [7]])
    #expect(try index.parts(of: [], rows: 3, bytes: 1, connection) == [])
  }

  @Test func `missing tables are made by one process at a time`() throws {
    try PostgreSQLStore.execute("DROP TABLE persistent_search, persistent_search_state", at: schema.address)
    let lock = "hashtext('\(try #require(try schema.rows("SELECT current_schema()").first))')"
    let other = try Connection(schema.text)
    try other.execute("BEGIN; SELECT pg_advisory_xact_lock(7, \(lock))")
    let isMade = Locked(false)
    // A thread of its own: one that other tests need must not wait for this test.
    let maker = try OwnThread(name: "maker") { [store, source = source()] in
      let index = try? ServerSearchIndex(of: store, source, SearchIndex.highlights)
      isMade.withLock { $0 = index != nil }
    }
    let waits = """
      SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 7 AND objid::bigint = \(lock)::bigint & 4294967295 \
      AND NOT granted
      """
    while try other.texts(waits) == ["0"], try other.texts("SELECT to_regclass('persistent_search')") == [""]
    {
      sched_yield()
    }
    #expect(try other.texts(waits) == ["1"])
    try other.execute("COMMIT")
    maker.join()
    #expect(isMade.withLock { $0 })
  }

  @discardableResult
  private func add(_ books: [String], to store: any PersistentStore) throws -> [ManagedObjectID] {
    let context = ManagedObjectContext(
      parent: PersistentStoreCoordinator(model: Library.model, store: store))
    let author = context.insert(Author.self)
    author.name = "author \(UInt64.random(in: 0 ... .max))"
    let added = books.enumerated().map { place, title in
      let book = context.insert(Book.self)
      (book.title, book.mark, book.author) = (title, place, author)
      return book
    }
    try context.save()
    return added.map(\.id)
  }

  private func found(_ query: String, _ index: any WordIndex) throws -> [Int64] {
    try index.catchUp { _, _ in }
    let expression = try SearchExpression(query, columns: Self.columns)
    let keys = try index.keys(of: expression, limit: 1000).sorted()
    #expect(
      try index.search(SearchRequest(expression, limit: 1000)).map(\.key).sorted() == keys, "\(query)")
    #expect(try index.keys(of: expression, among: keys + [999_999]).sorted() == keys, "\(query)")
    return keys
  }

  @Test func `a limit counts only rows that match`() throws {
    // The places of words after the first 255 are not in the index, so that it cannot decide about phrases.
    let long = String(repeating: "gamma zzz ", count: 300) + "delta"
    let added = try add(["gamma delta", "no", "the gamma delta", long, long + " end"], to: store).map(\.key)
    let index = try index()
    #expect(try found("\"gamma delta\"", index) == [added[0], added[2]])
    let expression = try SearchExpression("\"gamma delta\"", columns: Self.columns)
    #expect(try index.keys(of: expression, limit: 1) == [added[2]])
    #expect(try index.keys(of: expression, limit: 2) == [added[2], added[0]])
    #expect(try index.keys(of: expression, among: Array(added.dropFirst(2))) == [added[2]])
  }

  // MARK: The same as in a file

  /// The same books in both stores, with an index of each.
  private struct Pair {
    let mine: [Int64]
    let others: [Int64]
    let server: ServerSearchIndex
    let sqlite: SearchIndex
  }

  private func pair(_ books: [String]) throws -> Pair {
    Pair(
      mine: try add(books, to: store).map(\.key), others: try add(books, to: file).map(\.key),
      server: try index(),
      sqlite: try SearchIndex(of: file, source()))
  }

  /// Checks that a query finds the same books in both stores.
  ///
  /// - Returns: The number of them.
  @discardableResult
  private func check(_ query: String, _ pair: Pair) throws -> Int {
    let found = try found(query, pair.server).compactMap(pair.mine.firstIndex).sorted()
    let expected = try self.found(query, pair.sqlite).compactMap(pair.others.firstIndex).sorted()
    #expect(found == expected, "\(query.prefix(100))")
    return expected.count
  }

  /// Pieces of texts and queries: letters with marks in several forms, scripts with and without spaces, signs, and the signs of
  /// the query languages.
  private static let pieces = [
    "storm", "Storm", "stormy", "sto", "é", "e\u{301}", "École", "ecole", "straße", "strasse", "İstanbul",
    "istanbul",
    "ÅNGSTRÖM", "angstrom", "Σίσυφος", "σισυφοσ", "Ёлка", "елка", "й", "日本", "日", "東京都", "ไทย", "กา", "한국어",
    "한",
    "ﬁne", "fine", "ＡＢＣ", "abc", "x²", "½", "3.14", "C++", "it's", "foo-bar", "a_b", "🎉", "a\u{200B}b",
    "a\u{AD}b",
    "\u{E000}", "ǆ", "'", "\\", "'\\'", "& | !", "<->", ":A", "the", "of", "the of", "न\u{93C}", "नमस्ते", "１２",
    "12",
    "\u{1F1E9}\u{1F1EA}", "Ⅷ", "ª", "x\u{0301}\u{0327}y", "\u{FEFF}z", "z",
  ]

  private static func text(_ random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 1...4, using: &random)).map { _ in
      (0..<Int.random(in: 0...6, using: &random)).map { _ in
        (pieces.randomElement(using: &random) ?? "")
          + ([" ", " ", "", ", ", "\n"].randomElement(using: &random) ?? "")
      }.joined()
    }.joined(separator: "|")
  }

  private static func query(_ random: inout SeededGenerator, depth: Int = 0) -> String {
    let word = { (random: inout SeededGenerator) in pieces.randomElement(using: &random) ?? "a" }
    return (0..<Int.random(in: 1...3, using: &random)).map { _ in
      let field =
        Int.random(in: 0..<4, using: &random) == 0
        ? (columns.keys.sorted().randomElement(using: &random) ?? "") + ":" : ""
      let part: String =
        switch Int.random(in: 0..<(depth < 3 ? 7 : 5), using: &random) {
        case 0: word(&random) + "*"
        case 1: "\"\(word(&random)) \(word(&random))\""
        case 2: "\"\(word(&random)) \(word(&random))\"*"
        case 5: "(\(query(&random, depth: depth + 1)))"
        case 6: "(\(query(&random, depth: depth + 1)) OR \(query(&random, depth: depth + 1)))"
        default: word(&random)
        }
      return (["", "", "", "-", "NOT "].randomElement(using: &random) ?? "") + field + part
    }.joined(separator: [" ", " AND ", " OR "].randomElement(using: &random) ?? " ")
  }

  @Test(arguments: 0..<6) func `a search finds the same rows as in a file`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var texts: Set<String> = []
    for _ in 0..<150 { texts.insert(Self.text(&random)) }
    let pair = try pair(texts.sorted())
    var hits = 0
    for _ in 0..<150 {
      let query = Self.query(&random)
      guard (try? SearchExpression(query, columns: Self.columns)) != nil else { continue }
      hits += try check(query, pair)
    }
    #expect(hits > 200)
  }

  // MARK: The limits of the server

  @Test func `words behind the server's limits of places are found, also in phrases`() throws {
    let filler = (0..<20_000).map { "w\($0 % 3000)" }.joined(separator: " ")
    let common = String(repeating: "the sea ", count: 400)
    let long = String(repeating: "x", count: 5000)
    let books = [
      "|\(filler) at the very end", "|\(filler) end the at very", "|\(common) the storm",
      "|\(common) storm", "\(long)|\(long)y z", "|\(long)y", "the storm|at the very end|sea|\(filler)",
    ]
    let pair = try pair(books)
    for query in [
      "\"the very end\"", "\"at the very\"", "\"the storm\"", "\"sea storm\"", "storm", "text:storm",
      "title:storm",
      "the -\"the storm\"", "end NOT \"very end\"", long, "\(long)y", "\(long)*", "\"\(long)y z\"",
      "the -\(long)",
      "\(String(repeating: "x", count: 2500))*", "\"w2999 w0\"", "author:sea -\"w1 w3\"",
      "(\"the storm\" OR w5) -title:the",
    ] {
      try check(query, pair)
    }
  }

  @Test func `a row with too many words for the server is found`() throws {
    let many = (0..<160_000).map { "wort\($0)" }.joined(separator: " ").prefix(1_048_000)
    let books = ["a|\(many)|b", "a|\(many)|\(many.replacing("wort", with: "mot"))|b", "wort7"]
    let pair = try pair(books)
    for query in [
      "wort7", "wort77777", "mot500", "\"wort41 wort42\"", "\"wort42 wort41\"", "a -mot1", "tag:b", "nothing",
    ] {
      try check(query, pair)
    }
    #expect(try schema.rows("SELECT count(*) FROM persistent_search WHERE words IS NULL") == ["2"])
  }

  // MARK: Catching up

  @Test func `changes are indexed by the next search, and only they`() throws {
    let server = try index()
    let books = try add(["storm one", "storm two", "calm"], to: store)
    #expect(try server.isBehind())
    #expect(try found("storm", server).count == 2)
    #expect(try !server.isBehind())
    let context = ManagedObjectContext(parent: PersistentStoreCoordinator(model: Library.model, store: store))
    try context.existingObject(Book.self, with: books[0]).title = "calm again"
    context.delete(try context.existingObject(Book.self, with: books[1]))
    try context.save()
    let before = try schema.rows("SELECT xmin FROM persistent_search WHERE key = \(books[2].key)")
    #expect(try found("storm", server).isEmpty)
    #expect(try found("calm", server) == [books[0].key, books[2].key].sorted())
    #expect(try schema.rows("SELECT xmin FROM persistent_search WHERE key = \(books[2].key)") == before)
    try add(["storm three"], to: store)
    #expect(try found("storm", server).count == 1)
  }

  @Test func `processes that index at the same time make one whole index`() async throws {
    try add((0..<5000).map { "storm number \($0)" }, to: store)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let store = try PostgreSQLStore(readOnly: schema.address, model: Library.model, application: 7)
          try ServerSearchIndex(of: store, source(), SearchIndex.highlights).catchUp { _, _ in }
        }
      }
      try await group.waitForAll()
    }
    #expect(try schema.rows("SELECT count(*) FROM persistent_search") == ["5000"])
    #expect(try found("number 4999", index()).count == 1)
  }

  @Test(arguments: [
    // What a restored backup of the other tables looks like.
    "UPDATE persistent_store SET history = 1; DELETE FROM persistent_history WHERE token > 1",
    "UPDATE persistent_history SET process = process + 1",
    "DELETE FROM persistent_history; UPDATE persistent_store SET history = 5", "DROP TABLE persistent_search",
    "DROP TABLE persistent_search_state",
  ]) func `an index that does not fit the store is made again or compared`(change: String) throws {
    try add(["storm one"], to: store)
    try add(["storm two"], to: store)
    #expect(try found("storm", index()).count == 2)
    _ = try schema.rows("UPDATE book SET title = 'calm', version = version + 1 WHERE title = 'storm two'")
    _ = try schema.rows(change)
    let other = try PostgreSQLStore(schema.address, model: Library.model, application: 7)
    try add(["storm three"], to: other)
    try add(["storm four"], to: other)
    #expect(try found("storm", index()).count == 3)
    #expect(try found("calm", index()).count == 1)
  }

  @Test func `an index of another version is made again`() throws {
    try add(["storm"], to: store)
    #expect(try found("storm", index()).count == 1)
    let before = try schema.rows("SELECT xmin FROM persistent_search")
    #expect(try found("storm", index(version: 2)).count == 1)
    #expect(try schema.rows("SELECT xmin FROM persistent_search") != before)
  }

  @Test func `a user who may only read searches the index as it is`() throws {
    try add(["storm"], to: store)
    #expect(try found("storm", index()).count == 1)
    try add(["storm two"], to: store)
    let reader = try #require(StoreAddress(schema.text + "%20-cdefault_transaction_read_only%3Don"))
    let store = try PostgreSQLStore(readOnly: reader, model: Library.model, application: 7)
    let index = try ServerSearchIndex(of: store, source(), SearchIndex.highlights)
    #expect(index.isReadOnly)
    #expect(try index.isBehind())
    #expect(try found("storm", index).count == 1)
    _ = try schema.rows("DROP TABLE persistent_search, persistent_search_state")
    #expect(throws: StoreError.readOnly(store.name)) {
      try ServerSearchIndex(of: store, source(), SearchIndex.highlights)
    }
  }
}

/// The parts of a title between vertical bars: one for each column.
private struct DividedTexts: SearchedTexts {
  func append(_ row: borrowing some TextRow & ~Copyable, from first: Int, to texts: inout SearchTexts) {
    var ended = 0
    row.withText(first) { title in
      guard let title else { return }
      for index in title.indices {
        if title[index] == UInt8(ascii: "|"), ended < 3 {
          texts.endColumn()
          ended += 1
        } else {
          texts.bytes.append(title[index])
        }
      }
    }
    for _ in ended..<4 { texts.endColumn() }
  }
}
