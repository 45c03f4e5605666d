import FeedParsing
import Foundation
import ManagedContext
import NewsModel
import Testing

@testable import FeedImport

@Suite struct ArticleIdentityTests {
  private let feed = ManagedObjectID(entity: 1, store: .none, key: 7)

  private func items(_ xml: String) throws -> ParsedItemBatch {
    let parser = FeedParser(source: DocumentSource())
    try parser.push(Array("<rss version=\"2.0\"><channel><title>t</title>\(xml)</channel></rss>".utf8))
    _ = try parser.finish()
    return parser.takeItems()
  }

  private func guids(_ xml: String) throws -> [AttributeValue] {
    var rows = ArticleRows(feed: feed, known: KnownArticles(), now: .init(timeIntervalSince1970: 0))
    return try rows.rows(of: try items(xml)).flatMap { batch in
      (0..<batch.rows.count).map { batch.rows.value(row: $0, column: 1, model: NewsModel.model) }
    }
  }

  private func hash(_ xml: String) throws -> AttributeValue {
    var rows = ArticleRows(feed: feed, known: KnownArticles(), now: .init(timeIntervalSince1970: 0))
    let batches = try rows.rows(of: try items("<item><guid>g</guid>\(xml)</item>"))
    return try #require(batches.first).rows.value(row: 0, column: 2, model: NewsModel.model)
  }

