import Foundation
import ManagedContext
import TestSupport
import Testing
import Threading

@testable import SQLiteStore

@Suite struct VersionTests {
  private let file: TableStore
  private let clock = Locked(Date(timeIntervalSince1970: 1_000_000))

  init() throws {
    file = try TableStore()
  }

  private final class Page: ManagedObject {
    override class var entityName: String { "page" }
  }

  private enum Key {
    static let title = AttributeKey<String?>(0, "title")
    static let text = AttributeKey<String?>(1, "text")
    static let views = AttributeKey<Int?>(2, "views")
    static let kind = AttributeKey<Int?>(3, "kind")
  }

  private static func model(
    version: Int = 1,
    isMerged: @escaping @Sendable (ObjectVersion.Change, [ObjectVersion.Change]) -> Bool = { _, _ in false }
  ) -> ManagedObjectModel {
    var history = HistoryOptions()
    history.oldValues = ["title", "text"]
    history.note = "kind"
    history.isMerged = isMerged
    return ManagedObjectModel(
      version: version,
      entities: [
        EntityDescription(
          "page", class: Page.self,
          properties: [
            .attribute(Key.title), .attribute(Key.text), .attribute(Key.views), .attribute(Key.kind),
          ], uniqueness: [["views"]], history: history)
      ])
  }

  private func open(_ model: ManagedObjectModel = Self.model()) throws(StoreError) -> SQLiteStore {
    var options = SQLiteStoreOptions()
    options.now = { [clock] in clock.withLock { $0 } }
    return try SQLiteStore(
      path: file.path, model: model, identity: TableStore.identity, options: options)
  }

  private var page: ManagedObjectID { file.id(0, 1) }

  private func update(_ store: SQLiteStore, _ values: [(Int, AttributeValue)]) throws {
    clock.withLock { $0 += 10 }
    var changes = ChangeSet(mergePolicy: .error)
    changes.batches = [
      .update(
        BatchUpdate(entity: 0, predicate: .ids([page]), values: values.map { (index: $0.0, value: $0.1) }))
    ]
    _ = try store.write([changes])[0].get()
  }

  private func texts(_ store: SQLiteStore) throws -> [[AttributeValue]] {
    let versions = try store.versions(of: page)
    return try (versions.map(\.number) + [versions.count + 1]).map {
      try store.values(ofVersion: $0, of: page)
    }
  }

