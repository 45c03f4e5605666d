import FeedParsing
import Foundation
import Testing

struct EncodingTests {
  @Test(arguments: [
    ("utf-8", "Grüße, 日本, 🎈", String.Encoding.utf8), ("iso-8859-1", "Grüße", .isoLatin1),
    ("windows-1252", "“Grüße” – €", .windowsCP1252), ("windows-1251", "Привет", .windowsCP1251),
    ("iso-8859-2", "Łódź", .isoLatin2), ("shift_jis", "日本", .shiftJIS),
    ("utf-16", "Łódź 日本", .utf16), ("utf-16", "Łódź", .utf16LittleEndian),
    ("utf-16", "Łódź", .utf16BigEndian),
    ("utf-32", "Łódź", .utf32), ("UTF-8", "é", .utf8),
  ])
  func `a document is read in the encoding that it declares`(
    name: String, title: String, encoding: String.Encoding
  )
    throws
  {
    let text =
      #"<?xml version="1.0" encoding="\#(name)"?><rss><channel><title>\#(title)</title></channel></rss>"#
    let bytes = Array(try #require(text.data(using: encoding)))
    for size in [1, 2, 5, bytes.count] {
      let chunks = stride(from: 0, to: bytes.count, by: size).map {
        Array(bytes[$0..<min($0 + size, bytes.count)])
      }
      let feed = try ParsedFeed.parse(chunks: chunks)
      #expect(feed.details.title == title)
      #expect(!feed.details.isRecovered)
    }
  }

  @Test(arguments: [true, false], [0xDC00, 0xD800] as [UInt16])
  func `half a character in UTF-16 does not damage the rest`(isBig: Bool, half: UInt16) throws {
    let start = Array("\u{FEFF}<rss><channel><title>a ".utf16)
    let end = Array(" b</title><item><title>Größe</title></item></channel></rss>".utf16)
    let bytes = (start + [half] + end).flatMap { unit in
      let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
      return isBig ? pair : pair.reversed()
    }
    for size in [1, 3, bytes.count] {
      let chunks = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0...].prefix(size)) }
      let feed = try ParsedFeed.parse(chunks: chunks)
      #expect(feed.details.title == "a \u{FFFD} b")
      #expect(feed.items.map(\.title) == ["Größe"])
      #expect(feed.details.isRecovered)
    }
  }

  @Test(
    arguments: [
      ("windows_1251", [0xCF, 0xF0], "Пр"), ("win-1251", [0xCF, 0xF0], "Пр"),
      ("x-cp1251", [0xCF, 0xF0], "Пр"),
      (" Windows-1251 ", [0xCF, 0xF0], "Пр"), ("dos-866", [0x8F, 0xE0], "Пр"),
      ("x-mac-cyrillic", [0x8F, 0xF0], "Пр"),
      ("MacRoman", [0x8E], "é"), ("MacCentralEurope", [0x8B], "č"), ("maciceland", [0x8E], "é"),
      ("csIBM861", [0x82], "é"), ("iso-8859-8-i", [0xF9], "ש"), ("visual", [0xF9], "ש"),
      ("ks_c_5601-1989", [0xC7, 0xD1], "한"), ("korean", [0xC7, 0xD1], "한"), ("ms949", [0x8C, 0x63], "똠"),
      ("chinese", [0xD6, 0xD0], "中"), ("gb-2312", [0xD6, 0xD0], "中"), ("gb_18030", [0xD6, 0xD0], "中"),
      ("shiftjis", [0x93, 0xFA], "日"), ("eucjp", [0xC6, 0xFC], "日"), ("latin-9", [0xA4], "€"),
      ("kz-1048", [0xBA], "ғ"), ("PTCP154", [0x84], "„"), ("cp819", [0x80], "€"), ("us", [0xC3, 0xA9], "é"),
      ("csGBK", [0xD6, 0xD0], "中"), ("csBig5", [0xA4, 0xA4], "中"), ("iso-ir-149", [0xC7, 0xD1], "한"),
      ("csWindows1251", [0xCF, 0xF0], "Пр"), ("koi", [0xD0, 0xD2], "пр"), ("IBM00858", [0xD5], "€"),
      ("unicode11utf8", [0xC3, 0xA9], "é"), ("iso-8859-6-e", [0xC8], "ب"),
    ] as [(String, [UInt8], String)])
  func `an encoding is known by its usual names`(name: String, bytes: [UInt8], title: String)
    throws
  {
    #expect(try ParsedFeed.parse(document(declaring: name, title: bytes)).details.title == title)
    let type = DocumentSource(contentType: "text/xml; charset=\(name)")
    #expect(
      try ParsedFeed.parse(document(declaring: "utf-8", title: bytes), source: type).details.title == title)
  }

  @Test(arguments: [
    #"<?xml version="1.0" ENCODING="windows-1251"?>"#, #"<?XML VERSION="1.0" encoding='windows-1251'?>"#,
    "<?xml version=1.0 encoding=windows-1251?>", "<?xml encoding = windows-1251 version=1.0 ?>",
    "<?xml encoding=windows-1251>",
  ])
  func `a misspelt declaration still names the encoding`(declaration: String) throws {
    let bytes = Array("\(declaration)<rss><channel><title>".utf8) + [0xCF, 0xF0, 0xE8]
    let feed = try ParsedFeed.parse(bytes + Array("</title></channel></rss>".utf8))
    #expect(feed.details.title == "При")
  }

  @Test(arguments: [
    "text/xml;charset=windows-1251", "text/xml; CharSet = \"windows-1251\"; x=y",
    "text/xml, charset=windows-1251",
    "text/xml charset=windows-1251", "charset=windows-1251", "text/xml; charset: windows-1251",
  ])
  func `the charset is found in a Content-Type of any form`(type: String) throws {
    let bytes = document(declaring: "utf-8", title: [0xCF, 0xF0, 0xE8])
    #expect(try ParsedFeed.parse(bytes, source: DocumentSource(contentType: type)).details.title == "При")
  }

  @Test(arguments: [
    "<?XML version='1.0' encoding='windows-1251'?>", "\n<?\0\0xml version='1.0' encoding='windows-1251'?>",
    "Warning: 1 > 0 <?xml version='1.0' encoding='windows-1251'?>",
  ])
  func `the encoding is the same however the declaration is cut`(declaration: String) throws {
    let bytes = Array("\(declaration)<rss><channel><title>".utf8) + [0xCF, 0xF0, 0xE8]
    let document = bytes + Array("</title></channel></rss>".utf8)
    for size in [1, 2, 7, document.count] {
      let chunks = stride(from: 0, to: document.count, by: size).map { Array(document[$0...].prefix(size)) }
      #expect(try ParsedFeed.parse(chunks: chunks).details.title == "При")
    }
  }

  @Test func `the charset of the Content-Type takes precedence over the declaration`() throws {
    let bytes = document(declaring: "utf-8", title: [0xCF, 0xF0, 0xE8])
    let feed = try ParsedFeed.parse(
      bytes, source: DocumentSource(contentType: "text/xml; charset=windows-1251"))
    #expect(feed.details.title == "При")
    #expect(feed.details.encoding == "windows-1251")
  }

  @Test func `the declaration is used if the Content-Type is wrong`() throws {
    let bytes = document(declaring: "windows-1251", title: [0xCF, 0xF0, 0xE8])
    let feed = try ParsedFeed.parse(bytes, source: DocumentSource(contentType: "text/xml; charset=UTF-8"))
    #expect(feed.details.title == "При")
    #expect(feed.details.isRecovered)
  }

  @Test(arguments: [1, 7, 64, 1000])
  func `text after the point where the encoding turns out wrong is read once`(size: Int) throws {
    var bytes = Array(#"<?xml version="1.0" encoding="windows-1251"?><rss><channel><title>t</title>"#.utf8)
    for number in 0..<50 {
      bytes += Array("<item><guid>\(number)</guid><title>".utf8) + [0xCF] + Array("</title></item>".utf8)
    }
    let chunks = stride(from: 0, to: bytes.count, by: size).map {
      Array(bytes[$0..<min($0 + size, bytes.count)])
    }
    let feed = try ParsedFeed.parse(
      chunks: chunks, source: DocumentSource(contentType: "text/xml; charset=UTF-8"))
    #expect(feed.items.map(\.id) == (0..<50).map { "\($0)" })
  }

  @Test(arguments: ["x-nobody-knows", "utf-7", "UTF7", "unicode-1-1-utf-7", "hz-gb-2312", "wchar_t"])
  func `a document in an unknown or refused encoding is read as UTF-8`(name: String) throws {
    let title = Array("é +ADw-b+AD4- ~{<:Ky2;~}".utf8.filter { $0 != UInt8(ascii: "<") })
    let feed = try ParsedFeed.parse(document(declaring: name, title: title))
    #expect(feed.details.title == String(decoding: title, as: UTF8.self))
    #expect(feed.details.encoding == "utf-8")
    #expect(feed.details.isRecovered)
    let type = DocumentSource(contentType: "text/xml; charset=\(name)")
    #expect(type.unknownCharset == name)
    let other = try ParsedFeed.parse(document(declaring: "utf-8", title: title), source: type)
    #expect(other.details.title == feed.details.title)
    #expect(other.details.isRecovered)
  }

  @Test(arguments: ["ucs-2", "ucs4", "unicode", "utf-16", "ibm500", "cp1047"])
  func `an encoding in which the declaration could not be read is not that of the document`(name: String)
    throws
  {
    let feed = try ParsedFeed.parse(document(declaring: name, title: Array("é".utf8)))
    #expect(feed.details.title == "é")
    #expect(feed.details.encoding == "utf-8")
    #expect(feed.details.isRecovered)
  }

  @Test(arguments: [nil, "text/xml", "text/xml; charset=", "text/xml; charset=utf8", "charset=koi8-r"])
  func `a known or missing charset is not reported as unknown`(type: String?) {
    #expect(DocumentSource(contentType: type).unknownCharset == nil)
  }

  @Test(
    arguments: [
      ([0x69, 0x74, 0x92, 0x73], "it’s"), ([0x61, 0xC3], "aÃ"), ([0xE2, 0x82, 0x41], "â‚A"),
      ([0x61, 0x08, 0x62], "ab"),
      ([0xC2, 0x93, 0x61], "“a"), ([0xED, 0xA0, 0x80, 0x61], "\u{FFFD}a"),
      ([0x61, 0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80, 0x62], "a😀b"),
      ([0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x61], "\u{FFFD}í¸a"),
      ([0xED, 0xB8, 0x80, 0xED, 0xA0, 0xBD, 0x61], "\u{FFFD}\u{FFFD}a"),
      ([0xEF, 0xBF, 0xBF, 0x61], "\u{FFFD}a"),
      ([0xC0, 0xAF], "À¯"), ([0xF5, 0x80, 0x80, 0x80], "õ€€€"), ([0x00, 0x61], "a"),
    ] as [([UInt8], String)])
  func `bytes that are not UTF-8 are repaired, and the rest is kept`(bytes: [UInt8], expected: String) throws
  {
    let document = document(declaring: "utf-8", title: bytes)
    let feed = try ParsedFeed.parse(document)
    #expect(feed.details.title == expected)
    for size in [1, 2, 3, 4, 5] {
      let chunks = stride(from: 0, to: document.count, by: size).map { Array(document[$0...].prefix(size)) }
      #expect(try ParsedFeed.parse(chunks: chunks).details.title == expected)
    }
  }

  @Test(
    arguments: [
      ("iso-8859-1", "\u{FEFF}", .utf8, true), ("utf-8", "\u{FEFF}", .utf8, false),
      ("utf-8", "\u{FEFF}", .utf16LittleEndian, true), ("windows-1251", "", .utf16LittleEndian, true),
      ("utf-16", "", .utf16LittleEndian, false), ("utf-16be", "\u{FEFF}", .utf16BigEndian, false),
    ] as [(String, String, String.Encoding, Bool)])
  func `a label that contradicts the byte order mark or wide characters is ignored`(
    name: String, mark: String, encoding: String.Encoding, isWrong: Bool
  ) throws {
    let text =
      mark + #"<?xml version="1.0" encoding="\#(name)"?><rss><channel><title>é</title></channel></rss>"#
    let feed = try ParsedFeed.parse(Array(try #require(text.data(using: encoding))))
    #expect(feed.details.title == "é")
    #expect(feed.details.isRecovered == isWrong)
  }

  private func document(declaring name: String, title: [UInt8]) -> [UInt8] {
    Array(#"<?xml version="1.0" encoding="\#(name)"?><rss><channel><title>"#.utf8) + title
      + Array("</title></channel></rss>".utf8)
  }
}