  @Test
  func `an article is identified by its guid, otherwise by its link, otherwise by its title and date`() throws
  {
    #expect(try guids("<item><guid>g</guid><link>https://a/</link></item>") == [.text("g")])
    #expect(try guids("<item><link>https://a/</link></item>") == [.text("https://a/")])
    let title = "<item><title>Only a title</title></item>"
    #expect(try guids(title) == guids(title))
    #expect(try guids(title) != guids("<item><title>Another title</title></item>"))
    #expect(
      try guids(title)
        != guids("<item><title>Only a title</title><pubDate>Wed, 03 Feb 2010 17:23:16 GMT</pubDate></item>"))
  }

  @Test func `short messages without title and date are distinguished by their text`() throws {
    let messages = "<item><description>one</description></item><item><description>two</description></item>"
    #expect(try Set(guids(messages)).count == 2)
  }

  @Test
  func `articles with the same title and without guid, link and date are distinguished by their text`() throws
  {
    let updates = ["one", "two"].map { "<item><title>Update</title><description>\($0)</description></item>" }
    #expect(try Set(guids(updates.joined())).count == 2)
    #expect(try guids(updates[0]) == guids(updates[0]))
    let date = "<pubDate>Wed, 03 Feb 2010 17:23:16 GMT</pubDate></item>"
    let dated = updates.map { $0.replacing("</item>", with: date) }
    #expect(try Set(guids(dated.joined())).count == 1)
  }

  @Test func `many articles without text take no memory for empty columns`() throws {
    func columns(_ count: Int, known: KnownArticles = KnownArticles()) throws -> [Int] {
      var rows = ArticleRows(feed: feed, known: known, now: .init(timeIntervalSince1970: 0))
      let document = (1...count).map { "<item><guid>g\($0)</guid></item>" }.joined()
      return try #require(try rows.rows(of: try items(document)).first).rows.columns
    }
    #expect(try columns(100) == Article.columns)
    #expect(try columns(600).count < 10)
    // A row that is updated needs the nulls.
    var old = RowBatch(
      entity: NewsModel.Place.article, columns: [Article.schema.guid.index, Article.schema.contentHash.index])
    old.beginRow(key: 1)
    old.append(text: "g1")
    old.append(integer: 1)
    #expect(try columns(600, known: KnownArticles(old)) == Article.columns)
  }

  @Test func `changed articles are read from the store a few at a time, because each may be large`() throws {
    var old = RowBatch(
      entity: NewsModel.Place.article, columns: [Article.schema.guid.index, Article.schema.contentHash.index])
    for number in 1...10 {
      old.beginRow(key: Int64(number))
      old.append(text: "g\(number)")
      old.append(integer: 1)
    }
    var rows = ArticleRows(feed: feed, known: KnownArticles(old), now: .init(timeIntervalSince1970: 0))
    let document = (1...10).map { "<item><guid>g\($0)</guid><title>t</title></item>" }.joined()
    var read: [[Int64]] = []
    let batches = try rows.rows(of: try items(document)) { keys throws(StoreError) in
      read.append(keys)
      return StoredArticles()
    }
    #expect(read == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]])
    #expect(batches.map(\.rows.count) == [10] && rows.counts.edited == 10)
  }

  /// Stores of earlier versions identify such an article by its title only.
  @Test func `an article that the store identifies by its title only is not imported again`() throws {
    let update = "<item><title>Update</title><description>one</description></item>"
    let batch = try items(update)
    var arena = ItemArena(batch.bytes)
    let item = try #require(batch.items.first)
    var contentHash = ContentHash()
    var old = RowBatch(
      entity: NewsModel.Place.article, columns: [Article.schema.guid.index, Article.schema.contentHash.index])
    old.beginRow(key: 5)
    let guid = arena.titleGuid(of: item)
    old.append(RowBatch.Cell.text(offset: guid.offset, count: guid.count))
    old.append(RowBatch.Cell.integer(arena.contentHash(of: item, in: batch, using: &contentHash)))
    old.bytes = arena.bytes
    var rows = ArticleRows(feed: feed, known: KnownArticles(old), now: .init(timeIntervalSince1970: 0))
    let other = update.replacing("one", with: "two")
    #expect(try rows.rows(of: try items(update + update + other)).map(\.rows.count) == [1])
    #expect((rows.counts.inserted, rows.counts.edited) == (1, 0))
  }

  @Test(arguments: ["<guid>g</guid>", "<link>https://a/</link>", "<guid>g</guid><link>https://a/</link>"])
  func `articles of a document that share a guid or a link are distinguished by link, title and date`(
    shared: String
  ) throws {
    let dates = ["Tue, 02 Feb 2010 17:23:16 GMT", "Wed, 03 Feb 2010 17:23:16 GMT"]
    let items = ["<title>1</title>", "<title>2</title>"].flatMap { title in
      dates.map { "<item>\(shared)\(title)<pubDate>\($0)</pubDate></item>" }
    }
    let all = try guids(items.joined())
    #expect(Set(all.map { "\($0)" }).count == 4)
    // The result does not depend on the order or on the other items.
    #expect(try Set(guids(items.reversed().joined()).map { "\($0)" }) == Set(all.map { "\($0)" }))
    #expect(try guids(items[1...2].joined()) == Array(all[1...2]))
    // Items that are equal in all of this are one article.
    #expect(try guids((items + items).joined()) == all)
  }

  @Test func `a change of any visible part of an article is an edit`() throws {
    let original = try hash("<title>t</title><category>c</category>")
    #expect(try hash("<title>t</title><category>c</category>") == original)
    for change in [
      "<title>u</title><category>c</category>", "<title>t</title><category>d</category>",
      "<title>t</title><category>c</category><link>https://a/</link>",
      "<title>t</title><category>c</category><description>d</description>",
      "<title>t</title><category>c</category><author>me@example.org (Me)</author>",
      "<title>t</title><category>c</category><pubDate>Wed, 03 Feb 2010 17:23:16 GMT</pubDate>",
      "<title>t</title><category>c</category><enclosure url='https://a/b.mp3' type='audio/mpeg' length='1'/>",
      "<title>t</title><category>c</category><dc:language xmlns:dc='http://purl.org/dc/elements/1.1/'>de</dc:language>",
      "<title>t</title><category>c</category><media:thumbnail xmlns:media='http://search.yahoo.com/mrss/' url='http://a/t.png'/>",
    ] {
      #expect(try hash(change) != original, "\(change)")
    }
  }

  @Test func `a change of an attachment's size or title is an edit`() throws {
    let media = "xmlns:media='http://search.yahoo.com/mrss/'"
    let file = "<enclosure url='https://a/b.mp3' type='audio/mpeg' length='1'/>"
    #expect(try hash(file) != hash(file.replacing("'1'", with: "'2'")))
    let titled =
      "<media:content \(media) url='https://a/b.mp4' type='video/mp4'><media:title>t</media:title></media:content>"
    #expect(try hash(titled) != hash(titled.replacing(">t<", with: ">u<")))
  }

  @Test func `a change of the number of comments is not an edit`() throws {
    let comments = "xmlns:slash=\"http://purl.org/rss/1.0/modules/slash/\""
    #expect(
      try hash("<title>t</title><slash:comments \(comments)>1</slash:comments>")
        == hash("<title>t</title><slash:comments \(comments)>2</slash:comments>"))
  }

  private static let silent = [
    "<item><enclosure url='http://e.org/1.mp3'/></item>",
    "<item><enclosure url='http://e.org/2.mp3'/></item>",
    "<item><enclosure url='http://e.org/1.mp3'/><enclosure url='http://e.org/3.mp3'/></item>",
    "<item><description>d</description><enclosure url='http://e.org/1.mp3'/></item>",
    "<item><media:thumbnail xmlns:media='http://search.yahoo.com/mrss/' url='http://e.org/t.png'/></item>",
  ]

  @Test func `articles without guid, link and title are distinguished by their files`() throws {
    let all = try guids(Self.silent.joined())
    #expect(Set(all.map { "\($0)" }).count == 5)
    #expect(!all.contains(.text("hash:0")))
    #expect(try guids(Self.silent[0]) == guids(Self.silent[0]))
    var parsed = try items(Self.silent.joined() + "<item><category>c</category></item><item></item>")
    parsed.identifyItems()
    let ids = parsed.items.compactMap {
      $0.id.map { String(decoding: parsed.bytes[$0.range], as: UTF8.self) }
    }
    #expect(Set(ids).count == ids.count && ids.count >= 6 && !ids.contains("hash:0"))
  }

  /// Stores of earlier versions identify such articles by text and date only, or not at all.
  @Test func `an article that the store identifies without its files is not imported again`() throws {
    for xml in [Self.silent[0], Self.silent[3]] {
      let batch = try items(xml)
      var arena = ItemArena(batch.bytes)
      let item = try #require(batch.items.first)
      var contentHash = ContentHash()
      var old = RowBatch(
        entity: NewsModel.Place.article,
        columns: [Article.schema.guid.index, Article.schema.contentHash.index])
      old.beginRow(key: 5)
      let guid = arena.titleGuid(of: item)
      old.append(RowBatch.Cell.text(offset: guid.offset, count: guid.count))
      old.append(RowBatch.Cell.integer(arena.contentHash(of: item, in: batch, using: &contentHash)))
      old.bytes = arena.bytes
      var rows = ArticleRows(feed: feed, known: KnownArticles(old), now: .init(timeIntervalSince1970: 0))
      #expect(try rows.rows(of: try items(xml)).isEmpty)
      #expect(try rows.rows(of: try items(Self.silent[1])).map(\.rows.count) == [1])
    }
  }
}