  private static let long = String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 40)

  @Test func `a change keeps the values before it, with its time, fields and transaction`() throws {
    let store = try open()
    try store.insert([(0, [.text("one"), .text(Self.long), .null, .null])])
    try update(store, [(0, .text("two")), (3, .integer(7))])
    try update(store, [(1, .text(Self.long + "End.")), (2, .integer(5))])
    try update(store, [(2, .integer(6))])

    let versions = try store.versions(of: page)
    let transactions = try store.history(after: nil).map(\.token.number)
    #expect(versions.map(\.number) == [1, 2])
    #expect(versions.map(\.change.attributes) == [AttributeSet(index: 0), AttributeSet(index: 1)])
    #expect(versions.map(\.change.date.timeIntervalSince1970) == [1_000_010, 1_000_020])
    #expect(versions.map(\.change.note) == [7, 7])
    #expect(versions.map(\.transaction) == [transactions[1], transactions[2]])
    #expect(
      try texts(store) == [
        [.text("one"), .text(Self.long)], [.text("two"), .text(Self.long)],
        [.text("two"), .text(Self.long + "End.")],
      ])
  }

  @Test func `a long text is stored whole`() throws {
    let store = try open()
    let edits = ["", "é", "ê", "x", "a long end"].map { Self.long + $0 + Self.long }
    try store.insert([(0, [.null, .text(edits[0]), .null, .null])])
    for edit in edits.dropFirst() { try update(store, [(1, .text(edit))]) }
    try update(store, [(1, .null)])
    try update(store, [(1, .text("another"))])

    #expect(try texts(store).map { $0[1] } == edits.map { .text($0) } + [.null, .text("another")])
    #expect(
      try file.ask("SELECT text FROM page_version WHERE number < 5 ORDER BY number")
        == Array(edits.dropLast()))
  }

  @Test func `a batch inserts new rows, and makes versions of existing ones`() throws {
    let store = try open()
    try store.insert([(0, [.text("one"), .text("a"), .integer(1), .null])])
    var rows = RowBatch(entity: 0, columns: [0, 1, 2, 3])
    for (views, title) in [(2, "new"), (1, "two"), (3, nil), (1, "three"), (3, "new")] {
      rows.beginRow()
      rows.append(title.map(AttributeValue.text) ?? .null)
      rows.append(.text("b"))
      rows.append(integer: Int64(views))
      rows.append(AttributeValue.null)
    }
    var changes = ChangeSet(mergePolicy: .error)
    changes.batches = [.upsert(BatchUpsert(rows, unique: [2]))]
    let result = try store.write([changes])[0].get()
    #expect(result.changes.inserted.count == 2)
    #expect(result.changes.updated == [page: AttributeSet(indexes: [0, 1, 3])])
    #expect(
      try file.ask("SELECT title || text || views FROM page ORDER BY id") == ["threeb1", "newb2", "newb3"])
    #expect(
      try file.ask("SELECT title || ' ' || changed FROM page_version WHERE page_id = 1") == [
        #"one ["title","text"]"#, #"two ["title"]"#,
      ])
    #expect(try file.ask("SELECT coalesce(title, '-') FROM page_version WHERE page_id > 1") == ["-"])
  }

  @Test func `changes by another program make versions, which the next save records`() throws {
    let store = try open()
    try store.insert([(0, [.text("one"), .text(Self.long), .null, .integer(3)])])
    try file.run("UPDATE page SET title = 'two'; UPDATE page SET text = text || 'more'")
    #expect(try store.versions(of: page).map(\.transaction) == [nil, nil])
    #expect(try texts(store).map { $0[0] } == [.text("one"), .text("two"), .text("two")])

    try update(store, [(0, .text("three"))])
    let history = try store.history(after: nil)
    let versions = try store.versions(of: page)
    #expect(history.map(\.author) == [nil, nil, nil])
    #expect(history[1].changes.updated == [page: AttributeSet(indexes: [0, 1])])
    #expect(
      versions.map(\.transaction) == [history[1], history[1], history[2]].map(\.token.number))
    #expect(versions.map(\.change.note) == [nil, nil, 3])
    #expect(
      try texts(store) == [
        [.text("one"), .text(Self.long)], [.text("two"), .text(Self.long)],
        [.text("two"), .text(Self.long + "more")], [.text("three"), .text(Self.long + "more")],
      ])
  }

  @Test func `a merged change is no version, and earlier values stay`() throws {
    let store = try open(Self.model { change, earlier in change.note == 1 && earlier.first?.note == 1 })
    try store.insert([(0, [.text("0"), .text(Self.long), .null, .null])])
    try update(store, [(0, .text("1")), (3, .integer(1))])
    try update(store, [(0, .text("2")), (1, .text(Self.long + "2"))])
    try update(store, [(1, .text(Self.long + "3"))])
    try update(store, [(0, .text("4")), (3, .integer(2))])

    let versions = try store.versions(of: page)
    #expect(versions.map(\.number) == [1, 2])
    #expect(versions.map(\.mergedChanges) == [2, 0])
    #expect(versions.map(\.change.attributes) == [AttributeSet(indexes: [0, 1]), AttributeSet(index: 0)])
    #expect(
      try texts(store) == [
        [.text("0"), .text(Self.long)], [.text("2"), .text(Self.long + "3")],
        [.text("4"), .text(Self.long + "3")],
      ])
  }

  @Test func `several changes of one object in one transaction are several versions`() throws {
    let store = try open(Self.model { change, earlier in change.note == 1 && earlier.first?.note == 1 })
    try store.insert([(0, [.text("0"), .null, .null, .null])])
    let group = [(Int64(1), "1"), (1, "2"), (1, "3"), (2, "4")].map { note, title in
      var changes = ChangeSet(mergePolicy: .error)
      let values: [(index: Int, value: AttributeValue)] = [(0, .text(title)), (3, .integer(note))]
      changes.batches = [.update(BatchUpdate(entity: 0, predicate: nil, values: values))]
      return changes
    }
    for result in store.write(group) { _ = try result.get() }
    #expect(try texts(store).map { $0[0] } == [.text("0"), .text("3"), .text("4")])
  }

  @Test func `a clock that was set back does not change the order`() throws {
    let store = try open()
    try store.insert([(0, [.text("one"), .null, .null, .null])])
    try update(store, [(0, .text("two"))])
    clock.withLock { $0 -= 500 }
    try update(store, [(0, .text("three"))])
    #expect(try store.versions(of: page).map(\.change.date.timeIntervalSince1970) == [1_000_010, 1_000_010])
  }

  @Test func `versions end with their object`() throws {
    let store = try open()
    try store.insert([(0, [.text("one"), .null, .null, .null])])
    try update(store, [(0, .text("two"))])
    var changes = ChangeSet(mergePolicy: .error)
    changes.batches = [.delete(BatchDelete(entity: 0, predicate: nil))]
    _ = try store.write([changes])[0].get()
    #expect(try file.ask("SELECT count(*) FROM page_version") == ["0"])
  }

  @Test func `a failed save leaves no version`() throws {
    let store = try open()
    try store.insert([(0, [.text("one"), .null, .null, .null])])
    var changes = ChangeSet(mergePolicy: .error)
    changes.batches = [
      .update(BatchUpdate(entity: 0, predicate: nil, values: [(0, .text("two"))]))
    ]
    let values: [AttributeValue] = [.text("x"), .null, .null, .null]
    changes.updates = [.init(id: page, edited: [0], values: values, base: values, version: 9)]
    #expect(throws: StoreError.self) { try store.write([changes])[0].get() }
    #expect(try store.versions(of: page) == [])
  }

  @Test(arguments: ["page_version_update", "page_version_delete"])
  func `a file without a trigger is refused, with its name`(trigger: String) throws {
    try open().close()
    try file.run("DROP TRIGGER \(trigger)")
    let error = #expect(throws: StoreError.self) { _ = try open() }
    #expect("\(try #require(error))".contains(trigger))
  }

  @Test func `what each transaction replaced is read back, also behind later changes`() throws {
    let store = try open()
    let texts = ["", "é", "ê", "the end"].map { Self.long + $0 + Self.long }
    try store.insert([(0, [.text("one"), .text(texts[0]), .null, .null])])
    try update(store, [(1, .text(texts[1]))])
    try update(store, [(0, .text("two"))])
    try update(store, [(1, .text(texts[2])), (0, .text("three"))])
    try update(store, [(1, .null)])
    try update(store, [(1, .text(texts[3]))])
    try update(store, [(2, .integer(1))])

    var replaced: [[[AttributeValue]]] = []
    for transaction in try store.history(after: nil).dropFirst() {
      let values = try store.replacedValues(of: [page, file.id(0, 2)], in: transaction.token.number)
      replaced.append(values[page]?.values.map { [.integer(Int64($0.attribute)), $0.old, $0.new] } ?? [])
    }
    #expect(
      replaced == [
        [[.integer(1), .text(texts[0]), .text(texts[1])]],
        [[.integer(0), .text("one"), .text("two")]],
        [[.integer(0), .text("two"), .text("three")], [.integer(1), .text(texts[1]), .text(texts[2])]],
        [[.integer(1), .text(texts[2]), .null]],
        [[.integer(1), .null, .text(texts[3])]],
        [],
      ])
  }

  @Test func `values of any type are read without a trap`() throws {
    let store = try open()
    try store.insert([(0, [.text("one"), .text(Self.long), .null, .null])])
    try update(store, [(0, .text("two")), (1, .text(Self.long + "2"))])
    try file.run(
      """
      UPDATE page_version SET number = 1, replaced = 9e300, note = 'x', merged = x'00', token = 'y', title = x'ff'
      """)
    #expect(try store.versions(of: page).count == 1)
    #expect(try store.values(ofVersion: 1, of: page).count == 2)
    try file.run("UPDATE page_version SET token = 2")
    #expect(try store.replacedValues(of: [page], in: 2)[page]?.values.count == 2)
    try file.run("UPDATE page_version SET changed = 'x\"', token = NULL")
    #expect(try store.versions(of: page).count == 1)
    try update(store, [(0, .text("three"))])
    #expect(try store.values(ofVersion: 2, of: page)[0] == .text("two"))
  }

  @Test func `a long text that changes in several places is read back as it was`() throws {
    let store = try open()
    var random = SeededGenerator(seed: 3)
    var words = (0..<9000).map { _ in "wörd\(UInt64.random(in: 0..<9000, using: &random))" }
    var texts = [words.joined(separator: " ")]
    try store.insert([(0, [.null, .text(texts[0]), .null, .null])])
    for number in 1...20 {
      for place in [900, 4000, 8000] { words[place + number] = "edít\(number)" }
      texts.append(words.joined(separator: " "))
      try update(store, [(1, .text(texts[number]))])
    }
    for (number, text) in texts.enumerated() {
      #expect(try store.values(ofVersion: number + 1, of: page)[1] == .text(text))
    }
    let replaced = try store.history(after: nil).dropFirst().map {
      try store.replacedValues(of: [page], in: $0.token.number)[page]?.values.map { [$0.old, $0.new] }
    }
    #expect(replaced == zip(texts, texts.dropFirst()).map { [[.text($0), .text($1)]] })
  }

  /// The rows are those that an earlier version of the program stored.
  @Test func `a migration replaces differences between versions by whole texts`() throws {
    let paragraphs = (1...4).map { "<p>Paragräph \($0) says something.</p>" }.joined()
    let texts = [
      "<p>First line here.</p>\(paragraphs)<p>Last line there.</p>",
      "<p>First new line here.</p>\(paragraphs)<p>Last good line there.</p>",
      "<p>First new line here.</p>\(paragraphs)<p>Last good line thére.</p>",
      "<p>Unrelated.</p>",
      "<p>Unrelated, but longer than before by some words.</p>",
      "<p>Unrelated, but longer than befôre by some words.</p>",
    ]
    let store = try open()
    try store.insert([(0, [.text("title"), .text(texts[5]), .null, .null])])
    try store.close()
    try file.run(
      """
      ALTER TABLE page_version ADD COLUMN text_start INTEGER; ALTER TABLE page_version ADD COLUMN text_end INTEGER;
      ALTER TABLE page_version ADD COLUMN text_parts TEXT;
      INSERT INTO page_version (version, page_id, number, replaced, changed, token, merged, title, text, text_start, text_end, text_parts)
      VALUES (1, 1, 1, 0, '["text"]', 1, 0, NULL, '', 9, 16, '[0,0,13,161]'),
        (1, 1, 2, 0, '["text"]', 1, 0, NULL, 'e', 187, 7, NULL),
        (1, 1, 3, 0, '["title"]', 1, 0, 'former title', NULL, NULL, NULL, NULL),
        (1, 1, 4, 0, '["text"]', 1, 0, NULL, '\(texts[2])', NULL, NULL, NULL),
        (1, 1, 5, 0, '["text"]', 1, 0, NULL, '\(texts[3])', NULL, NULL, NULL),
        (1, 1, 6, 0, '["text"]', 1, 0, NULL, 'o', 33, 21, NULL)
      """)
    let migrated = try open(Self.model(version: 2))
    let read = try (1...7).map { try migrated.values(ofVersion: $0, of: page)[1] }
    #expect(read == [0, 1, 2, 2, 3, 4, 5].map { .text(texts[$0]) })
    #expect(
      try file.ask("SELECT text FROM page_version ORDER BY number")
        == [texts[0], texts[1], nil, texts[2], texts[3], texts[4]])
  }

  @Test func `a text that was changed two hundred times is read at each version`() throws {
    let store = try open()
    let base = String(repeating: "x", count: 1 << 16)
    try store.insert([(0, [.null, .text(base), .null, .null])])
    for number in 1...200 { try update(store, [(1, .text("\(number)" + base + "\(number)"))]) }
    #expect(try store.values(ofVersion: 1, of: page)[1] == .text(base))
    #expect(try store.values(ofVersion: 101, of: page)[1] == .text("100" + base + "100"))
  }
}
