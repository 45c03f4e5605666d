import FeedParsing
import Testing

@Suite struct OPMLTests {
  private func entries(_ body: String) throws -> [OPML.Entry] {
    try OPML.read(
      Array("<?xml version=\"1.0\"?><opml version=\"2.0\"><head/><body>\(body)</body></opml>".utf8)
    ).entries
  }

  @Test func `feeds have the name of the nearest outline around them`() throws {
    let found = try entries(
      """
      <outline text="Top" xmlUrl="https://a/"/>
      <outline text="News"><outline title="B" xmlUrl="https://b/"/>
        <outline text="Deep"><outline text="C" XMLURL="https://c/"/></outline>
        <outline text="D" xmlUrl="https://d/?a=1&amp;b=2"/></outline>
      """)
    #expect(found.map(\.url) == ["https://a/", "https://b/", "https://c/", "https://d/?a=1&b=2"])
    #expect(found.map(\.folder) == [nil, "News", "Deep", "News"])
    #expect(found.map(\.title) == ["Top", "B", "C", "D"])
  }

  @Test func `the folder that Thunderbird makes for each feed does not count`() throws {
    func feed(_ title: String, _ options: String = "") -> String {
      "<outline title=\"\(title)\"><outline type=\"rss\" title=\"\(title)\" xmlUrl=\"https://\(title)/\"\(options)/></outline>"
    }
    let others = try entries("\(feed("a"))<outline title=\"Art\">\(feed("b"))\(feed("c"))</outline>")
    #expect(others.map(\.folder) == ["a", "Art", "Art"])
    let mark = " version=\"RSS\" fz:quickMode=\"false\""
    let thunderbird = try entries("\(feed("a", mark))<outline title=\"Art\">\(feed("b", mark))</outline>")
    #expect(thunderbird.map(\.folder) == [nil, "Art"])
    let several =
      "<outline title=\"M\"><outline title=\"N\"><outline title=\"N\" xmlUrl=\"https://n/\"/>"
      + "<outline title=\"O\" xmlUrl=\"https://o/\"/></outline></outline>"
    #expect(try entries(several).map(\.folder) == ["N", "N"])
  }

  @Test func `categories are the last names of their paths`() throws {
    let list = ["/tech,/tag/three", " a , /b/ c /,,/, a", ""]
    let body = list.map { "<outline text=\"T\" xmlUrl=\"https://a/\" category=\"\($0)\"/>" }.joined()
    #expect(try entries(body).map(\.categories) == [["tech", "three"], ["a", "c"], []])
  }

  @Test(arguments: [
    ("rss", false), ("HTML+XPath", true), ("XML+XPath", true), ("JSON+DotNotation", true),
    ("JSONFeed", false),
  ])
  func `an address of a page that FreshRSS makes a feed from is marked`(type: String, isScraped: Bool) throws
  {
    let found = try entries("<outline text=\"T\" type=\"\(type)\" xmlUrl=\"https://a/\"/>")
    #expect(found.map(\.isScraped) == [isScraped])
  }

  @Test func `a damaged list loses nothing and doubles nothing`() throws {
    let found = try entries(
      (1...50).map { "<outline text=\"A & B \($0)\" xmlUrl=\"https://a/\($0)?x&y\">" }.joined(separator: "\n")
    )
    #expect(found.count == 50)
    #expect(Set(found.map(\.url)).count == 50)
  }

  @Test func `a truncated list is reported`() throws {
    let document = "<opml><body><outline xmlUrl=\"https://a/\"/><outline text=\"Deep\"><outline xmlU"
    let list = try OPML.read(Array(document.utf8))
    #expect(list.entries.map(\.url) == ["https://a/"])
    #expect(list.isTruncated)
  }

  @Test func `an external entity is not read`() throws {
    let document = """
      <!DOCTYPE opml [<!ENTITY x SYSTEM "file:///etc/passwd">]>
      <opml><body><outline text="&x;" xmlUrl="https://a/"/></body></opml>
      """
    #expect(try OPML.read(Array(document.utf8)).entries.allSatisfy { $0.title?.contains("root") != true })
  }

  @Test(arguments: ["", "<html><body/></html>", "plain text", "{}"])
  func `a document that is not OPML is refused`(document: String) {
    #expect(throws: OPML.Failure.self) { try OPML.read(Array(document.utf8)) }
  }
}
