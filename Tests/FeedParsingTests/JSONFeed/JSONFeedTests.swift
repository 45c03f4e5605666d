import FeedParsing
import Testing

@Suite struct JSONFeedTests {
  private static let start = #"{"version":"https://jsonfeed.org/version/1.1","title":"t","#

  private func parse(_ document: String, limits: ParserLimits = .standard) throws -> ParsedFeed {
    try ParsedFeed.parse(Array(document.utf8), limits: limits)
  }

  /// A feed of these items.
  private func feed(_ items: String) throws -> ParsedFeed {
    try parse(Self.start + "\"items\":[" + items + "]}")
  }

  @Test func `an item is given out as soon as it ends`() throws {
    let parser = FeedParser(source: DocumentSource())
    try parser.push(Array((Self.start + #""items":[{"id":"1"},{"id":"2""#).utf8))
    #expect(parser.takeItems().items.count == 1)
    try parser.push(Array("}".utf8))
    #expect(parser.takeItems().items.count == 1)
    try parser.push(Array("]}".utf8))
    #expect(try parser.finish().title == "t")
    #expect(parser.takeItems().items.isEmpty)
  }

  @Test func `a feed of many items is parsed in little memory`() throws {
    let parser = FeedParser(source: DocumentSource())
    try parser.push(Array((Self.start + #""_unknown":""#).utf8))
    var largest = 0
    for _ in 0..<1000 {
      try parser.push(Array(repeating: UInt8(ascii: "x"), count: 1000))
      largest = max(largest, parser.pendingByteCount)
    }
    try parser.push(Array(#"","items":[{"id":"first"}"#.utf8))
    var count = 0
    for number in 0..<20_000 {
      try parser.push(Array(#",{"id":\#(number),"content_text":"Text of it"}"#.utf8))
      largest = max(largest, parser.pendingByteCount)
      if parser.pendingByteCount > 10_000 { count += parser.takeItems().items.count }
    }
    try parser.push(Array("]}".utf8))
    _ = try parser.finish()
    #expect(count + parser.takeItems().items.count == 20_001)
    #expect(largest < 11_000)
  }

  @Test func `items may come before the version of the feed`() throws {
    let items = #""items":[{"id":"1","url":"https://example.org/1"}]"#
    for end in [#""version":"https://jsonfeed.org/version/1""#, #""title":"t""#] {
      let parser = FeedParser(source: DocumentSource())
      try parser.push(Array("{\(items),".utf8))
      #expect(parser.takeItems().items.isEmpty)
      try parser.push(Array("\(end)}".utf8))
      #expect(try parser.finish().format == .json1)
      #expect(parser.takeItems().items.count == 1)
    }
    #expect(throws: FeedError.notAFeed(looksLike: "a JSON document, but no JSON Feed")) {
      try parse("{\(items)}")
    }
  }

  @Test func `an item has the authors and addresses of the feed before it`() throws {
    let author = #""authors":[{"name":"Ann"}]"#
    let home = #""home_page_url":"https://example.org/a/""#
    let items = #""items":[{"id":"1","url":"b"}]"#
    let before = try parse(Self.start + "\(author),\(home),\(items)}")
    #expect(before.items.first?.authors.map(\.name) == ["Ann"])
    #expect(before.items.first?.url == "https://example.org/a/b")
    let after = try parse(Self.start + "\(items),\(author),\(home)}")
    #expect(after.details.authors == before.details.authors)
    #expect(after.items.first?.authors.isEmpty == true)
    #expect(after.items.first?.url == "b")
  }

  @Test(arguments: [
    "[]", #"[{"id":"1"}]"#, "{}", #"{"a":1}"#, #"{"items":{}}"#, #"{"version":"2","items":[]}"#, " \n {",
    #"{"title":"t""#, "\u{FEFF}[1]",
  ])
  func `JSON that is not a JSON Feed is reported as such`(document: String) {
    #expect(throws: FeedError.notAFeed(looksLike: "a JSON document, but no JSON Feed")) {
      try parse(document)
    }
  }

  @Test(arguments: ["[1,", #"{"a":"#, #"{"items":[{"id":1},"#])
  func `JSON that is not a feed is refused early`(piece: String) throws {
    let parser = FeedParser(source: DocumentSource())
    let chunk = Array(String(repeating: piece, count: (64 << 10) / piece.utf8.count).utf8)
    var count = 0
    #expect(throws: FeedError.notAFeed(looksLike: "a JSON document, but no JSON Feed")) {
      for _ in 0..<100 {
        try parser.push(chunk)
        count += 1
      }
    }
    #expect(count < 10)
    #expect(parser.takeItems().items.isEmpty)
  }

  @Test(arguments: [1, 1000, 1 << 20])
  func `where the preamble ends does not depend on the chunks`(size: Int) throws {
    let space = String(repeating: " ", count: (512 << 10) - 1)
    for (spaces, isFeed) in [(space.dropLast(60), true), (space[...], false)] {
      let bytes = Array(("{" + spaces + Self.start.dropFirst() + "\"items\":[]}").utf8)
      let chunks = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0...].prefix(size)) }
      if isFeed {
        #expect(try ParsedFeed.parse(chunks: chunks).details.title == "t")
      } else {
        #expect(throws: FeedError.self) { try ParsedFeed.parse(chunks: chunks) }
      }
    }
  }

  @Test func `a long id is replaced by a hash of it, a number is one as it is written`() throws {
    let long = String(repeating: "x", count: 2000)
    let numbers = ["98765432109876543210", "1e3", "2.5", "-1", "1.0", String(repeating: "9", count: 50)]
    let items = ["\"\(long)\"", "\"\(long)y\""] + numbers
    let ids = try feed(items.map { "{\"id\":\($0)}" }.joined(separator: ",")).items.map(\.id)
    #expect(Set(ids).count == 8)
    #expect(ids.prefix(2).allSatisfy { $0?.utf8.count == 37 })
    #expect(ids.suffix(6).map { $0 ?? "" } == numbers)
  }

  @Test func `values of a wrong type are ignored`() throws {
    let item = try #require(
      try feed(
        """
        {"id":"1","url":7,"title":["x"],"content_html":{},"tags":{},"authors":[1,{"name":{}}],
        "attachments":"x","date_published":false,"image":null,"summary":true},17,"x",[]
        """
      ).items.first)
    #expect(item.url == "7")
    #expect(item.title == nil && item.contentHTML == nil && item.published == nil && item.image == nil)
    #expect(item.tags.isEmpty && item.authors.isEmpty && item.attachments.isEmpty)
  }

  @Test func `items have the authors before them, whenever the items are taken`() throws {
    let parts = [
      #"{"version":"https://jsonfeed.org/version/1.1","authors":[{"name":"A"}],"items":[{"id":"1"},{"id":"2"}],"#,
      #""author":{"name":"B"},"items":[{"id":"3"}]}"#,
    ].map { Array($0.utf8) }
    let whole = try ParsedFeed.parse(parts[0] + parts[1])
    #expect(whole.items.map { $0.authors.map(\.name) } == [["A"], ["A"], ["B", "A"]])
    #expect(try ParsedFeed.parse(chunks: parts).items == whole.items)
  }
}
