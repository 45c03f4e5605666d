import FeedParsing
import Foundation
import LoopbackServer
import ManagedContext
import NewsModel
import TestSupport
import Testing
import Threading

@testable import FeedImport

@Suite struct KnownArticlesTests {
  /// Articles by guid that a document may ask for.
  private struct Articles {
    var rows: [(key: Int64, cells: [AttributeValue])] = []

    func batch(_ columns: [Int], where holds: ((key: Int64, cells: [AttributeValue])) -> Bool = { _ in true })
      -> RowBatch
    {
      var batch = RowBatch(entity: NewsModel.Place.article, columns: columns)
      for row in rows where holds(row) {
        batch.beginRow(key: row.key)
        for column in columns { batch.append(row.cells[column]) }
      }
      return batch
    }

    static let columns = [Article.schema.guid.index, Article.schema.contentHash.index]

    /// The guid of an article, byte for byte.
    static func guid(_ cells: [AttributeValue]) -> [UInt8] {
      if case .text(let guid) = cells[Article.schema.guid.index] { Array(guid.utf8) } else { [] }
    }

    func answer(_ question: KnownArticles.Question) -> RowBatch {
      switch question {
      case .all: batch(Self.columns)
      case .guids(let guids):
        batch(Self.columns) { row in guids.contains { Array($0.utf8) == Self.guid(row.cells) } }
      }
    }

    func read(_ keys: [Int64]) -> StoredArticles {
      StoredArticles(batch(Article.columns) { keys.contains($0.key) })
    }

    /// The known articles of a feed with so many that only the first are read at once.
    func known(first count: Int) -> KnownArticles {
      let some = Articles(rows: Array(rows.prefix(count)))
      let hasShared = rows.contains { Self.guid($0.cells).span.isSharedGuid }
      return KnownArticles(some.batch(Self.columns), isComplete: false, hasShared: hasShared)
    }

    /// Writes batches as the store does.
    mutating func write(_ batches: [BatchUpsert]) {
      for batch in batches {
        for row in 0..<batch.rows.count {
          var cells = [AttributeValue](repeating: .null, count: Article.columns.count)
          for (place, column) in batch.rows.columns.enumerated() {
            cells[column] = batch.rows.value(row: row, column: place, model: NewsModel.model)
          }
          if let old = rows.firstIndex(where: { Self.guid($0.cells) == Self.guid(cells) }) {
            for column in Article.columns where !batch.kept.contains(column) {
              rows[old].cells[column] = cells[column]
            }
          } else {
            rows.append((Int64(rows.count + 1), cells))
          }
        }
      }
    }
  }

  /// Documents of one feed, with items that are alike: few ids, links and titles, other hosts and schemes, items without an
  /// id, a link or both.
  private struct Documents {
    var random: SeededGenerator

    mutating func one(of choices: [String]) -> String { choices.randomElement(using: &random) ?? "" }

    mutating func item() -> String {
      let number = Int.random(in: 1...4, using: &random)
      let link = one(of: [
        "https://a.example/\(number)", "http://b.example/\(number)", "https://c.example/\(number)",
      ])
      let link2 = one(of: [link, "https://a.example/other"])
      let guid = one(of: ["g\(number)", "same", link, "shared:1", "é", "e\u{301}"])
      return "<item>"
        + one(of: [
          "", "<guid isPermaLink=\"false\">\(guid)</guid>", "<guid isPermaLink=\"false\">\(guid)</guid>",
        ])
        + one(of: ["", "<link>\(link2)</link>", "<link>\(link2)</link>"])
        + one(of: ["", "<title>t\(number)</title>", "<title>t</title>"])
        + one(of: ["", "<pubDate>Tue, 0\(number) Feb 2010 17:23:16 GMT</pubDate>"])
        + one(of: ["", "<description>one</description>", "<description>\(number)</description>"]) + "</item>"
    }

