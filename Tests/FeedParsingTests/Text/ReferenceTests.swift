import FeedParsing
import Testing

/// References to characters, by number and by name.
struct ReferenceTests {
  /// A feed with the text in each kind of place.
  private func feed(_ text: String, isDamaged: Bool) throws -> ParsedFeed {
    let document =
      "<rss version='2.0'><channel><title>\(text)</title>\(isDamaged ? "<b>" : "")<item><title>\(text)</title>"
      + "<author>a@x.org (\(text))</author><category>\(text)</category><description>\(text)</description>"
      + "<enclosure url='http://e.org/f' type='\(text)'/></item></channel></rss>"
    let bytes = Array(document.utf8)
    for size in [1, 3] {
      let chunks = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0...].prefix(size)) }
      #expect(try ParsedFeed.parse(chunks: chunks).items == ParsedFeed.parse(bytes).items)
    }
    return try ParsedFeed.parse(bytes)
  }

  @Test(
    arguments: [
      ("&#146;", "\u{2019}"), ("&#x96;", "\u{2013}"), ("&#133;", "\u{2026}"), ("&#128;", "\u{20AC}"),
      ("&#233;", "é"), ("&#194;&#180;", "Â´"), ("&rsquor;", "\u{2019}"), ("&Acy;", "А"), ("&NewLine;", ""),
      ("&CounterClockwiseContourIntegral;", "∳"), ("&NotEqualTilde;", "≂̸"), ("&nvlt;", "<⃒"), ("&Afr;", "𝔄"),
      ("&nosuchname;", "&nosuchname;"), ("&b.alpha;", "&b.alpha;"), ("&hellip;", "…"), ("&there4;", "∴"),
    ], [false, true])
  func `a reference is decoded everywhere`(
    reference: (text: String, character: String), isDamaged: Bool
  ) throws {
    let expected = "x\(reference.character)y"
    let feed = try feed("x\(reference.text)y", isDamaged: isDamaged)
    let item = try #require(feed.items.first)
    if reference.text != "&NewLine;", reference.text != "&nvlt;" {
      #expect(feed.details.title == expected)
      #expect(item.title == expected)
      #expect(item.authors.first?.name == expected)
      #expect(item.tags == [expected])
      #expect(item.contentHTML == expected)
      #expect(item.attachments.first?.mimeType == expected)
    }
    if reference.text.contains("nosuch") { return }
    #expect(feed.details.isRecovered == (isDamaged || reference.character.hasPrefix("&")))
  }

  @Test(arguments: [
    ("&amp;rsquor;", "\u{2019}"), ("&amp;NotEqualTilde;", "≂̸"), ("&amp;Acy;&amp;nGt;", "А≫⃒"),
    ("a&amp;NewLine;b", "a b"), ("&amp;copy x", "&copy x"), ("&amp;nosuch;", "&nosuch;"),
  ])
  func `names are known in titles with HTML too`(text: String, expected: String) throws {
    let document = "<rss><channel><item><title>\(text)</title></item></channel></rss>"
    #expect(try ParsedFeed.parse(Array(document.utf8)).items.first?.title == expected)
  }

  @Test func `a number in a declared entity is read like any other`() throws {
    let document =
      #"<!DOCTYPE rss [<!ENTITY q "&#146;">]><rss><channel><title>x&q;y</title></channel></rss>"#
    #expect(try ParsedFeed.parse(Array(document.utf8)).details.title == "x\u{2019}y")
  }

  @Test func `an escape of JSON for a C1 control is a character of windows-1252`() throws {
    let document =
      #"{"version":"https://jsonfeed.org/version/1.1","title":"x\u0092y","items":[{"id":"\u0096","title":"\u0081"}]}"#
    let feed = try ParsedFeed.parse(Array(document.utf8))
    #expect(feed.details.title == "x\u{2019}y")
    #expect(feed.items.map(\.id) == ["\u{2013}"])
  }
}
