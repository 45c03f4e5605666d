import FeedParsing
import TestSupport
import Testing

/// Documents in another encoding than their labels declare.
@Suite struct MislabelledTests {
  private func document(declaring name: String?, title: [UInt8], items: Int = 2) -> [UInt8] {
    let declaration = name.map { #"<?xml version="1.0" encoding="\#($0)"?>"# } ?? ""
    let end = (0..<items).map { "<item><guid>\($0)</guid></item>" }.joined()
    return Array("\(declaration)<rss><channel><title>".utf8) + title
      + Array("</title>\(end)</channel></rss>".utf8)
  }

  /// Parses the document in chunks of several sizes: the result must be the same.
  private func parse(_ bytes: [UInt8], type: String? = nil) throws -> ParsedFeed {
    let source = DocumentSource(contentType: type)
    let whole = try ParsedFeed.parse(bytes, source: source)
    for size in [1, 2, 3, 7, 64] {
      let chunks = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0...].prefix(size)) }
      let other = try ParsedFeed.parse(chunks: chunks, source: source)
      #expect(other.details == whole.details)
      #expect(other.items == whole.items)
    }
    return whole
  }

  @Test(
    arguments: ["shift_jis", "euc-jp", "gb2312", "gbk", "gb18030", "euc-kr", "big5"],
    ["中文", "ニュース", "Größe für Zürich ändern", "news — “it’s”", "🎉"])
  func `UTF-8 that is declared as an encoding of East Asia is read as UTF-8`(name: String, title: String)
    throws
  {
    let feed = try parse(document(declaring: name, title: Array(title.utf8)))
    #expect(feed.details.title == title)
    #expect(feed.details.encoding == "utf-8")
    #expect(feed.details.isRecovered)
    #expect(feed.items.count == 2)
  }

  @Test(
    arguments: ["iso-8859-1", "windows-1251", "koi8-r", "iso-8859-9", "macintosh"],
    ["Grüße für", "Привет", "it’s", "日本"])
  func `UTF-8 that is labelled with a code page is read as UTF-8`(name: String, title: String) throws {
    for (declaration, type) in [(name, nil), (nil, "text/xml; charset=\(name)")] {
      let feed = try parse(document(declaring: declaration, title: Array(title.utf8)), type: type)
      #expect(feed.details.title == title)
      #expect(feed.details.encoding == "utf-8")
      #expect(feed.details.isRecovered)
    }
  }

  @Test func `one letter of two bytes is not proof, unless a label declares UTF-8`() throws {
    let title = Array("é".utf8)
    let declared = try parse(document(declaring: "iso-8859-1", title: title))
    #expect(declared.details.title == "Ã©")
    #expect(declared.details.encoding == "windows-1252")
    #expect(!declared.details.isRecovered)
    let both = try parse(document(declaring: "utf-8", title: title), type: "text/xml; charset=iso-8859-1")
    #expect(both.details.title == "é")
    #expect(both.details.encoding == "utf-8")
    #expect(both.details.isRecovered)
  }

  @Test(
    arguments: [
      ("gb2312", [0xD6, 0xD0, 0xB9, 0xFA], "中国"), ("gbk", [0xC1, 0xAA, 0xCD, 0xA8], "联通"),
      ("shift_jis", [0x83, 0x6A, 0x83, 0x85], "ニュ"), ("euc-jp", [0xC6, 0xFC, 0xCB, 0xDC], "日本"),
      ("euc-kr", [0xC7, 0xD1, 0xB1, 0xB9], "한국"), ("big5", [0xA4, 0xA4, 0xA4, 0xE5], "中文"),
      ("windows-1252", [0xC9, 0xBB], "É»"), ("windows-1251", [0xCF, 0xF0, 0xC2, 0xBB], "ПрВ»"),
      ("gbk", [0xCD, 0xA8, 0xD6, 0xD0], "通中"),
    ] as [(String, [UInt8], String)])
  func `text that is not certainly UTF-8 is read as declared`(
    name: String, bytes: [UInt8], title: String
  ) throws {
    let feed = try parse(document(declaring: name, title: bytes))
    #expect(feed.details.title == title)
    #expect(!feed.details.isRecovered)
    #expect(feed.items.count == 2)
  }

  @Test func `one bad byte in much UTF-8 does not damage the rest, whatever is declared`() throws {
    let title = Array("Größe für Zürich, ähnlich öde Öfen für ".utf8) + [0xE9] + Array(" für".utf8)
    for type in [nil, "text/xml; charset=utf-8"] {
      let feed = try parse(document(declaring: "windows-1251", title: title), type: type)
      #expect(feed.details.title == "Größe für Zürich, ähnlich öde Öfen für é für")
      #expect(feed.details.encoding == "utf-8")
    }
  }

  @Test func `text in doubt waits for at most a few kilobytes`() throws {
    let parser = FeedParser(source: DocumentSource(contentType: "text/xml; charset=iso-8859-1"))
    try parser.push(Array("<rss><channel><title>é</title>".utf8))
    for number in 0..<2000 { try parser.push(Array("<item><guid>\(number)</guid></item>".utf8)) }
    #expect(parser.takeItems().items.count > 1000)
  }

  @Test(
    arguments: [
      ([0x63, 0xE9], "cé", "windows-1252"), ([0xC3, 0xA9, 0x20, 0xE9], "é é", "utf-8"),
      ([0xE9, 0x20, 0xC3, 0xA9], "é é", "utf-8"), ([0x61], "a", "utf-8"),
    ] as [([UInt8], String, String)], [nil, "utf-8"])
  func `the reported encoding is the one that was used`(_ title: ([UInt8], String, String), declared: String?)
    throws
  {
    let feed = try parse(document(declaring: declared, title: title.0))
    #expect(feed.details.title == title.1)
    #expect(feed.details.encoding == title.2)
  }

  @Test(arguments: [
    "</title>", "<b>x</b></title>", "]]></title>", "]]>\n </title>", "x</title>", "&lt;p&gt;</title>",
  ])
  func `an escape of ISO-2022-JP that is never ended does not swallow the items`(end: String) throws {
    var bytes = Array(#"<?xml version="1.0" encoding="iso-2022-jp"?><rss><channel><title>"#.utf8)
    if end.hasPrefix("]]>") { bytes += Array("<![CDATA[".utf8) }
    bytes += [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C] + Array(end.utf8)
    bytes += Array("<item><guid>0</guid><title>".utf8)
    bytes += [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42] + Array("</title></item>".utf8)
    bytes += Array("<item><guid>1</guid></item></channel></rss>".utf8)
    let feed = try parse(bytes)
    #expect(feed.details.title?.hasPrefix("日本") == true)
    #expect(feed.items.map(\.id) == ["0", "1"])
    #expect(feed.items.first?.title == "日")
    #expect(feed.details.isRecovered)
    #expect(feed.details.encoding == "iso-2022-jp")
  }

  @Test func `complete escapes of ISO-2022 are not damage`() throws {
    let japanese: [UInt8] = [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42]
    let feed = try parse(document(declaring: "iso-2022-jp", title: japanese + [0x61] + japanese))
    #expect(feed.details.title == "日本a日本")
    #expect(!feed.details.isRecovered)
    let korean = try parse(
      Array(#"<?xml version="1.0" encoding="iso-2022-kr"?>"#.utf8) + [0x1B, 0x24, 0x29, 0x43]
        + document(declaring: nil, title: [0x0E, 0x47, 0x51, 0x0F]))
    #expect(korean.details.title == "한")
  }

  @Test(arguments: seeds(60 as UInt64))
  func `the encoding is the same however bytes of any kind are cut into chunks`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let names = ["iso-8859-1", "shift_jis", "gbk", "utf-8", "iso-2022-jp", "windows-1251", "nobody"]
    let words: [[UInt8]] = [
      Array("é".utf8), Array("日".utf8), Array("🎉".utf8), Array(" a ".utf8), [0xE9], [0xC3], [0x93, 0xFA],
      [0x1B, 0x24, 0x42], [0x1B, 0x28, 0x42], [0xC2, 0x93], Array("</title>".utf8), [0x0E], [0xED, 0xA0],
      Array(repeating: 0x61, count: 5000), Array("<title>".utf8),
    ]
    var title: [UInt8] = []
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      title += words.randomElement(using: &random) ?? []
    }
    let charset = names.randomElement(using: &random).map { "text/xml; charset=\($0)" }
    let bytes = document(declaring: names.randomElement(using: &random), title: title)
    _ = try parse(bytes, type: Bool.random(using: &random) ? charset : nil)
  }
}
