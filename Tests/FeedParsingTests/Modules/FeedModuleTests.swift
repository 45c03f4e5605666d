import FeedParsing
import Testing

/// The members that modules add to the feed.
struct FeedModuleTests {
  @Test(
    arguments: [
      (
        "<ttl>60</ttl><skipDays><day>SUN</day><day>sunday</day><day>no day</day></skipDays>",
        #""ttl_minutes":60,"skip_days":["Sunday"]"#
      ),
      ("<skipHours><hour>24</hour><hour>5</hour></skipHours>", #""skip_hours":[0,5]"#),
      (
        "<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency>"
          + "<sy:updateBase>2000-01-01T12:00+00:00</sy:updateBase>",
        #""update_period":"daily","update_frequency":2,"update_base":"2000-01-01T12:00:00Z""#
      ),
      ("<generator>g</generator><docs>/rss</docs>", #""generator":"g""#),
      (
        "<atom:generator uri='/g' version='2'>G</atom:generator>",
        #""generator":"G","generator_url":"http://e.org/g","generator_version":"2""#
      ),
      ("<admin:generatorAgent rdf:resource='http://g.org/?v=1'/>", #""generator_url":"http://g.org/?v=1""#),
      ("<copyright>(c) E</copyright>", #""rights":"(c) E""#),
      (
        "<atom:link rel='license' href='/l' title='L'/>",
        #""links":[{"url":"http://e.org/l","rel":"license","title":"L"}]"#
      ),
      (
        "<category domain='urn:d'>a</category><category>b</category><dc:subject>c</dc:subject><category> </category>",
        #""categories":[{"term":"a","scheme":"urn:d"},{"term":"b"},{"term":"c"}]"#
      ),
      (
        "<itunes:category text='Arts'><itunes:category text='Food'/></itunes:category><itunes:category text='News'/>",
        #""categories":[{"term":"Arts","scheme":"http://www.itunes.com/"},"#
          + #"{"term":"Food","scheme":"http://www.itunes.com/","parent":"Arts"},{"term":"News","scheme":"http://www.itunes.com/"}]"#
      ),
      (
        "<pubDate>Sat, 01 Jan 2000 00:00:00 GMT</pubDate><lastBuildDate>Sun, 02 Jan 2000 00:00:00 GMT</lastBuildDate>",
        #""date_published":"2000-01-01T00:00:00Z","date_modified":"2000-01-02T00:00:00Z""#
      ),
      (
        "<atom:link rel='prev' href='/1'/><atom:link rel='prev-archive' href='/a'/>",
        #""links":[{"url":"http://e.org/1","rel":"prev"},{"url":"http://e.org/a","rel":"prev-archive"}]"#
      ),
      (
        "<textInput><title>Search</title><link>/s</link></textInput><image><title>I</title><link>/i</link></image>"
          + "<podcast:value type='t'><podcast:valueRecipient name='a'/></podcast:value>", ""
      ),
    ])
  func `the members of a feed`(source: String, expected: String) throws {
    #expect(try modules(source) == expected)
  }

  @Test func `the next page of a feed is the next URL of JSON Feed`() throws {
    let line = try line("<atom:link rel='next' href='/2'/>")
    #expect(line.contains(#""next_url":"http://e.org/2""#))
  }

  @Test(
    arguments: [
      ("podcast", "https://podcastindex.org/namespace/1.0"),
      ("podcast", "http://podcastindex.org/namespace/1.0/"),
      ("pc", "https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md"),
      ("p", "HTTPS://PODCASTINDEX.ORG/NAMESPACE/1.0"), ("podcast", nil), ("podcast", "urn:wrong"),
    ] as [(String, String?)])
  func `a module is known by its namespace, else by its usual prefix`(prefix: String, namespace: String?)
    throws
  {
    try expectSeason("season", prefix, namespace)
  }

  @Test(
    arguments: [
      ("itunes", "http://www.itunes.com/DTDs/Podcast-1.0.dtd"),
      ("i", "https://www.itunes.com/dtds/podcast-1.0.dtd"),
      ("itunes", "http://www.apple.com/itunes"), ("itunes", nil), ("iTunes", nil),
    ] as [(String, String?)])
  func `iTunes is known by its namespace, else by its usual prefix`(prefix: String, namespace: String?) throws
  {
    try expectSeason("season", prefix, namespace)
  }

  @Test(
    arguments: [
      ("slash", "http://purl.org/rss/1.0/modules/slash", "comments"), ("slash", "urn:wrong", "comments"),
      ("s", "HTTPS://purl.org/rss/1.0/modules/slash/", "comments"), ("slash", nil, "comments"),
      ("t", "http://purl.org/syndication/thread/1.0/", "total"), ("thr", nil, "total"),
      ("thr", "http://purl.org/syndication/threads", "total"),
    ] as [(String, String?, String)])
  func `counts are known by namespace or prefix`(prefix: String, namespace: String?, name: String) throws {
    let declaration = namespace.map { " xmlns:\(prefix)='\($0)'" } ?? ""
    let source = "<item><\(prefix):\(name)>4</\(prefix):\(name)><title>t</title></item>"
    let document = "<rss version='2.0'\(declaration)><channel><title>c</title>\(source)</channel></rss>"
    let feed = try ParsedFeed.parse(Array(document.utf8))
    #expect(feed.items.first?.members["comment_count"] == "4")
  }

  @Test func `a list of the feed holds no more than the limit`() throws {
    var limits = ParserLimits()
    limits.listCount = 3
    let entries = (0..<5).map { "<category>\($0)</category><atom:link rel='via' href='/\($0)'/>" }
    let details = try ParsedFeed.parse(ItemModuleTests.document(entries.joined()), limits: limits).details
    #expect(details.categories.map(\.term) == ["0", "1", "2"])
    #expect(details.links.count == 3)
    #expect(details.shortenedListCount == 2)
  }

  @Test func `an unknown prefix of an unknown namespace is ignored`() throws {
    let source = "<x:season xmlns:x='urn:wrong'>4</x:season><x:title>no</x:title><title>yes</title>"
    let feed = try ParsedFeed.parse(
      Array("<rss version='2.0'><channel><item>\(source)</item></channel></rss>".utf8))
    #expect(feed.items.first?.title == "yes")
    #expect(feed.items.first?.members["season"] == nil)
  }

  private func expectSeason(_ name: String, _ prefix: String, _ namespace: String?) throws {
    let declaration = namespace.map { " xmlns:\(prefix)='\($0)'" } ?? ""
    let source = "<item><\(prefix):\(name)>4</\(prefix):\(name)><title>t</title></item>"
    let feed = try ParsedFeed.parse(
      Array("<rss version='2.0'\(declaration)><channel><title>c</title>\(source)</channel></rss>".utf8))
    #expect(feed.items.first?.members["season"] == "4")
  }

  @Test func `the text input of RSS 1.0 does not name the feed`() throws {
    let document =
      "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'>"
      + "<textinput rdf:about='http://e.org/s'><title>S</title><name>q</name></textinput>"
      + "<channel><title>c</title><textinput rdf:resource='http://e.org/s'/></channel></rdf:RDF>"
    let line = String(decoding: Fixture.line(Array(document.utf8)), as: UTF8.self)
    #expect(line.contains(#""title":"c""#))
  }

  private func line(_ source: String) throws -> String {
    let line = Fixture.line(ItemModuleTests.document(source), url: "http://e.org/d/feed.xml")
    return String(decoding: line.dropLast(), as: UTF8.self)
  }

  /// The members of `_newsimport` after those about the document.
  private func modules(_ source: String) throws -> String {
    try ModuleDocument.members(ofFeed: source)
  }
}
