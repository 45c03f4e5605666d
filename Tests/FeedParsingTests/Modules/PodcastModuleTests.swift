import FeedParsing
import Testing

/// The parts of the podcast namespace that are more than a text.
struct PodcastModuleTests {
  static let value =
    "<podcast:value type='lightning' method='keysend' suggested='0.00000005'>"
    + "<podcast:valueRecipient name='A' type='node' address='02d5' split='99' customKey='696969' customValue='x'/>"
    + "<podcast:valueRecipient name='B' type='node' address='03ae' split='1' fee='true'/></podcast:value>"
  static let valueMembers =
    #""values":[{"type":"lightning","method":"keysend","suggested":"0.00000005","recipients":["#
    + #"{"name":"A","type":"node","address":"02d5","split":99,"custom_key":"696969","custom_value":"x"},"#
    + #"{"name":"B","type":"node","address":"03ae","split":1,"fee":true}]}]"#

  @Test(
    arguments: [
      ("<itunes:order>3</itunes:order>", #""order":3"#),
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
      (value, valueMembers),
      (
        "<podcast:txt purpose='verify'>S6lpp-7ZCn8-dZfGc-OoyaG</podcast:txt><podcast:txt>b</podcast:txt><podcast:txt/>",
        #""texts":[{"purpose":"verify","text":"S6lpp-7ZCn8-dZfGc-OoyaG"},{"text":"b"}]"#
      ),
      (
        "<podcast:source uri='/a'/><podcast:integrity type='sri' value='x'/><podcast:valueRecipient name='a'/>",
        ""
      ),
    ])
  func `an item`(source: String, expected: String) throws {
    #expect(try ModuleDocument.members(ofItem: source) == expected)
  }

  @Test func `entries over the limit are left out and counted`() throws {
    var limits = ParserLimits()
    limits.listCount = 3
    let recipients = (0..<9).map { "<podcast:valueRecipient name='\($0)'/>" }.joined()
    let values = "<podcast:value type='t'>\(recipients)</podcast:value>"
    let texts = (0..<9).map { "<podcast:txt>\($0)</podcast:txt>" }
    let document = ItemModuleTests.document("<item>\(values)</item><item>\(texts.joined())</item>")
    let line = String(decoding: Fixture.line(chunks: [document], limits: limits), as: UTF8.self)
    #expect(line.contains(#"{"name":"1"}"#))
    #expect(!line.contains(#"{"name":"3"}"#) && !line.contains(#""text":"3""#))
    #expect(line.contains(#""shortened_lists":2,"#))
  }
}