    /// Returns the pieces of a document.
    mutating func document() -> [String] {
      (0..<Int.random(in: 1...3, using: &random)).map { _ in
        (0..<Int.random(in: 1...6, using: &random)).map { _ in item() }.joined()
      }
    }

    mutating func origin() -> DocumentOrigin {
      let hosts = ["https://a.example/feed", "https://b.example/feed"]
      return DocumentOrigin(
        addresses: Array(hosts.prefix(Int.random(in: 0...2, using: &random))),
        isElsewhere: Bool.random(using: &random))
    }

    mutating func deleted(of articles: Articles) -> DeletedArticles? {
      guard Int.random(in: 0..<3, using: &random) == 0 else { return nil }
      var rows = RowBatch(entity: NewsModel.Place.tombstone, columns: DeletedArticles.columns)
      for guid in ["g1", "https://b.example/2", "same"] {
        rows.beginRow(key: Int64(rows.count + 1))
        rows.append(integer: Int64(bitPattern: ContentHash.of(Array(guid.utf8).span)))
        rows.append(integer: 0)
        rows.append(RowBatch.Cell.null)
      }
      return DeletedArticles(rows)
    }
  }

  private let feed = ManagedObjectID(entity: 1, store: .none, key: 7)

  private func items(_ xml: String) throws -> ParsedItemBatch {
    let parser = FeedParser(source: DocumentSource())
    try parser.push(Array("<rss version=\"2.0\"><channel><title>t</title>\(xml)</channel></rss>".utf8))
    _ = try parser.finish()
    return parser.takeItems()
  }

  /// What a document adds to a store, as text.
  private func effect(
    of document: [String], on articles: Articles, _ known: KnownArticles, _ origin: DocumentOrigin
  ) throws -> (text: [String], batches: [BatchUpsert]) {
    var rows = ArticleRows(feed: feed, known: known, now: Date(timeIntervalSince1970: 1e9), origin: origin)
    var text: [String] = []
    var all: [BatchUpsert] = []
    for piece in document {
      let batches = try rows.rows(
        of: items(piece), reading: { keys throws(StoreError) in articles.read(keys) },
        asking: { question throws(StoreError) in articles.answer(question) })
      for batch in batches {
        text += (0..<batch.rows.count).map { row in
          "\(batch.rows.keys[row]) "
            + batch.rows.columns.indices.map {
              "\(batch.rows.value(row: row, column: $0, model: NewsModel.model))"
            }
            .joined(separator: "|")
        }
        text.append("\(batch.editCounter as Any) \(batch.kept) \(batch.exclusion?.values as Any)")
      }
      all += batches
    }
    text.append("\(rows.counts)")
    return (text, all)
  }

  @Test(arguments: seeds(150 as UInt64))
  func `documents have the same effect whether all articles of the feed are known or asked for`(seed: UInt64)
    throws
  {
    var documents = Documents(random: SeededGenerator(seed: seed))
    var articles = Articles()
    for _ in 0..<12 {
      let (document, origin) = (documents.document(), documents.origin())
      let deleted = documents.deleted(of: articles)
      var whole = KnownArticles(articles.batch(Articles.columns))
      var asked = articles.known(first: Int.random(in: 1...3, using: &documents.random))
      (whole.deleted, asked.deleted) = (deleted, deleted)
      let expected = try effect(of: document, on: articles, whole, origin)
      // A feed without articles is always known.
      if !articles.rows.isEmpty {
        #expect(try effect(of: document, on: articles, asked, origin).text == expected.text)
      }
      articles.write(expected.batches)
    }
    #expect(articles.rows.count > 10)
  }

  // MARK: In a store

