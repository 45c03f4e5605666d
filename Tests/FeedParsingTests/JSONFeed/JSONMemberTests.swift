import FeedParsing
import Testing

/// The members of a JSON Feed, as the specification defines them and as publishers write them.
@Suite struct JSONMemberTests {
  private static let start = #"{"version":"https://jsonfeed.org/version/1.1","title":"t","#

  private func feed(_ members: String) throws -> ParsedFeed {
    try ParsedFeed.parse(Array((Self.start + members + "}").utf8))
  }

  private func item(_ members: String) throws -> FeedItem {
    try #require(try feed("\"items\":[{\"id\":\"1\",\(members)}]").items.first)
  }

  /// Returns the printed line.
  private func line(_ members: String) throws -> String {
    let parser = FeedParser(source: DocumentSource())
    try parser.push(Array((Self.start + members + "}").utf8))
    var line = JSONFeedLine()
    let details = try parser.finish()
    line.append(parser.takeItems())
    return String(decoding: line.finish(details), as: UTF8.self)
  }

  @Test func `content is kept in both forms`() throws {
    let both = try item(#""content_html":"<p>a","content_text":"a""#)
    #expect(both.contentHTML == "<p>a" && both.contentText == "a")
    #expect(
      try line(#""items":[{"id":"1","content_text":"a","content_html":"<p>a"}]"#)
        .contains(#""content_html":"<p>a","content_text":"a""#))
    let text = try item(#""content_text":"a""#)
    #expect(text.contentHTML == nil && text.contentText == "a")
  }

  @Test func `the members of the feed that other formats lack are kept`() throws {
    let members = #""user_comment":"for readers","expired":true,"icon":"https://e/i","favicon":"https://e/f""#
    let details = try feed(members).details
    #expect(details.userComment == "for readers" && details.isExpired)
    #expect(details.icon == "https://e/i" && details.favicon == "https://e/f")
    #expect(
      try line(members + #","items":[]"#)
        .contains(#""favicon":"https://e/f","user_comment":"for readers","expired":true"#))
    #expect(try feed(#""favicon":"https://e/f","expired":false"#).details.icon == "https://e/f")
    #expect(try !feed(#""expired":false"#).details.isExpired)
  }

  @Test func `an avatar belongs to its author`() throws {
    let authors = #""authors":[{"name":"Ann","avatar":"https://e/a.png"}]"#
    #expect(try item(authors).authors.map(\.avatar) == ["https://e/a.png"])
    let inherited = try feed(#"\#(authors),"items":[{"id":"1"}]"#)
    #expect(inherited.details.authors.map(\.avatar) == ["https://e/a.png"])
    #expect(inherited.items.first?.authors == inherited.details.authors)
    #expect(
      try line("\(authors),\"items\":[]").contains(#"[{"name":"Ann","avatar":"https://e/a.png"}]"#))
  }

  @Test func `an author may have only an avatar`() throws {
    let authors = try item(#""authors":[{"avatar":"https://e/a.png"},{},{"url":"https://e/u"}]"#).authors
    #expect(authors.map(\.avatar) == ["https://e/a.png", nil] && authors.map(\.url) == [nil, "https://e/u"])
  }

  @Test func `a banner is kept in addition to another picture`() throws {
    let both = try item(#""banner_image":"https://e/b","image":"https://e/i""#)
    #expect(both.image == "https://e/i" && both.members["banner_image"] == #""https://e/b""#)
    let banner = try item(#""banner_image":"https://e/b""#)
    #expect(banner.image == "https://e/b" && banner.members.isEmpty)
    #expect(
      try line(#""items":[{"id":"1","image":"https://e/i","banner_image":"https://e/b"}]"#)
        .contains(#""_newsimport":{"banner_image":"https://e/b"}"#))
  }

  @Test func `a value in place of a list is a list of one`() throws {
    let item = try item(
      #""tags":"a, b","authors":{"name":"Ann"},"author":"Bo","attachments":{"url":"https://e/x"}"#)
    #expect(item.tags == ["a, b"])
    #expect(item.authors.map(\.name) == ["Bo", "Ann"])
    #expect(item.attachments.map(\.url) == ["https://e/x"])
    let details = try feed(#""authors":"Ann","author":[{"name":"Bo"}],"hubs":{"url":"https://e/h"}"#).details
    #expect(details.authors.map(\.name) == ["Bo", "Ann"])
    #expect(details.hubs == ["https://e/h"])
  }

  @Test(arguments: [
    (#""author":{"name":"Ann"},"authors":[{"name":"Ann","url":"https://a/"}]"#, ["Ann https://a/"]),
    (#""authors":[{"name":"Ann","url":"https://a/"}],"author":{"name":"Ann"}"#, ["Ann https://a/"]),
    (#""author":{"url":"https://a/"},"authors":[{"name":"Ann","url":"https://a/"}]"#, ["Ann https://a/"]),
    (#""author":{"name":"Bo"},"authors":[{"name":"Ann"},{"name":"Cy"}]"#, ["Bo ", "Ann ", "Cy "]),
    (#""author":{"name":"Ann","url":"https://a/"},"authors":[]"#, ["Ann https://a/"]),
  ])
  func `the author of version 1.0 is not repeated beside authors`(members: String, expected: [String]) throws
  {
    func texts(_ authors: [FeedDetails.Author]) -> [String] {
      authors.map { "\($0.name ?? "") \($0.url ?? "")" }
    }
    #expect(texts(try item(members).authors) == expected)
    #expect(texts(try feed(members).details.authors) == expected)
  }

  @Test func `sizes and durations may be strings`() throws {
    let files = try item(
      """
      "attachments":[{"url":"https://e/1","size_in_bytes":"1,234","duration_in_seconds":"1:02"},
      {"url":"https://e/2","size_in_bytes":12.0,"duration_in_seconds":"61"},
      {"url":"https://e/3","size_in_bytes":"large","duration_in_seconds":-1}]
      """
    ).attachments
    #expect(files.map(\.size) == [1234, 12, nil])
    #expect(files.map(\.duration) == [62, 61, nil])
  }

  @Test(arguments: [#""""#, #""  \n""#, "null"])
  func `blank values are ignored`(blank: String) throws {
    let item = try item(
      #""summary":\#(blank),"content_html":\#(blank),"content_text":"x","title":\#(blank),"language":\#(blank)"#
    )
    #expect(item.summary == nil && item.contentHTML == nil && item.contentText == "x")
    #expect(item.title == nil && item.language == nil)
  }

  @Test func `a mail address in place of a page is an email`() throws {
    let authors =
      #""authors":[{"name":"Ann","url":"mailto:ann@example.org?subject=x"},{"url":"MAILTO:b@e.org"}]"#
    let expected = [
      FeedDetails.Author(name: "Ann", email: "ann@example.org"), FeedDetails.Author(email: "b@e.org"),
    ]
    #expect(try item(authors).authors == expected)
    #expect(try feed(authors).details.authors == expected)
    #expect(
      try item(#""author":{"url":"mailto:a@e.org","email":"b@e.org"}"#).authors.map(\.email) == ["b@e.org"])
  }

  @Test func `the last of two members with one name counts, unless it is null`() throws {
    let item = try item(#""title":"a","title":"b","url":"https://e/1","url":null"#)
    #expect(item.title == "b" && item.url == "https://e/1")
    #expect(try feed(#""title":"u","title":null,"description":"a","description":"b""#).details.title == "u")
  }

  @Test func `a character that a text cannot contain is replaced`() throws {
    let item = try item(#""title":"a\u0000b","summary":"\ud800x \udc00","content_text":"\ud83d\ude80""#)
    #expect(item.title == "a b")
    #expect(item.summary == "\u{FFFD}x \u{FFFD}")
    #expect(item.contentText == "🚀")
  }

  @Test func `JSON that is not UTF-8 is in the charset of the Content-Type, else windows-1252`() throws {
    let bytes =
      Array((Self.start + #""items":[{"id":"1","title":""#).utf8) + [0xCF, 0xF0, 0xE8]
      + Array(#""},{"id":"2"}]}"#.utf8)
    for (type, title, encoding) in [
      ("application/json; charset=windows-1251", "При", "windows-1251"),
      ("application/json; charset=utf-8", "Ïðè", "windows-1252"), ("application/json", "Ïðè", "windows-1252"),
      ("application/json; charset=nobody", "Ïðè", "windows-1252"),
    ] {
      for size in [1, 3, 1000] {
        let chunks = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0...].prefix(size)) }
        let feed = try ParsedFeed.parse(chunks: chunks, source: DocumentSource(contentType: type))
        #expect(feed.items.map(\.title) == [title, nil])
        #expect(feed.details.encoding == encoding)
        #expect(feed.details.isRecovered)
      }
    }
  }

  @Test func `the charset of JSON in UTF-8 is ignored`() throws {
    let bytes = Array((Self.start + #""items":[{"id":"1","title":"é"}]}"#).utf8)
    for charset in ["iso-8859-1", "shift_jis", "nobody", "utf-16"] {
      let source = DocumentSource(contentType: "application/feed+json; charset=\(charset)")
      let feed = try ParsedFeed.parse(bytes, source: source)
      #expect(feed.items.map(\.title) == ["é"])
      #expect(feed.details.encoding == "utf-8")
      #expect(!feed.details.isRecovered)
    }
  }
}
