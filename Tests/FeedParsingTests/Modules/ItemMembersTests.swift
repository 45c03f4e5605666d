import FeedParsing
import Foundation
import Testing

/// The members of an item's `_newsimport` as one object, by name and as documentation.
struct ItemMembersTests {
  private static let sample = """
    <guid isPermaLink='false'>1</guid><itunes:season>2</itunes:season><podcast:transcript url='/t.vtt'/>\
    <media:rating>adult</media:rating>
    """

  private func members(_ source: String) throws -> ItemMembers {
    let document = ItemModuleTests.document("<item>\(source)</item>")
    let feed = try ParsedFeed.parse(document, source: DocumentSource(url: ModuleDocument.url))
    return try #require(feed.items.first).members
  }

  @Test func `a member is found by its name`() throws {
    let members = try members(Self.sample)
    #expect(members["id_is_permalink"] == "false")
    #expect(members["season"] == "2")
    #expect(members["transcripts"] == #"[{"url":"http://e.org/t.vtt"}]"#)
    #expect(members["rating"] == #"{"value":"adult"}"#)
    #expect(members["episode"] == nil)
  }

  @Test(arguments: [sample, "<title>t</title>", "<slash:comments>many</slash:comments>"])
  func `the object of all members is the one that is printed`(source: String) throws {
    let members = try members(source)
    #expect(members.json == "{\(try ModuleDocument.members(ofItem: source))}")
    #expect(members.isEmpty == (members.json == "{}"))
  }

  @Test func `the documentation lists all members as the table has them`() throws {
    let page = Fixture.folder.deletingLastPathComponent()
      .appending(path: "Sources/FeedParsing/FeedParsing.docc/NewsimportMembers.md")
    #expect(try String(contentsOf: page, encoding: .utf8).contains(ItemMembers.markdown))
  }

  @Test func `each member has one row of documentation`() {
    let rows = ItemMembers.markdown.split(separator: "\n")
    #expect(Set(rows.compactMap { $0.split(separator: "`").dropFirst().first }).count == rows.count)
    #expect(rows.contains("| `chapters` | object: `url`, `type`, `language`, `rel` | `podcast:chapters` |"))
  }
}