  @Test func `of a feed with many articles those of the document are asked for`() async throws {
    let store = try NewsStore()
    let old = (1...600).map { (guid: "g\($0)", title: "t\($0)") }
    let body = Locked(TestFeed.rss(old))
    let server = try LoopbackHTTPServer { _ in .ok(body.withLock(\.self)) }
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    func publish(_ items: [(guid: String, title: String)]) async throws -> [Int] {
      body.withLock { $0 = TestFeed.rss(items) }
      try await store.fetch()
      let feed = try #require(try await store.feeds().first)
      return [feed.inserted, feed.edited, try await store.articles().count]
    }
    #expect(try await publish(old) == [600, 0, 600])
    let new = (601...605).map { (guid: "g\($0)", title: "t\($0)") }
    let edited = old.suffix(15).prefix(5).map { (guid: $0.guid, title: "new " + $0.title) }
    #expect(try await publish(new + edited + old.suffix(10)) == [5, 5, 605])
    // So many that all articles are read.
    let later = (606...2600).map { (guid: "g\($0)", title: "t\($0)") }
    #expect(try await publish(later + old.prefix(500)) == [1995, 0, 2600])
  }

  @Test func `a question is answered for the very bytes of its guids, and finds articles that share an id`()
    async throws
  {
    let store = try NewsStore()
    try await store.add(["https://a.example/feed"])
    let feed = try #require(try await store.feedIDs().first)
    let awkward = ["é", "e\u{301}", "a'b\"c\\", "\u{1F600}", "line\nend", ""]
    func add(_ guids: [String]) async throws {
      try await store.perform { (source) throws(StoreError) in
        for guid in guids {
          let article = source.context.insert(Article.self)
          (article.guid, article.feed) = (guid, feed)
          article[Article.schema.contentHash] = 1
          article[Article.schema.edits] = 0
          article[Article.schema.imported] = Date(timeIntervalSince1970: 0)
          article[Article.schema.timelineDate] = Date(timeIntervalSince1970: 0)
        }
      }
    }
    func known() async throws -> KnownArticles {
      try await store.perform { (source) throws(StoreError) in try KnownArticles(of: feed, in: source.context)
      }
    }
    try await add((0..<KnownArticles.few - 1).map { "a\($0)" } + ["e\u{301}"])
    let few = try await known()
    #expect(few.isComplete && few.count == KnownArticles.few)
    try await add(
      awkward.filter { Array($0.utf8) != Array("e\u{301}".utf8) } + ["shared", "shared:", "shared;"])
    let many = try await known()
    #expect(!many.isComplete && !many.hasShared)
    for guids in [awkward, ["é"], ["E", "x"], awkward + (0..<20).map { "x\($0)" }] {
      let found = try await store.perform { (source) throws(StoreError) in
        let rows = try KnownArticles.answer(.guids(guids), about: feed, in: source.context)
        return (0..<rows.count).map { rows.value(row: $0, column: 0, model: NewsModel.model) }
      }
      let texts = found.compactMap { if case .text(let text) = $0 { Array(text.utf8) } else { nil } }
      #expect(
        Set(texts)
          == Set(
            guids.filter { awkward.map { Array($0.utf8) }.contains(Array($0.utf8)) }.map { Array($0.utf8) }))
    }
    try await add(["shared:1"])
    #expect(try await known().hasShared)
  }

  @Test func `a long document reads all articles, and none is asked for twice`() {
    var rows = RowBatch(entity: NewsModel.Place.article, columns: Articles.columns)
    rows.beginRow(key: 1)
    rows.append(text: "a")
    rows.append(integer: 1)
    var known = KnownArticles(rows, isComplete: false)
    func guids(_ names: [String]) -> [[UInt8]] { names.map { Array($0.utf8) } }
    #expect(known.question(about: guids(["a", "b", "c", "b"])) == .guids(["b", "c"]))
    #expect(known.question(about: guids(["a"])) == nil)
    let many = (0..<KnownArticles.mostAsked - 2).map { "\($0)" }
    #expect(known.question(about: guids(many)) == .guids(many))
    #expect(known.question(about: guids(["d"])) == .all)
    known.learn(rows, from: .all)
    #expect(known.question(about: guids(["e"])) == nil)
  }
}
