import FeedParsing
import Testing

/// Each limit has a name, can be set, and is named in the error.
struct LimitTests {
  /// A limit that is set low, and a document that exceeds it.
  struct Case: CustomTestStringConvertible, Sendable {
    let message: String
    let document: String
    let set: @Sendable (inout ParserLimits) -> Void

    var testDescription: String { message }
  }

  static let cases = [
    Case(
      message: "over the limit of 99 for bytes before the first element", document: letters(200) + feed("")
    ) {
      $0.preambleBytes = 99
    },
    Case(message: "over the limit of 99 for bytes before the first element", document: spaces + feed("")) {
      $0.preambleBytes = 99
    },
    Case(message: "over the limit of 3 for depth of elements", document: feed("<a><b/></a>")) {
      $0.depth = 3
    },
    Case(message: "over the limit of 3 for depth of elements", document: feed("a & b <a><b/></a>")) {
      $0.depth = 3
    },
    Case(message: "over the limit of 2 for attributes of a tag", document: item("<a b='' c='' d=''/>")) {
      $0.attributes = 2
    },
    Case(message: "over the limit of 2 for namespaces at one place", document: item(namespaces)) {
      $0.namespaces = 2
    },
    Case(message: "over the limit of 2 for namespaces at one place", document: item("a & b \(namespaces)")) {
      $0.namespaces = 2
    },
    Case(message: "over the limit of 300 for different names", document: item(names)) { $0.names = 300 },
    Case(message: "over the limit of 300 for different names", document: item("a & b \(names)")) {
      $0.names = 300
    },
    Case(
      message: "over the limit of 99 for bytes of expanded entities", document: entities("<title>&b;</title>")
    ) {
      $0.expandedBytes = 99
    },
    Case(
      message: "over the limit of 99 for bytes of expanded entities", document: entities("<link href='&b;'/>")
    ) {
      $0.expandedBytes = 99
    },
    Case(
      message: "over the limit of 99 for bytes of expanded entities",
      document: entities("& <title>&b;</title>")
    ) {
      $0.expandedBytes = 99
    },
    Case(
      message: "over the limit of 9 for bytes of an item",
      document: item("<link>123456</link><link>789</link><pubDate/>")
    ) { $0.itemBytes = 9 },
    // The first of two cases.
    Case(
      message: "over the limit of 5 for bytes of an item",
      document: item("<title>123456</title><link>1</link><a><b><c/></b></a>")
    ) {
      $0.itemBytes = 5
      $0.depth = 5
    },
    Case(
      message: "over the limit of 5 for bytes of an item",
      document: item("&<title>123456</title><link>1</link><a><b><c/></b></a>")
    ) {
      $0.itemBytes = 5
      $0.depth = 5
    },
    Case(message: "over the limit of 0 for seconds of CPU time", document: feed("")) {
      $0.cpuSeconds = 0
      $0.cpuSecondsPerMiB = 0
    },
  ]

  @Test(arguments: cases)
  func `a document over a limit is refused with the limit's name`(example: Case) {
    var limits = ParserLimits()
    example.set(&limits)
    #expect(ending(of: example.document, limits) == example.message)
    #expect(ending(of: example.document, .standard) == nil)
  }

  @Test(arguments: cases)
  func `a limit does not depend on the chunks`(example: Case) {
    var limits = ParserLimits()
    example.set(&limits)
    let chunks = example.document.utf8.map { [$0] }
    #expect(ending(of: chunks, limits) == example.message)
  }

