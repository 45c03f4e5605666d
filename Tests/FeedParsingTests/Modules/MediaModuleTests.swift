import FeedParsing
import Testing

/// The members of Media RSS.
struct MediaModuleTests {
  @Test(
    arguments: [
      (
        """
        <media:content url='/a' bitrate='128' framerate='25' samplingrate='44.1' channels='2' isDefault='true' \
        expression='full'><media:hash algo='sha-1'>0a0b</media:hash><media:hash>ff</media:hash></media:content>
        """,
        #""media":[{"url":"http://e.org/a","bitrate":128,"framerate":25,"samplingrate":44.1,"channels":2,"default":true,"#
          + #""expression":"full","hashes":[{"algorithm":"sha-1","value":"0a0b"},{"value":"ff"}]}]"#
      ),
      ("<media:hash algo='md5'>ff</media:hash>", ""),
    ])
  func `media`(source: String, expected: String) throws {
    #expect(try ModuleDocument.members(ofItem: source) == expected)
  }

  @Test(arguments: ["", " type='plain'", " type='html'"])
  func `a media description is plain text unless its type is HTML`(type: String) throws {
    let document =
      "<rss xmlns:media='http://search.yahoo.com/mrss/'><channel><item>"
      + "<media:description\(type)>a &lt; b</media:description></item></channel></rss>"
    let item = try #require(try ParsedFeed.parse(Array(document.utf8)).items.first)
    let isHTML = type.contains("html")
    #expect(item.contentText == (isHTML ? nil : "a < b"))
    #expect(item.contentHTML == (isHTML ? "a < b" : nil))
  }
}
