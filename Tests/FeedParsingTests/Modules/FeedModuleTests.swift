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
      (
        "<cloud domain='rpc.e.org' port='80' path='/RPC2' registerProcedure='p' protocol='xml-rpc'/>",
        #""cloud":{"domain":"rpc.e.org","port":80,"path":"/RPC2","register_procedure":"p","protocol":"xml-rpc"}"#
      ),
      ("<generator>g</generator><docs>/rss</docs>", #""generator":"g","docs":"http://e.org/rss""#),
      (
        "<atom:generator uri='/g' version='2'>G</atom:generator>",
        #""generator":"G","generator_url":"http://e.org/g","generator_version":"2""#
      ),
      ("<admin:generatorAgent rdf:resource='http://g.org/?v=1'/>", #""generator_url":"http://g.org/?v=1""#),
      ("<copyright>(c) E</copyright>", #""rights":"(c) E""#),
      (
        "<creativeCommons:license>http://cc.org/by</creativeCommons:license><atom:link rel='license' href='/l'/>",
        #""licenses":[{"url":"http://cc.org/by"},{"url":"http://e.org/l"}]"#
      ),
      ("<podcast:license url='/l'>L</podcast:license>", #""licenses":[{"url":"http://e.org/l","name":"L"}]"#),
      (
        "<image><url>/i.png</url><title>I</title><link>/</link><width>88</width><height>31px</height></image>",
        #""image":{"url":"http://e.org/i.png","title":"I","link":"http://e.org/","width":88,"height":31}"#
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
      ("<itunes:keywords>a, b ,, a</itunes:keywords>", #""keywords":["a","b"]"#),
      (
        "<webMaster>w@e.org (W)</webMaster><dc:contributor>C</dc:contributor><dc:publisher>P</dc:publisher>",
        #""publisher":"P","contributors":[{"name":"C"}],"web_master":{"name":"W","email":"w@e.org"}"#
      ),
      (
        "<pubDate>Sat, 01 Jan 2000 00:00:00 GMT</pubDate><lastBuildDate>Sun, 02 Jan 2000 00:00:00 GMT</lastBuildDate>",
        #""date_published":"2000-01-01T00:00:00Z","date_modified":"2000-01-02T00:00:00Z""#
      ),
      (
        "<textInput><title>Search</title><description>D</description><name>q</name><link>/s</link></textInput>",
        #""text_input":{"title":"Search","description":"D","name":"q","link":"http://e.org/s"}"#
      ),
      ("<textInput/>", ""),
      (
        "<rating>(PICS-1.1 \"http://e.org\" r (a 0))</rating>",
        #""rating":"(PICS-1.1 \"http://e.org\" r (a 0))""#
      ),
      ("<fh:complete/><fh:archive/>", #""complete":true,"archive":true"#),
      (
        "<atom:link rel='prev' href='/1'/><atom:link rel='first' href='/0'/><atom:link rel='last' href='/9'/>"
          + "<atom:link rel='prev-archive' href='/a'/>",
        #""previous_url":"http://e.org/1","first_url":"http://e.org/0","last_url":"http://e.org/9","#
          + #""previous_archive_url":"http://e.org/a""#
      ),
    ])
  func `the members of a feed`(source: String, expected: String) throws {
    #expect(try modules(source) == expected)
  }

  @Test(
    arguments: [
      (
        "<itunes:new-feed-url>http://n.org/f</itunes:new-feed-url><itunes:type>Serial</itunes:type>"
          + "<itunes:explicit>no</itunes:explicit><itunes:block>yes</itunes:block><itunes:complete>Yes</itunes:complete>",
        #""new_feed_url":"http://n.org/f","type":"serial","explicit":false,"block":true,"complete":true"#
      ),
      (
        "<itunes:owner><itunes:name>O</itunes:name><itunes:email>o@e.org</itunes:email></itunes:owner>",
        #""owner":{"name":"O","email":"o@e.org"}"#
      ),
      (
        "<podcast:guid>g</podcast:guid><podcast:medium>music</podcast:medium><podcast:locked owner='o@e.org'>yes</podcast:locked>",
        #""guid":"g","medium":"music","locked":true,"lock_owner":"o@e.org""#
      ),
      (
        "<podcast:funding url='/give'>Give!</podcast:funding><podcast:person role='host'>H</podcast:person>",
        #""funding":[{"url":"http://e.org/give","text":"Give!"}],"persons":[{"name":"H","role":"host"}]"#
      ),
    ])
  func `the members of a podcast`(source: String, expected: String) throws {
    #expect(try modules(source) == #""podcast":{\#(expected)}"#)
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
    let entries = (0..<5).map {
      "<category>\($0)</category><podcast:person>\($0)</podcast:person><podcast:funding url='/\($0)'/>"
        + "<cc:license>http://e.org/\($0)</cc:license><dc:contributor>\($0)</dc:contributor>"
    }
    let keywords = "<itunes:keywords>0,1,2,3</itunes:keywords>"
    let document = ItemModuleTests.document(entries.joined() + keywords)
    let details = try ParsedFeed.parse(document, limits: limits).details
    #expect(details.categories.count == 3)
    #expect(details.keywords.count == 3)
    #expect(details.licenses.count == 3)
    #expect(details.contributors.count == 3)
    #expect(details.podcast.persons.map(\.name) == ["0", "1", "2"])
    #expect(details.podcast.funding.count == 3)
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

  @Test func `the text input of RSS 1.0 is outside of the channel`() throws {
    let document =
      "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'>"
      + "<channel><title>c</title><textinput rdf:resource='http://e.org/s'/></channel>"
      + "<textinput rdf:about='http://e.org/s'><title>S</title><name>q</name></textinput></rdf:RDF>"
    let line = String(decoding: Fixture.line(Array(document.utf8)), as: UTF8.self)
    #expect(line.contains(#""text_input":{"title":"S","name":"q"}"#))
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