  @Test(arguments: [1, 10, 1000])
  func `text after too many entities is never read`(size: Int) throws {
    let parser = FeedParser(source: DocumentSource())
    let entity = #"<!DOCTYPE rss [<!ENTITY a "\#(Self.letters(60_000))">]>"#
    let items = String(repeating: "<item><link>&a;</link></item>", count: 30)
    let bytes = Array((entity + Self.feed(items)).utf8)
    #expect(throws: FeedError.self) {
      for start in stride(from: 0, to: bytes.count, by: size) {
        try parser.push(Array(bytes[start..<min(start + size, bytes.count)]))
      }
    }
    #expect(parser.takeItems().items.count == 17)
  }

  @Test(
    arguments: [
      ("<item><category>a</category><category>b</category><category>c</category></item>", 1),
      ("<item><category>a</category><category>b</category><category>a</category></item>", 0),
      ("<item><author>a</author><author>b</author><author>c</author><author>d</author></item>", 1),
      (
        "<item><enclosure url='a'/><enclosure url='b'/><enclosure url='c'/></item><item><keywords/></item>", 1
      ),
      ("<category>a</category><category>b</category><category>c</category>", 1),
      ("<category>a</category>", 0),
      (
        "<item><category>a</category><category>b</category><category>c</category></item>"
          + "<item><category>a</category><category>b</category><category>c</category><author>a</author></item>",
        2
      ),
    ])
  func `a list that was cut is counted`(source: String, count: Int) throws {
    var limits = ParserLimits()
    limits.listCount = 2
    let document = Array(Self.feed(source).utf8)
    let line = String(decoding: Fixture.line(chunks: [document], limits: limits), as: UTF8.self)
    #expect(line.contains(#""shortened_lists":\#(count),"#) == (count > 0))
  }

  @Test func `a list of a JSON Feed that was cut is counted`() throws {
    var limits = ParserLimits()
    limits.listCount = 2
    let document =
      #"{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","tags":["a","b","c"]},{"id":"2","tags":["a"]}]}"#
    let line = String(decoding: Fixture.line(chunks: [Array(document.utf8)], limits: limits), as: UTF8.self)
    #expect(line.contains(#""shortened_lists":1,"#))
  }

  @Test func `items before the end of the time are kept`() {
    var limits = ParserLimits()
    limits.cpuSeconds = 0
    limits.cpuSecondsPerMiB = 0
    let parser = FeedParser(source: DocumentSource(), limits: limits)
    #expect(throws: FeedError.limit(name: "seconds of CPU time", value: 0)) {
      try parser.push(Array(Self.item("<title>kept</title>").utf8))
    }
    #expect(parser.takeItems().items.count == 1)
    #expect(throws: FeedError.self) { try parser.push([0x20]) }
  }

  @Test func `a longer document may take more time`() throws {
    var limits = ParserLimits()
    limits.cpuSeconds = 0
    limits.cpuSecondsPerMiB = 1e9
    _ = try ParsedFeed.parse(Array(Self.item("").utf8), limits: limits)
  }

  @Test func `an empty entity that is used very often is read in linear time`() {
    var subset = #"<!ENTITY a0 "">"#
    for level in 1...4 {
      let references = String(repeating: "&a\(level - 1);", count: 10_000)
      subset += "<!ENTITY a\(level) \"\(references)\">"
    }
    let document = "<!DOCTYPE rss [\(subset)]>" + Self.item("<title>&a4;</title>")
    #expect(ending(of: document, .standard) == "over the limit of 1048576 for bytes of expanded entities")
  }

  @Test func `short entities may be used any number of times`() throws {
    let subset = #"<!ENTITY site "https://example.org">"#
    let items = String(repeating: "<item><link>&site;/1</link></item>", count: 60_000)
    let document = "<!DOCTYPE rss [\(subset)]>" + Self.feed(items)
    #expect(try ParsedFeed.parse(Array(document.utf8)).items.last?.url == "https://example.org/1")
  }

  /// Returns the error for a document; nil if it is accepted.
  private func ending(of document: String, _ limits: ParserLimits) -> String? {
    ending(of: [Array(document.utf8)], limits)
  }

  private func ending(of chunks: [[UInt8]], _ limits: ParserLimits) -> String? {
    do throws(FeedError) {
      _ = try ParsedFeed.parse(chunks: chunks, limits: limits)
      return nil
    } catch { return error.description }
  }

  private static let spaces = String(repeating: " ", count: 200)
  private static let namespaces = "<a xmlns:b='b' xmlns:c='c' xmlns:d='d'/>"
  private static let names = (0..<400).map { "<n\($0)/>" }.joined()

  private static func entities(_ content: String) -> String {
    #"<!DOCTYPE rss [<!ENTITY a "\#(letters(100))"><!ENTITY b "&a;&a;">]>"# + item(content)
  }

  private static func item(_ content: String) -> String { feed("<item><guid>1</guid>\(content)</item>") }

  private static func feed(_ content: String) -> String {
    "<rss version=\"2.0\"><channel><title>t</title>\(content)</channel></rss>"
  }

  private static func letters(_ count: Int) -> String { String(repeating: "x", count: count) }
}
