import Foundation
import GRDB
import ManagedContext
import TestSupport
import Testing
import TextSearch
import Threading

@testable import SQLiteStore

@Suite struct SearchIndexTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore
  private let coordinator: PersistentStoreCoordinator

  init() throws {
    folder = try TemporaryFolder()
    store = try SQLiteStore(
      path: folder.file("library.db"), model: Library.model, identity: LibraryStack.identity)
    coordinator = PersistentStoreCoordinator(model: Library.model, store: store)
  }

  private func source(version: Int = 1) -> SearchSource {
    SearchSource(
      entity: Library.book, group: "author_id", date: "mark", attributes: ["title"],
      columns: [("title", 1), ("body", 1)], version: version, texts: BookTexts())
  }

  private func index(version: Int = 1) throws -> SearchIndex {
    try SearchIndex(of: store, source(version: version))
  }

  private func titles(_ words: String, _ index: SearchIndex, groups: [Int64]? = nil) throws -> [String] {
    try index.catchUp { _, _ in }
    var request = SearchRequest(try SearchExpression(words, columns: [:]), limit: 100)
    request.groups = groups
    let keys = try index.search(request).map(\.key)
    let context = ManagedObjectContext(parent: coordinator)
    let ids = keys.compactMap { context.id(Book.self, row: $0) }
    return try context.fetch(FetchRequest(Book.self, where: .ids(ids))).map(\.title).sorted()
  }

  @discardableResult
  private func add(_ author: String, _ books: [String]) throws -> ManagedObjectID {
    let context = ManagedObjectContext(parent: coordinator)
    let writer = context.insert(Author.self)
    writer.name = author
    for (place, title) in books.enumerated() {
      let book = context.insert(Book.self)
      (book.title, book.mark, book.author) = (title, place, writer)
    }
    try context.save()
    return writer.id
  }

  @Test(arguments: [0o600, 0o640, 0o644]) func `a new index has the permissions of its store`(mode: Int)
    throws
  {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: store.name)
    _ = try index()
    let attributes = try FileManager.default.attributesOfItem(atPath: store.name + ".search")
    #expect(attributes[.posixPermissions] as? Int == mode)
  }

  @Test func `attributes with plain text are columns as they are`() throws {
    try add("A", ["To the Lighthouse", "The Waves"])
    let plain = SearchSource(
      entity: Library.book, group: "author_id", date: "mark", columns: [("title", 1)], version: 1)
    let index = try SearchIndex(of: store, plain)
    #expect(try titles("light*", index) == ["To the Lighthouse"])
    #expect(try titles("the", index) == ["The Waves", "To the Lighthouse"])
  }

  @Test func `the matching ones among some rows are found, however far apart they are`() throws {
    try add("A", (0..<300).map { $0 % 3 == 0 ? "ferry a\($0)" : "train b\($0)" })
    let index = try index()
    try index.catchUp { _, _ in }
    func keys(_ words: String, among keys: [Int64]) throws -> [Int64] {
      try index.keys(of: try SearchExpression(words, columns: [:]), among: keys).sorted()
    }
    let all = try keys("f* OR t*", among: Array(-5...1000))
    #expect(all.count == 300)
    let some = [all[0], all[1], all[150], all[299]]
    #expect(try keys("fer*", among: some) == [all[0], all[150]])
    #expect(try keys("train", among: some) == [all[1], all[299]])
    #expect(try keys("ferry", among: [all[1]]).isEmpty && keys("ferry", among: []).isEmpty)
  }

  private func isEnded(_ search: () throws -> Void) -> Bool {
    do {
      try search()
      return false
    } catch {
      guard case .request(let cause)? = error as? StoreError else { return false }
      return cause.contains("nothing was found within")
    }
  }

  @Test func `a search that finds nothing for a long time is ended, and the index remains usable`() throws {
    let titles = (0..<500).map { book in (0..<40).map { "a\(book * 40 + $0)" }.joined(separator: " ") }
    try add("A", titles)
    let index = try SearchIndex(of: store, source(), patience: .milliseconds(40))
    try index.catchUp { _, _ in }
    // Each alternative means all words.
    let words = (0..<2000).map { "(a* -x\($0))" }.joined(separator: " OR ")
    let expression = try SearchExpression(words, columns: [:])
    #expect(isEnded { _ = try index.search(SearchRequest(expression, limit: 10)) })
    #expect(isEnded { _ = try index.keys(of: expression, limit: 10) })
    #expect(try self.titles("a7", index) == [titles[0]])
  }

  @Test func `a first scan in many transactions finds every row, and later ones merge again`() throws {
    try add("Woolf", (0..<1800).map { "Orlando \($0)" })
    let index = try SearchIndex(of: store, source(), bytesOfPart: 10)
    var parts: [Int] = []
    try index.catchUp { done, _ in parts.append(done) }
    #expect(Set(parts).count > 2 && parts == parts.sorted(), "\(parts)")
    let keys = try index.keys(of: try SearchExpression("orlando", columns: [:]), limit: 10_000)
    #expect(Set(keys).count == 1800)
    #expect(try titles("1799", index) == ["Orlando 1799"])
    let merging = try index.read { db in
      try Int.fetchOne(db, sql: "SELECT v FROM words_config WHERE k = 'automerge'")
    }
    #expect(merging == 4)
  }

  @Test func `a long text for the index ends before a character that would be cut`() {
    let start = String(repeating: "a", count: SearchText.largest - 2)
    #expect(SearchText.indexedCount(of: Array((start + "éé").utf8).span) == SearchText.largest)
    #expect(SearchText.indexedCount(of: Array((start + "日").utf8).span) == SearchText.largest - 2)
  }

  @Test func `an index that another process has replaced is opened again`() throws {
    try add("Woolf", ["Orlando"])
    let mine = try index()
    #expect(try titles("orlando", mine) == ["Orlando"])
    try index().startOver()
    try add("Mann", ["Tonio"])
    #expect(try titles("tonio OR orlando", mine) == ["Orlando", "Tonio"])
  }

  @Test func `parts of words are found among the words of the index, and each word is there once`() throws {
    try add("Woolf", (0..<1800).map { "Orlando \($0)" })
    let index = try SearchIndex(of: store, source(), bytesOfPart: 10)
    try index.catchUp { _, _ in }
    #expect(try index.words(.containing("rland"), limit: 10) == ["orlando"])
    #expect(try index.words(.beginning("orl"), limit: 10) == ["orlando"])
    #expect(try index.words(.ending("99"), limit: 100).count == 18)
    #expect(try index.words(.containing("1"), limit: 5).count == 5)
    #expect(try index.words(.containing("orlandos"), limit: 5).isEmpty)
  }

  @Test func `nothing is known of the words of an index that another process has replaced`() throws {
    try add("Woolf", ["Orlando"])
    let mine = try index()
    try mine.catchUp { _, _ in }
    func newWords() -> Int {
      mine.vocabulary.withLock {
        $0.note(Array("orlando".utf8))
        return $0.takeNewWords().count
      }
    }
    #expect(newWords() == 0)
    try index().startOver()
    try mine.reopenIfReplaced()
    #expect(newWords() == 1)
  }

  private func change(_ title: String, _ body: (ManagedObjectContext, Book) -> Void) throws {
    let context = ManagedObjectContext(parent: coordinator)
    let book = try #require(try context.fetch(FetchRequest(Book.self, where: \.title == title)).first)
    body(context, book)
    try context.save()
  }

  @Test func `the index follows additions, edits and deletions`() throws {
    try add("Woolf", ["Orlando", "The Waves"])
    let index = try index()
    #expect(try titles("orlando OR waves", index) == ["Orlando", "The Waves"])
    try add("Eliot", ["Middlemarch"])
    #expect(try titles("middlemarch", index) == ["Middlemarch"])
    try change("Orlando") { _, book in book.title = "Flush" }
    #expect(try titles("orlando", index) == [] && titles("flush", index) == ["Flush"])
    try change("Flush") { context, book in context.delete(book) }
    #expect(try titles("flush OR waves", index) == ["The Waves"])
    #expect(try !index.isBehind())
  }

  @Test func `an index stays near the size of a new one, however often its rows are edited`() throws {
    func title(_ book: Int, _ round: Int) -> String {
      (0..<8).map { "w\(book * 31 + round * 7919 + $0)" }.joined(separator: " ")
    }
    try add("Woolf", (0..<3000).map { title($0, 0) })
    let index = try index()
    try index.catchUp { _, _ in }
    for round in 1...10 {
      let context = ManagedObjectContext(parent: coordinator)
      for book in try context.fetch(FetchRequest(Book.self, where: \.mark < 600)) {
        book.title = title(book.mark, round)
      }
      try context.save()
      try index.catchUp { _, _ in }
      #expect(try titles("w0", index).isEmpty && index.words(.beginning("w"), limit: 1).count == 1)
    }
    let fresh = try SearchIndex(of: store, source(), path: folder.file("fresh.search"))
    try fresh.catchUp { _, _ in }
    let (size, least) = (index.byteCount(), fresh.byteCount())
    #expect(size < least * 3 / 2, "\(size) bytes; a new index has \(least)")
  }

  @Test func `without the history all rows are compared`() throws {
    try add("Woolf", ["Orlando", "The Waves", "Flush"])
    let index = try index()
    #expect(try titles("flush", index) == ["Flush"])
    try change("Orlando") { _, book in book.title = "Night and Day" }
    try change("Flush") { context, book in context.delete(book) }
    try add("Eliot", ["Middlemarch"])
    let newest = try #require(try store.currentHistoryToken())
    try store.purgeHistory(before: newest)
    #expect(
      try titles("orlando OR flush OR night OR middlemarch OR waves", index)
        == ["Middlemarch", "Night and Day", "The Waves"])
  }

  @Test func `a group and dates limit a search`() throws {
    let woolf = try add("Woolf", ["Orlando one", "Flush one"])
    try add("Eliot", ["Romola one"])
    let index = try index()
    #expect(try titles("one", index, groups: [woolf.key]) == ["Flush one", "Orlando one"])
    #expect(try titles("one", index, groups: []) == [])
    var request = SearchRequest(try SearchExpression("one", columns: [:]), limit: 100)
    request.since = 1
    #expect(try index.search(request).count == 1)
    (request.since, request.until) = (nil, 1)
    #expect(try index.search(request).count == 2)
    request.limit = 1
    #expect(try index.search(request).count == 1)
  }

  @Test func `accents and case are ignored, and languages without spaces are searchable`() throws {
    try add("a", ["Élégie", "東京タワーへ"])
    let index = try index()
    #expect(try titles("ELEGIE", index) == ["Élégie"])
    #expect(try titles("タワー", index) == ["東京タワーへ"])
    #expect(try titles("京東", index) == [])
  }

  @Test func `the file is private, and is created again if it is damaged or of another version`() throws {
    try add("Woolf", ["Orlando"])
    let path = folder.file("library.db.search")
    #expect(try titles("orlando", try index()) == ["Orlando"])
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    try FileManager.default.removeItem(atPath: path)
    #expect(try titles("orlando", try index()) == ["Orlando"])
    try Data("this is no database, and never was one".utf8).write(to: URL(fileURLWithPath: path))
    #expect(try titles("orlando", try index()) == ["Orlando"])
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for place in 4096..<bytes.count { bytes[place] = 0x55 }
    try bytes.write(to: URL(fileURLWithPath: path))
    #expect(try titles("orlando", try index()) == ["Orlando"])
    #expect(try titles("orlando", try index(version: 2)) == ["Orlando"])
  }

  /// Writes null for the keys of the index, which only damage can do.
  private func removeKeys() throws {
    let queue = try DatabaseQueue(path: folder.file("library.db.search"))
    try queue.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA writable_schema = ON;
          UPDATE sqlite_master SET sql = replace(sql, 'key INTEGER NOT NULL', 'key INTEGER') WHERE name = 'document';
          PRAGMA writable_schema = RESET;
          UPDATE document SET key = NULL;
          PRAGMA writable_schema = ON;
          UPDATE sqlite_master SET sql = replace(sql, 'key INTEGER', 'key INTEGER NOT NULL') WHERE name = 'document';
          """)
    }
    try queue.close()
  }

  @Test func `an index without keys is made again`() throws {
    try add("Woolf", ["Orlando"])
    #expect(try titles("orlando", try index()) == ["Orlando"])
    let words = try SearchExpression("orlando", columns: [:])
    let keys = try index().keys(of: words, limit: 9)
    try removeKeys()
    #expect(try index().search(SearchRequest(words, limit: 9)).map(\.key) == keys)
    try removeKeys()
    #expect(try index().keys(of: words, limit: 9) == keys)
    try removeKeys()
    _ = try index().keys(of: words, among: keys)
  }

  @Test(arguments: ["USING fts7", "USING rtree"])
  func `a wrong table of the index is made again, and the words are not blamed`(definition: String) throws {
    try add("Woolf", ["Orlando"])
    let path = folder.file("library.db.search")
    #expect(try titles("orlando", try index()) == ["Orlando"])
    try DatabaseQueue(path: path).writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA writable_schema = ON;
          UPDATE sqlite_master SET sql = replace(sql, 'USING fts5', '\(definition)') WHERE name = 'words';
          """)
    }
    #expect(try titles("orlando", try index()) == ["Orlando"])
  }

  @Test func `a file of another program with that name is left unchanged`() throws {
    let path = folder.file("library.db.search")
    try DatabaseQueue(path: path).write { db in try db.execute(sql: "CREATE TABLE mine (x)") }
    #expect {
      try index()
    } throws: {
      if case StoreError.cannotOpen(let cause) = $0 { cause.contains(path) } else { false }
    }
    #expect(try DatabaseQueue(path: path).read { db in try db.tableExists("mine") })
  }

  @Test func `a store that replaces another gets its own index`() throws {
    try add("Woolf", ["Orlando"])
    try add("Eliot", ["Romola"])
    #expect(try titles("orlando", try index()) == ["Orlando"])
    let other = folder.file("other.db")
    let copy = try SQLiteStore(path: other, model: Library.model, identity: LibraryStack.identity)
    let context = ManagedObjectContext(parent: PersistentStoreCoordinator(model: Library.model, store: copy))
    for name in ["x", "y", "z"] {
      context.insert(Author.self).name = name
      try context.save()
    }
    try FileManager.default.moveItem(atPath: folder.file("library.db.search"), toPath: other + ".search")
    let index = try SearchIndex(of: copy, source())
    try index.catchUp { _, _ in }
    #expect(try index.search(SearchRequest(try SearchExpression("orlando", columns: [:]), limit: 9)).isEmpty)
  }

  @Test func `two concurrent updates share the work`() async throws {
    for part in 0..<5 { try add("w\(part)", (0..<2000).map { "book \(part) \($0)" }) }
    let indexes = [try index(), try index(), try index()]
    await withTaskGroup(of: Bool.self) { group in
      for index in indexes { group.addTask { (try? index.catchUp { _, _ in }) != nil } }
      for await isDone in group { #expect(isDone) }
    }
    for index in indexes {
      #expect(
        try index.search(SearchRequest(try SearchExpression("book", columns: [:]), limit: 20_000)).count
          == 10_000)
    }
    let rows = try await DatabaseQueue(path: folder.file("library.db.search")).read { db in
      try Int.fetchOne(db, sql: "SELECT max(id) FROM document")
    }
    #expect(rows == 10_000)
  }

  @Test func `hits are marked at the matching words`() throws {
    let texts = [["The Channel Ports", "Nothing"], ["x", "a b c \u{1}d ports e"], ["x", "y"]]
    let expression = try SearchExpression("port* OR d", columns: [:])
    let found = try SearchIndex.highlights(of: expression, in: texts, columns: ["title", "body"])
    #expect(found.count == 3 && found[2] == nil)
    #expect(found[0]?.title.text { "[\($0)]" } == "The Channel [Ports]" && found[0]?.snippet == nil)
    #expect(found[1]?.snippet?.text { "[\($0)]" } == "a b c [d] [ports] e")
  }
}

/// The title of a book, and a text that is made of it.
private struct BookTexts: SearchedTexts {
  func append(_ row: borrowing some TextRow & ~Copyable, from first: Int, to texts: inout SearchTexts) {
    for before in ["", "body of "] {
      texts.bytes += before.utf8
      row.withText(first) { title in
        if let title { for index in title.indices { texts.bytes.append(title[index]) } }
      }
      texts.endColumn()
    }
  }
}
