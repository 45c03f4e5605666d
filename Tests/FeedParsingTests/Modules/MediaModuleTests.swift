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
      (
        """
        <media:community><media:starRating average='3.5' count='20' min='1' max='10'/>\
        <media:statistics views='5' favorites='4'/><media:tags>news: 5, abc:3 , reuters,</media:tags></media:community>
        """,
        #""community":{"rating_average":3.5,"rating_count":20,"rating_min":1,"rating_max":10,"views":5,"favorites":4,"#
          + #""tags":[{"tag":"news","weight":5},{"tag":"abc","weight":3},{"tag":"reuters"}]}"#
      ),
      (
        "<media:group><media:community><media:statistics views='9'/></media:community></media:group>",
        #""community":{"views":9}"#
      ),
      ("<media:community/>", ""), ("<media:starRating average='x'/>", ""),
      (
        "<media:embed url='/v.swf' width='512' height='323'><media:param name='type'>x</media:param></media:embed>",
        #""embed":{"url":"http://e.org/v.swf","width":512,"height":323}"#
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
