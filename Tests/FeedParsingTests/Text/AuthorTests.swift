import FeedParsing
import Testing

/// Authors whose name and address are one text.
struct AuthorTests {
  private typealias Author = FeedDetails.Author

  @Test(
    arguments: [
      (
        "a@x.org (Ann), b@y.org (Bob)",
        [Author(name: "Ann", email: "a@x.org"), Author(name: "Bob", email: "b@y.org")]
      ),
      (
        "Ann <a@x.org>, Bob <b@y.org>",
        [Author(name: "Ann", email: "a@x.org"), Author(name: "Bob", email: "b@y.org")]
      ),
      ("a@x.org, b@y.org", [Author(email: "a@x.org"), Author(email: "b@y.org")]),
      (
        "a@x.org (Ray, Ann), b@y.org", [Author(name: "Ray, Ann", email: "a@x.org"), Author(email: "b@y.org")]
      ),
      ("Ann Ray; Bob Ode", [Author(name: "Ann Ray"), Author(name: "Bob Ode")]),
      ("a@x.org (Ann);b@y.org", [Author(name: "Ann", email: "a@x.org"), Author(email: "b@y.org")]),
      ("Ray, Ann; Ode, Bob;", [Author(name: "Ray, Ann"), Author(name: "Ode, Bob")]),
      ("Smith, John", [Author(name: "Smith, John")]),
      ("Smith, John <j@x.org>", [Author(name: "Smith, John", email: "j@x.org")]),
      ("Ann, Bob and Cal", [Author(name: "Ann, Bob and Cal")]),
      ("Ann (a; b)", [Author(name: "Ann (a; b)")]), ("Ann &nosuch; Bob", [Author(name: "Ann &nosuch; Bob")]),
      (";", [Author(name: ";")]),
    ] as [(String, [FeedDetails.Author])])
  func `several authors in one text are separated if that is safe`(
    text: String, expected: [FeedDetails.Author]
  ) throws {
    for feed in [try rss(item: "author", text), try rss(item: "dc:creator", text)] {
      #expect(feed.items.first?.authors == expected)
    }
    #expect(try rss(feed: "managingEditor", text).details.authors == expected)
  }

  @Test(
    arguments: [
      ("a@x.org (Ann (of X))", Author(name: "Ann (of X)", email: "a@x.org")),
      ("Ann (of X) (a@x.org)", Author(name: "Ann (of X)", email: "a@x.org")),
      ("a@x.org ((Ann))", Author(name: "Ann", email: "a@x.org")),
      ("Ann <http://x.org/ann>", Author(name: "Ann", url: "http://x.org/ann")),
      ("Ann (https://social.x.org/@ann)", Author(name: "Ann", url: "https://social.x.org/@ann")),
      ("<https://x.org/>", Author(url: "https://x.org/")),
      ("Ann <javascript:x>", Author(name: "Ann <javascript:x>")),
      ("Ann (http://x.org/a b)", Author(name: "Ann (http://x.org/a b)")),
      ("ann (at) x.org", Author(name: "ann (at) x.org")), ("http://x.org/", Author(name: "http://x.org/")),
    ] as [(String, FeedDetails.Author)])
  func `an author keeps brackets of the name, and an address in brackets is found`(
    text: String, expected: FeedDetails.Author
  ) throws {
    #expect(try rss(item: "author", text).items.first?.authors == [expected])
  }

  @Test func `several elements are several authors`() throws {
    let document = ItemModuleTests.document(
      "<item><dc:creator>A</dc:creator><dc:creator>B</dc:creator></item><item><author>C</author><author>D</author></item>"
    )
    #expect(
      try ParsedFeed.parse(document).items.map { $0.authors.map(\.name) } == [["A", "B"], ["C", "D"]])
  }

  private func rss(item name: String, _ text: String) throws -> ParsedFeed {
    try ParsedFeed.parse(ItemModuleTests.document("<item><\(name)>\(escaped(text))</\(name)></item>"))
  }

  private func rss(feed name: String, _ text: String) throws -> ParsedFeed {
    try ParsedFeed.parse(ItemModuleTests.document("<\(name)>\(escaped(text))</\(name)>"))
  }

  /// Escapes a text twice, because RSS does not state whether a name is HTML.
  private func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
  }

  @Test(arguments: [
    (
      "<author>noreply@x.org</author><dc:creator>Jane</dc:creator>",
      [Author(name: "Jane", email: "noreply@x.org")]
    ),
    (
      "<dc:creator>Jane</dc:creator><author>noreply@x.org</author>",
      [Author(name: "Jane", email: "noreply@x.org")]
    ),
    (
      "<author>a@x.org</author><dc:creator>Jane</dc:creator><dc:creator>Joe</dc:creator>",
      [Author(name: "Jane", email: "a@x.org"), Author(name: "Joe")]
    ),
    ("<author>a@x.org (Ann)</author><dc:creator>Jane</dc:creator>", [Author(name: "Ann", email: "a@x.org")]),
    ("<author>a@x.org</author><dc:creator>b@x.org</dc:creator>", [Author(email: "a@x.org")]),
    ("<author>a@x.org</author><itunes:author>Jane</itunes:author>", [Author(name: "Jane", email: "a@x.org")]),
  ])
  func `an address does not hide the name that another element has`(
    xml: String, expected: [FeedDetails.Author]
  ) throws {
    let document =
      "<rss xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'>"
      + "<channel><item>\(xml)</item></channel></rss>"
    #expect(try ParsedFeed.parse(Array(document.utf8)).items.first?.authors == expected)
  }
}
