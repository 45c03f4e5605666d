import FeedImport
import GRDB
import LoopbackServer
import ManagedContext
import NewsModel
import TestSupport
import Testing
import Threading

/// The kinds of changes, from one document of a feed to the next.
@Suite struct ArticleChangeTests {
  private let store: NewsStore

  init() throws {
    store = try NewsStore()
  }

  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let kinds: ChangeKinds
    /// The parts of an item, and what replaces them.
    let parts: [String: String]

    init(_ description: String, _ kinds: ChangeKinds, _ parts: [String: String]) {
      (testDescription, self.kinds, self.parts) = (description, kinds, parts)
    }
  }

  private static let item = """
    <item><guid isPermaLink="false">g</guid><title>Storm</title><link>https://example.org/1</link>
    <pubDate>Wed, 03 Feb 2010 17:23:16 GMT</pubDate><atom:updated>2010-02-04T00:00:00Z</atom:updated>
    <dc:creator>Ann</dc:creator><category>sea</category><dc:language>en</dc:language>
    <description>&lt;p&gt;A &lt;b&gt;strong&lt;/b&gt; wind &amp;amp; rain&lt;/p&gt;</description>
    <comments>https://example.org/1#c</comments><slash:comments>4</slash:comments>
    <enclosure url="https://example.org/1.mp3" type="audio/mpeg" length="1204"/>
    <itunes:duration>1:02:30</itunes:duration><itunes:season>2</itunes:season>
    <podcast:person>Cid</podcast:person><podcast:transcript url="https://example.org/1.vtt" type="text/vtt"/>
    <media:thumbnail url="https://example.org/1.png"/></item>
    """

  static let cases = [
    Case("nothing", [], [:]),
    Case("a counter", [], ["<slash:comments>4": "<slash:comments>5"]),
    Case("a title", .words, ["Storm": "Gale"]),
    Case("a word", .words, ["wind": "breeze"]),
    Case("a word inside markup", .words, ["strong": "weak"]),
    Case("markup around the same words", .markup, ["&lt;b&gt;": "&lt;i&gt;", "&lt;/b&gt;": "&lt;/i&gt;"]),
    Case("white space", .markup, [" wind": "\n\n wind"]),
    Case("a reference in another spelling", .markup, ["&amp;amp;": "&amp;#38;"]),
    Case("a link", .link, ["org/1</link>": "org/2</link>"]),
    Case("the page of the comments", .link, ["org/1#c": "org/1#comments"]),
    Case("an author", .peopleAndTags, ["Ann": "Bob"]),
    Case("a tag", .peopleAndTags, ["sea": "lake"]),
    Case("a language", .peopleAndTags, [">en<": ">de<"]),
    Case("a season", .peopleAndTags, ["season>2": "season>3"]),
    Case("a person among members", .peopleAndTags, ["Cid": "Dan"]),
    Case("a transcript", .media, ["1.vtt": "2.vtt"]),
    Case("a file", .media, ["1.mp3": "2.mp3"]),
    Case("the size of a file", .media, ["1204": "1205"]),
    Case("a duration", .media, ["1:02:30": "1:02:31"]),
    Case("a picture", .media, ["1.png": "2.png"]),
    Case("a date", .dates, ["03 Feb 2010": "05 Feb 2010"]),
    Case("the date of a change", .dates, ["2010-02-04": "2010-02-05"]),
    Case("markup and a date", [.markup, .dates], [" wind": "  wind", "2010-02-04": "2010-02-05"]),
    Case("words and a date", [.words, .dates], ["wind": "breeze", "2010-02-04": "2010-02-05"]),
    Case("a link and a tag", [.link, .peopleAndTags], ["org/1</link>": "org/2</link>", "sea": "lake"]),
  ]

  @Test(arguments: cases)
  func `the kind of a change is stored, and markup or dates alone are no edit`(example: Case) async throws {
    let body = Locked(Self.document(Self.item))
    let server = try LoopbackHTTPServer { _ in .ok(body.withLock { $0 }) }
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    try await store.fetch()
    #expect(try await changes() == [[]])
    body.withLock { text in
      for (old, new) in example.parts {
        #expect(text.contains(old))
        text.replace(old, with: new)
      }
      // Another document without a change of the article.
      text += "<!-- -->"
    }
    try await store.fetch()
    #expect(try await changes() == [example.kinds])
    let isEdit = example.kinds.isEdit
    #expect(try await store.articles().map(\.edits) == [isEdit ? 1 : 0])
    let logged = try await store.perform { (source) throws(StoreError) in
      let record = try source.context.fetch(ManagedContext.FetchRequest(FetchRecord.self)).max {
        $0.slot < $1.slot
      }
      return record.map {
        [$0.edited, $0.markupChanges, $0.dateChanges]
      }
    }
    let isMarkup = !isEdit && example.kinds.contains(.markup)
    #expect(logged == [isEdit ? 1 : 0, isMarkup ? 1 : 0, example.kinds == .dates ? 1 : 0])
  }

  /// Members that were not stored, and members that are stored no more.
  @Test(arguments: [
    """
    UPDATE article SET last_change = NULL, members = NULL, comments_url = NULL, content_hash = 1,
      attachments = replace(attachments, ',"duration_in_seconds":3750', '')
    """,
    """
    UPDATE article SET content_hash = 1,
      members = '{"values":[{}],"shapes":[{}],"embed":{},"order":3,' || substr(members, 2)
    """,
  ])
  func `what an earlier version stored otherwise is no change of the publisher`(sql: String) async throws {
    let body = Locked(Self.document(Self.item))
    let server = try LoopbackHTTPServer { _ in .ok(body.withLock { $0 }) }
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    try await store.fetch()
    if let server = store.server {
      _ = try server.rows(sql)
    } else {
      try await DatabaseQueue(path: store.path).write { try $0.execute(sql: sql) }
    }
    body.withLock { $0.replace("03 Feb 2010", with: "05 Feb 2010") }
    try await store.fetch()
    #expect(try await changes() == [.dates])
    let article = try #require(try await store.articles().first)
    #expect(article.edits == 0)
  }

  private static func document(_ item: String) -> String {
    """
    <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:media="http://search.yahoo.com/mrss/"
    xmlns:slash="http://purl.org/rss/1.0/modules/slash/" xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel><title>T</title>\(item)</channel></rss>
    """
  }

  private func changes() async throws -> [ChangeKinds?] {
    try await store.perform { (source) throws(StoreError) in
      try source.context.fetch(ManagedContext.FetchRequest(Article.self)).map(\.lastChange)
    }
  }
}
