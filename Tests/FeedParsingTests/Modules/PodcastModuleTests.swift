import FeedParsing
import Testing

/// The parts of the podcast namespace that are more than a text.
struct PodcastModuleTests {
  @Test(
    arguments: [
      (
        "<podcast:location geo='geo:30.2672,97.7431;u=350' osm='R113314' country='US' rel='subject'>Austin, TX</podcast:location>",
        #""location":{"latitude":30.2672,"longitude":97.7431},"places":[{"name":"Austin, TX","geo":"geo:30.2672,97.7431;u=350","#
          + #""osm":"R113314","country":"US","rel":"subject"}]"#
      ),
      (
        "<podcast:location geo='geo:1,2'>A</podcast:location><georss:point>3 4</georss:point>",
        #""location":{"latitude":3,"longitude":4},"places":[{"name":"A","geo":"geo:1,2"}]"#
      ),
      ("<podcast:location>A</podcast:location>", #""places":[{"name":"A"}]"#),
      (
        """
        <podcast:alternateEnclosure type='audio/opus' length='32400788' bitrate='96000.5' title='High' lang='en' rel='r' \
        codecs='opus' default='true' height='720'><podcast:integrity type='sri' value='sha384-x'/>\
        <podcast:source uri='/a.opus'/><podcast:source uri='ipfs://b' contentType='audio/ogg'/>\
        </podcast:alternateEnclosure><podcast:alternateEnclosure type='audio/aac'><podcast:source uri='/a.aac'/>\
        </podcast:alternateEnclosure>
        """,
        #""alternate_enclosures":[{"type":"audio/opus","size_in_bytes":32400788,"bitrate":96000.5,"height":720,"#
          + #""language":"en","title":"High","rel":"r","codecs":"opus","default":true,"#
          + #""sources":[{"url":"http://e.org/a.opus"},{"url":"ipfs://b","type":"audio/ogg"}],"#
          + #""integrity":{"type":"sri","value":"sha384-x"}},"#
          + #"{"type":"audio/aac","sources":[{"url":"http://e.org/a.aac"}]}]"#
      ),
      (
        "<podcast:socialInteract uri='/s' protocol='activitypub' accountId='@d' accountUrl='/d' priority='1'/>",
        #""social_interactions":[{"url":"http://e.org/s","protocol":"activitypub","account_id":"@d","#
          + #""account_url":"http://e.org/d","priority":1}]"#
      ),
      ("<podcast:socialInteract protocol='disabled'/>", #""social_interactions":[{"protocol":"disabled"}]"#),
      ("<podcast:source uri='/a'/><podcast:integrity type='sri' value='x'/>", ""),
    ])
  func `an item`(source: String, expected: String) throws {
    #expect(try ModuleDocument.members(ofItem: source) == expected)
  }

  @Test func `entries over the limit are left out and counted`() throws {
    var limits = ParserLimits()
    limits.listCount = 3
    let sources = (0..<9).map { "<podcast:source uri='http://e.org/\($0)'/>" }.joined()
    let files = "<podcast:alternateEnclosure type='t'>\(sources)</podcast:alternateEnclosure>"
    let persons = (0..<9).map { "<podcast:person>\($0)</podcast:person>" }
    let document = ItemModuleTests.document("<item>\(files)</item><item>\(persons.joined())</item>")
    let line = String(decoding: Fixture.line(chunks: [document], limits: limits), as: UTF8.self)
    #expect(line.contains(#"{"url":"http://e.org/1"}"#) && line.contains(#"{"name":"1"}"#))
    #expect(!line.contains(#"{"url":"http://e.org/3"}"#) && !line.contains(#"{"name":"3"}"#))
    #expect(line.contains(#""shortened_lists":2,"#))
  }
}
