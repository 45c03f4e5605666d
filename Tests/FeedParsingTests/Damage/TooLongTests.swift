import FeedParsing
import Testing

/// A part that is too long is lost, but nothing after it.
@Suite struct TooLongTests {
  private static let next = "<item><title>N</title></item>"

  @Test(arguments: [1000, 9000, 100_000])
  func `the attributes within the limit of a tag that is too long are read`(length: Int) throws {
    var limits = ParserLimits()
    limits.tagBytes = 9000
    let feed = try parse(
      "<item><title>T</title><enclosure type='audio/mpeg' url='http://e.org/1' data='\(letters(length))'/>"
        + "<guid>g</guid></item>\(Self.next)", limits)
    #expect(feed.items.map(\.title) == ["T", "N"])
    #expect(feed.items.first?.attachments.map(\.url) == ["http://e.org/1"])
    #expect(feed.items.first?.attachments.map(\.mimeType) == ["audio/mpeg"])
    #expect(feed.items.first?.id == "g")
    #expect(feed.details.isRecovered == (length > 10_000))
  }

  @Test(arguments: ["'", "\"", ""])
  func `an item with a tag that is too long is kept`(quote: String) throws {
    var limits = ParserLimits()
    limits.tagBytes = 9000
    let tag = "<item a=\(quote)\(letters(100_000))\(quote) b='c'>"
    let feed = try parse(
      "\(Self.next)\(tag)<title>T</title><link>http://e.org/1</link></item>\(Self.next)", limits)
    #expect(feed.items.map(\.title) == ["N", "T", "N"])
    #expect(feed.details.homePageURL == nil)
    #expect(feed.details.isRecovered)
  }

  @Test func `a picture in an address that is too long is left out, its item is kept`() throws {
    let feed = try ParsedFeed.parse(
      Array(
        ("<rss><channel><item><title>T</title><enclosure url='data:image/png;base64,\(letters(3 << 20))'/></item>"
          + "\(Self.next)</channel></rss>").utf8))
    #expect(feed.items.map(\.title) == ["T", "N"])
    #expect(feed.items.first?.attachments.isEmpty == true)
  }

  @Test(arguments: [
    "<p><title>F</title>", "<title>F</title><description>x", "<title>F</title><image><url>u</url>",
  ])
  func `an unclosed element of the feed loses none of many items`(start: String) throws {
    var limits = ParserLimits()
    limits.replayBytes = 20_000
    let items = (0..<1000).map {
      "<item><title>\($0)</title><description>\(letters(100))</description></item>"
    }
    let feed = try parse(start + items.joined(), limits)
    #expect(feed.items.map(\.title) == (0..<1000).map(String.init))
    #expect(feed.details.title == "F")
    #expect(feed.details.isRecovered)
  }

  @Test(arguments: ["<b></c>", "<b>", "&"])
  func `a damaged item that is too long to be read again loses no other`(damage: String) throws {
    var limits = ParserLimits()
    limits.replayBytes = 1000
    let content =
      "<title>L</title><foo>\(String(repeating: "<q/>", count: 30_000))\(damage)</foo><link>http://e.org/L</link>"
    let feed = try parse(
      "\(Self.next)<item>\(content)</item>\(Self.next)<item><title>M</title></item>", limits)
    #expect(feed.items.map(\.title) == ["N", "N", "M"])
    #expect(feed.details.homePageURL == nil)
    #expect(feed.details.isRecovered)
    #expect(try parse("<item>\(content)</item>", .standard).items.map(\.title) == ["L"])
  }

  @Test(arguments: ["", "-", " - ", "\n"], [2900, 15_990, 40_000])
  func `a long comment is not damage, and its content is ignored`(end: String, length: Int) throws {
    var limits = ParserLimits()
    limits.tagBytes = 3000
    let inside = String(repeating: " > <item><title>x</title></item> - ", count: length / 34)
    let feed = try parse(
      "\(Self.next)<!--\(inside)\(end) -->\(Self.next)<!-- \(inside)-->\(Self.next)", limits)
    #expect(feed.items.map(\.title) == ["N", "N", "N"])
    #expect(feed.details.isRecovered == false)
  }

  @Test(arguments: 15_900...15_990)
  func `the end of a long comment may be cut anywhere`(length: Int) throws {
    var limits = ParserLimits()
    limits.tagBytes = 3000
    let feed = try parse("<!--\(letters(length))-->\(Self.next)", limits, sizes: [16_000])
    #expect(feed.items.map(\.title) == ["N"])
    #expect(!feed.details.isRecovered)
  }

  @Test func `text after an unclosed comment is kept`() throws {
    var limits = ParserLimits()
    limits.tagBytes = 3000
    let feed = try parse("\(Self.next)<!-- x \(String(repeating: Self.next, count: 1000))", limits)
    #expect(feed.items.count > 900)
    #expect(feed.details.isRecovered)
  }

  @Test func `a long complete item is not damage`() throws {
    var limits = ParserLimits()
    limits.replayBytes = 1000
    let feed = try parse("<item><title>T</title><foo>\(letters(100_000))</foo></item>", limits)
    #expect(feed.items.map(\.title) == ["T"])
    #expect(!feed.details.isRecovered)
  }

  private func parse(_ content: String, _ limits: ParserLimits, sizes: [Int] = [100, 5000]) throws
    -> ParsedFeed
  {
    let bytes = Array("<rss><channel>\(content)</channel></rss>".utf8)
    let feed = try ParsedFeed.parse(bytes, limits: limits)
    for size in sizes {
      let chunks = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0...].prefix(size)) }
      let other = try ParsedFeed.parse(chunks: chunks, limits: limits)
      #expect(other.items == feed.items)
      #expect(other.details.isRecovered == feed.details.isRecovered)
    }
    return feed
  }

  private func letters(_ count: Int) -> String { String(repeating: "x", count: count) }
}
