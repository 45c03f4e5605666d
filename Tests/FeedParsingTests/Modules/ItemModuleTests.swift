import FeedParsing
import Testing

/// The members that modules add to items, by their usual namespaces.
struct ItemModuleTests {
  @Test(
    arguments: [
      ("<itunes:duration>1:02:03</itunes:duration>", #""duration_in_seconds":3723"#),
      ("<itunes:season>2</itunes:season><itunes:episode>7</itunes:episode>", #""season":2,"episode":7"#),
      ("<itunes:episodeType>Bonus</itunes:episodeType>", #""episode_type":"bonus""#),
      ("<itunes:explicit>yes</itunes:explicit>", #""explicit":true"#),
      (
        "<itunes:explicit>Clean</itunes:explicit><itunes:block>Yes</itunes:block>",
        #""explicit":false,"block":true"#
      ),
      ("<itunes:explicit>perhaps</itunes:explicit>", ""), ("<itunes:season></itunes:season>", ""),
    ])
  func `iTunes`(source: String, expected: String) throws {
    #expect(try modules(source) == expected)
  }

  @Test(
    arguments: [
      (
        "<podcast:season name='Egghunt'>3</podcast:season><podcast:episode display='Ch. 3'>3.5</podcast:episode>",
        #""season":3,"season_name":"Egghunt","episode":3.5,"episode_name":"Ch. 3""#
      ),
      (
        "<podcast:transcript url='/t.vtt' type='text/vtt' language='es' rel='captions'/><podcast:transcript url='t.txt'/>",
        #""transcripts":[{"url":"http://e.org/t.vtt","type":"text/vtt","language":"es","rel":"captions"},"#
          + #"{"url":"http://e.org/d/t.txt"}]"#
      ),
      ("<podcast:transcript type='text/vtt'/>", ""),
      (
        "<podcast:chapters url='http://e.org/c.json' type='application/json+chapters'/>",
        #""chapters":{"url":"http://e.org/c.json","type":"application/json+chapters"}"#
      ),
      (
        "<podcast:person role='guest' group='cast' href='/j' img='j.jpg'> Jane &amp;amp; Doe </podcast:person>",
        #""persons":[{"name":"Jane & Doe","role":"guest","group":"cast","url":"http://e.org/j","image":"http://e.org/d/j.jpg"}]"#
      ),
      (
        "<podcast:soundbite startTime='73.5' duration='60'>Why</podcast:soundbite><podcast:soundbite startTime='x' duration='1'/>",
        #""soundbites":[{"start_in_seconds":73.5,"duration_in_seconds":60,"title":"Why"}]"#
      ),
      ("<podcast:license>cc-by-4.0</podcast:license>", #""licenses":[{"name":"cc-by-4.0"}]"#),
    ])
  func `podcast`(source: String, expected: String) throws {
    #expect(try modules(source) == expected)
  }

  @Test(
    arguments: [
      (
        """
        <media:group><media:content url='a.mp4' type='video/mp4' medium='video' fileSize='1,000' duration='65' \
        width='640' height='360' lang='en'><media:thumbnail url='b.jpg' width='75' height='50'/></media:content>\
        <media:content url='c.mp3'/></media:group>
        """,
        #""media":[{"url":"http://e.org/d/a.mp4","type":"video/mp4","medium":"video","size_in_bytes":1000,"#
          + #""duration_in_seconds":65,"width":640,"height":360,"language":"en"},{"url":"http://e.org/d/c.mp3"}],"#
          + #""thumbnails":[{"url":"http://e.org/d/b.jpg","width":75,"height":50}]"#
      ),
      (
        "<media:credit role='author' scheme='urn:ebu'>A &amp;lt; B</media:credit><media:credit/>",
        #""credits":[{"name":"A < B","role":"author","scheme":"urn:ebu"}]"#
      ),
      (
        "<media:content url='http://e.org/a'><media:rating scheme='urn:simple'>adult</media:rating></media:content>",
        #""media":[{"url":"http://e.org/a"}],"rating":{"value":"adult","scheme":"urn:simple"}"#
      ),
      ("<media:player url='/p?1'/>", #""player_url":"http://e.org/p?1""#),
      ("<media:copyright url='/c'>2026 E</media:copyright>", #""rights":"2026 E""#),
      (
        "<media:license type='text/html' href='http://cc.org/by'>CC</media:license>",
        #""licenses":[{"url":"http://cc.org/by","name":"CC"}]"#
      ),
      (
        "<media:category scheme='urn:x' label='L'>a/b</media:category><media:category>c</media:category>",
        #""categories":[{"term":"a/b","scheme":"urn:x","label":"L"}]"#
      ),
      (
        "<media:location><georss:where><gml:Point><gml:pos>35.5 -40</gml:pos></gml:Point></georss:where></media:location>",
        #""location":{"latitude":35.5,"longitude":-40}"#
      ),
    ])
  func `Media RSS`(source: String, expected: String) throws {
    #expect(try modules(source) == expected)
  }

  @Test(
    arguments: [
      ("<slash:comments> 12 </slash:comments>", #""comment_count":12"#),
      ("<slash:comments>many</slash:comments>", ""),
      (
        "<slash:section>articles</slash:section><slash:department>not-an-ocean</slash:department>",
        #""section":"articles","department":"not-an-ocean""#
      ),
      ("<thr:total>3</thr:total>", #""comment_count":3"#),
      (
        "<thr:in-reply-to ref='tag:1' href='/1' type='text/html' source='/feed'/>",
        #""in_reply_to":[{"id":"tag:1","url":"http://e.org/1","type":"text/html","source":"http://e.org/feed"}]"#
      ),
      (
        "<wfw:commentRss>/1/feed</wfw:commentRss><wfw:comment>/1/post</wfw:comment>",
        #""comment_feed_url":"http://e.org/1/feed","comment_post_url":"http://e.org/1/post""#
      ),
      ("<wfw:commentRSS>http://e.org/1</wfw:commentRSS>", #""comment_feed_url":"http://e.org/1""#),
      ("<comments>/1#comments</comments>", #""comments_url":"http://e.org/1#comments""#),
      (
        """
        <atom:link rel='replies' type='text/html' href='/1#c' thr:count='4'/>\
        <atom:link rel='replies' type='application/atom+xml' href='/1.atom'/>
        """,
        #""comments_url":"http://e.org/1#c","comment_feed_url":"http://e.org/1.atom","comment_count":4,"#
          + #""links":[{"url":"http://e.org/1#c","rel":"replies","type":"text/html"},"#
          + #"{"url":"http://e.org/1.atom","rel":"replies","type":"application/atom+xml"}]"#
      ),
    ])
  func `comments`(source: String, expected: String) throws {
    #expect(try modules(source) == expected)
  }

  @Test(
    arguments: [
      ("<georss:point>45.256 -71.92</georss:point>", #""location":{"latitude":45.256,"longitude":-71.92}"#),
      ("<georss:point>45.256,-71.92</georss:point>", #""location":{"latitude":45.256,"longitude":-71.92}"#),
      ("<geo:lat>1</geo:lat><geo:long>2</geo:long>", #""location":{"latitude":1,"longitude":2}"#),
      (
        "<geo:Point><geo:long>2</geo:long><geo:lat>1</geo:lat></geo:Point>",
        #""location":{"latitude":1,"longitude":2}"#
      ),
      (
        "<georss:where><gml:Point><gml:pos>1.5 2</gml:pos></gml:Point></georss:where>",
        #""location":{"latitude":1.5,"longitude":2}"#
      ),
      ("<georss:point>91 0</georss:point>", ""), ("<georss:point>nan 0</georss:point>", ""),
      ("<georss:point>12</georss:point>", ""), ("<geo:lat>1</geo:lat>", ""),
    ])
  func `places`(source: String, expected: String) throws {
    #expect(try modules(source) == expected)
  }

  @Test(
    arguments: [
      ("<dc:rights>All &lt;b&gt;mine&lt;/b&gt;</dc:rights>", #""rights":"All mine""#),
      (
        "<creativeCommons:license>http://cc.org/by</creativeCommons:license><atom:link rel='license' href='http://cc.org/by'/>",
        #""licenses":[{"url":"http://cc.org/by"}]"#
      ),
      ("<cc:license rdf:resource='http://cc.org/by'/>", #""licenses":[{"url":"http://cc.org/by"}]"#),
      (
        "<source url='/feed'>The &amp;amp; Source</source>",
        #""source":{"title":"The & Source","url":"http://e.org/feed"}"#
      ),
      (
        "<atom:source><atom:id>tag:s</atom:id><atom:title>S</atom:title><atom:link href='/s'/>"
          + "<atom:link rel='self' href='/f'/></atom:source>",
        #""source":{"id":"tag:s","title":"S","url":"http://e.org/s"}"#
      ),
      ("<dc:publisher>P</dc:publisher>", #""publisher":"P""#),
      (
        "<dc:contributor>C &lt;c@e.org&gt;</dc:contributor><atom:contributor><atom:name>D</atom:name>"
          + "<atom:uri>/d</atom:uri></atom:contributor>",
        #""contributors":[{"name":"C","email":"c@e.org"},{"name":"D","url":"http://e.org/d"}]"#
      ),
      ("<dcterms:valid>end=2026-12-31</dcterms:valid>", #""valid":"end=2026-12-31""#),
      ("<feedburner:origLink>http://e.org/1</feedburner:origLink>", #""original_url":"http://e.org/1""#),
      ("<pheedo:origLink>http://e.org/1</pheedo:origLink>", #""original_url":"http://e.org/1""#),
      ("<app:control><app:draft>yes</app:draft></app:control>", #""draft":true"#),
      (
        "<category domain='http://e.org/t'>a</category>",
        #""categories":[{"term":"a","scheme":"http://e.org/t"}]"#
      ),
      ("<category domain='http://e.org/t'/>", ""), ("<category>a</category>", ""),
      ("<dc:subject>a</dc:subject>", ""),
      (
        "<atom:category term='t' scheme='urn:s' label='L'/>",
        #""categories":[{"term":"t","scheme":"urn:s","label":"L"}]"#
      ),
      ("<guid isPermaLink='false'>1</guid>", #""id_is_permalink":false"#),
      ("<guid isPermaLink=' TRUE '>1</guid>", #""id_is_permalink":true"#), ("<guid>1</guid>", ""),
      ("<atom:id>1</atom:id>", ""),
    ])
  func `origin, rights and categories`(source: String, expected: String) throws {
    #expect(try modules(source) == expected)
  }

  @Test func `an author of the source replaces a missing one, and a contributor does not`() throws {
    let item = try item(
      "<atom:contributor><atom:name>C</atom:name></atom:contributor><atom:source><atom:author><atom:name>S</atom:name>"
        + "</atom:author></atom:source>")
    #expect(item.authors == [FeedDetails.Author(name: "S")])
    #expect(item.members["contributors"] == #"[{"name":"C"}]"#)
  }

  @Test func `tags are the same with and without schemes`() throws {
    let item = try item(
      "<category domain='d'>a</category><category>b</category><media:category label='L'>c</media:category>")
    #expect(item.tags == ["a", "b", "c"])
  }

  @Test(
    arguments: [
      ("<enclosure url='/a.mp3' type='audio/mpeg' length='1,000'/>", [60], [1000]),
      (
        "<enclosure url='/a.pdf' type='application/pdf'/><enclosure url='/a.mp3' type='Audio/MPEG'/>",
        [nil, 60], [nil, nil]
      ),
      ("<enclosure url='/a.mp3' length='-1'/><enclosure url='/b.mp3'/>", [60, nil], [nil, nil]),
      ("<enclosure>http://e.org/a.mp3</enclosure>", [60], [nil]),
      (
        "<enclosure url='/a.mp4' type='video/mp4'/><media:content url='http://e.org/a.mp4' duration='59.9'/>",
        [59], [nil]
      ),
    ] as [(String, [Double?], [Int64?])])
  func `the duration belongs to the first audio or video file`(
    source: String, durations: [Double?], sizes: [Int64?]
  ) throws {
    let item = try item(source + "<itunes:duration>1:00</itunes:duration>")
    #expect(item.attachments.map(\.duration) == durations)
    #expect(item.attachments.map(\.size) == sizes)
  }

  @Test(arguments: [
    "<itunes:image href='/i.png'/>", "<itunes:image> /i.png </itunes:image>",
    "<media:thumbnail url='/i.png'/>",
    "<media:thumbnail>/i.png</media:thumbnail>", "<itunes:image url='/i.png'/>",
    "<media:group><media:content><media:thumbnail url='/i.png'/></media:content></media:group>",
  ])
  func `a picture is found in all usual forms`(source: String) throws {
    #expect(try item(source).image == "http://e.org/i.png")
  }

  @Test func `an item holds no more of a module than the limit`() throws {
    var limits = ParserLimits()
    limits.listCount = 3
    let thumbnails = (0..<10).map { "<media:thumbnail url='http://e.org/\($0)'/>" }.joined()
    let feed = try ParsedFeed.parse(
      Self.document("<item>\(thumbnails)</item><item><guid>2</guid></item>"), limits: limits)
    #expect(feed.items[0].members["thumbnails"]?.split(separator: "{").count == 4)
    #expect(feed.items[1].members.isEmpty)
  }

  @Test(arguments: [
    "<slash:comments/>", "<podcast:person/>", "<media:content/>", "<georss:where><x/></georss:where>",
    "<thr:in-reply-to/>", "<media:rating/>", "<source/>", "<atom:source/>", "<wfw:comment> </wfw:comment>",
    "<x:unknown xmlns:x='urn:x' a='b'><x:title>no</x:title></x:unknown>",
  ])
  func `an empty element does not change the item`(source: String) throws {
    let item = try item(source + "<title>t</title><slash:section>s</slash:section>")
    #expect(item.title == "t")
    #expect(item.members["section"] == #""s""#)
  }

  /// The members of the item's `_newsimport`.
  private func modules(_ source: String) throws -> String {
    let line = String(
      decoding: Fixture.line(Self.document("<item>\(source)</item>"), url: "http://e.org/d/feed.xml"),
      as: UTF8.self)
    let items = line.split(separator: #""items":["#, maxSplits: 1)
    let rest = try #require(items.last).split(separator: #"}],"_newsimport""#).first ?? ""
    return rest.split(separator: #""_newsimport":{"#, maxSplits: 1).dropFirst().first.map {
      String($0.dropLast())
    } ?? ""
  }

  private func item(_ source: String) throws -> FeedItem {
    let feed = try ParsedFeed.parse(
      Self.document("<item>\(source)</item>"), source: DocumentSource(url: "http://e.org/d/feed.xml"))
    return try #require(feed.items.first)
  }

  static func document(_ content: String) -> [UInt8] {
    Array(
      """
      <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
        xmlns:podcast="https://podcastindex.org/namespace/1.0" xmlns:media="http://search.yahoo.com/mrss/"
        xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/"
        xmlns:dcterms="http://purl.org/dc/terms/" xmlns:slash="http://purl.org/rss/1.0/modules/slash/"
        xmlns:wfw="http://wellformedweb.org/CommentAPI/" xmlns:thr="http://purl.org/syndication/thread/1.0"
        xmlns:georss="http://www.georss.org/georss" xmlns:gml="http://www.opengis.net/gml"
        xmlns:geo="http://www.w3.org/2003/01/geo/wgs84_pos#" xmlns:cc="http://web.resource.org/cc/"
        xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:app="http://www.w3.org/2007/app"
        xmlns:creativeCommons="http://backend.userland.com/creativeCommonsRssModule"
        xmlns:feedburner="http://rssnamespace.org/feedburner/ext/1.0" xmlns:fh="http://purl.org/syndication/history/1.0"
        xmlns:pheedo="http://www.pheedo.com/namespace/pheedo" xmlns:admin="http://webns.net/mvcb/"
        xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"><channel>\(content)</channel></rss>
      """.utf8)
  }
}
