import FeedParsing
import Foundation
import TestSupport
import Testing

/// JSON Feeds that are damaged, hostile, or in an unusual encoding.
@Suite struct JSONDamageTests {
  private static let start = #"{"version":"https://jsonfeed.org/version/1.1","title":"t","#

  private func parse(_ document: String, limits: ParserLimits = .standard) throws -> ParsedFeed {
    try ParsedFeed.parse(Array(document.utf8), limits: limits)
  }

  @Test(arguments: [
    #"{"id":"x""y"}"#, #"{"id":}"#, #"{"id" "x"}"#, #"{id:"x"}"#, #"{"id":"x" "url":"y"}"#, #"{,"id":"x"}"#,
    #"{"id":"\u12x4"}"#, #"{"id":tru}"#, #"{"id":01a}"#, #"{"id":-}"#, #"{"id":1.}"#,
    #"{"id":"x","tags":["a"}"#,
    #"{"id":"x","tags":[1 2]}"#, #"{"id":"x","a":{"b"}}"#, #"{"id":"x",,}"#,
    #"{"id":"x","a":nullx}"#, "nonsense",
  ])
  func `a broken item is left out and the others are kept`(item: String) throws {
    let feed = try parse(Self.start + #""items":[{"id":"1"},\#(item),{"id":"2"}],"language":"en"}"#)
    #expect(feed.items.map(\.id) == ["1", "2"])
    #expect(feed.details.language == "en")
    if item != "nonsense" { #expect(feed.details.isRecovered) }
  }

  @Test(arguments: [
    #""items":[{"id":"1"},{"id":"2",},],}"#, #""items":[{"id":"1"}{"id":"2"}]}"#,
    #""items":[,{"id":"1"},,{"id":"2"}]}"#, #""items":[{"id":"1"},{"id":"2"}]} and more"#,
    #""items":[{"id":"1"},{"id":"2"}]}}"#, #""items":[{"id":"1"},{"id":"2"}}"#,
    #"nonsense, "items":[{"id":"1"},{"id":"2"}]}"#, #""x" "items":[{"id":"1"},{"id":"2"}]}"#,
    #""x":,"items":[{"id":"1"},{"id":"2"}]}"#, #":] "items":[{"id":"1"},{"id":"2"}]}"#,
    #""language":"en" "items":[{"id":"1"},{"id":"2"}]}"#, #""language":tr,"items":[{"id":"1"},{"id":"2"}]}"#,
  ])
  func `damage around items is skipped`(rest: String) throws {
    let feed = try parse(Self.start + rest)
    #expect(feed.items.map(\.id) == ["1", "2"])
    #expect(feed.details.isRecovered)
  }

  @Test func `a document that is cut keeps its complete items`() throws {
    let document = Array(
      (Self.start + #""items":[{"id":"1","tags":["}"]},{"id":"2","title":"\"}"}],"language":"en"}"#).utf8)
    let first = document.count - #",{"id":"2","title":"\"}"}],"language":"en"}"#.utf8.count
    let second = document.count - #"],"language":"en"}"#.utf8.count
    for end in 70..<document.count {
      let feed = try ParsedFeed.parse(Array(document[..<end]))
      #expect(feed.items.count == (end < first ? 0 : end < second ? 1 : 2))
      #expect(feed.details.isTruncated)
      #expect(feed.details.isRecovered)
    }
    #expect(try !ParsedFeed.parse(document).details.isRecovered)
    #expect(throws: FeedError.truncated) {
      try parse(#"{"version":"https://jsonfeed.org/version/1.1","it"#)
    }
  }

  @Test func `a document may be in any form of Unicode`() throws {
    let text = Self.start + #""items":[{"id":"1","title":"Größe 🚀 \ud83d\ude80"}]}"#
    let units = Array(text.utf16)
    let scalars = text.unicodeScalars.map(\.value)
    func big<Unit: FixedWidthInteger>(_ units: [Unit]) -> [UInt8] {
      units.flatMap { unit in
        stride(from: Unit.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: unit >> $0) }
      }
    }
    let forms: [(String, [UInt8])] = [
      ("utf-8", Array(text.utf8)), ("utf-8", [0xEF, 0xBB, 0xBF] + Array(text.utf8)),
      ("utf-16be", big(units)), ("utf-16be", big([0xFEFF] + units)),
      ("utf-16le", big(units.map(\.byteSwapped))), ("utf-16le", big(([0xFEFF] + units).map(\.byteSwapped))),
      ("utf-32be", big(scalars)), ("utf-32be", big([0xFEFF] + scalars)),
      ("utf-32le", big(scalars.map(\.byteSwapped))),
      ("utf-32le", big(([0xFEFF] + scalars).map(\.byteSwapped))),
    ]
    for (name, bytes) in forms {
      for size in [1, 2, 3, 5, bytes.count] {
        let chunks = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0...].prefix(size)) }
        let feed = try ParsedFeed.parse(
          chunks: chunks, source: DocumentSource(contentType: "application/json; charset=iso-8859-1"))
        #expect(feed.items.map(\.title) == ["Größe 🚀 🚀"])
        #expect(feed.details.encoding == name)
        #expect(!feed.details.isRecovered)
      }
    }
  }

  @Test(arguments: [1, 7, 1000])
  func `an item, a member and a name that are too long are left out, and what follows is kept`(size: Int)
    throws
  {
    var limits = ParserLimits.standard
    limits.jsonPartBytes = 100
    let long = String(repeating: "x", count: 100)
    let document =
      Self.start + #""description":"\#(long)","_x":"\#(long)","items":[{"id":"1"},{"id":"2","x":"\#(long)"},"#
      + #"{"id":"3"}],"\#(long)":1,"language":"en"}"#
    let bytes = Array(document.utf8)
    let feed = try ParsedFeed.parse(
      chunks: stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0...].prefix(size)) },
      limits: limits)
    #expect(feed.items.map(\.id) == ["1", "3"])
    #expect(feed.details.language == "en")
    #expect(feed.details.title == "t" && feed.details.description == nil)
    #expect(feed.details.isRecovered)
  }

  @Test func `an unused member may have any length, and is not damage`() throws {
    var limits = ParserLimits.standard
    limits.jsonPartBytes = 100
    let long = String(repeating: "x", count: 1000)
    let feed = try parse(Self.start + #""_x":"\#(long)","items":[{"id":"1"}]}"#, limits: limits)
    #expect(feed.items.map(\.id) == ["1"])
    #expect(!feed.details.isRecovered)
  }

  @Test func `an item that is too deep is left out`() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    // The outermost object, the array of items and the item itself count too.
    let feed = try parse(
      Self.start
        + #""items":[{"id":"1","x":\#(nested(61))},{"id":"2","x":\#(nested(62))},"#
        + #"{"id":"3","x":\#(nested(100_000))},{"id":"4"}],"icon":\#(nested(64)),"language":"en"}"#)
    #expect(feed.items.map(\.id) == ["1", "4"])
    #expect(feed.details.language == "en")
    #expect(feed.details.isRecovered)
    var limits = ParserLimits.standard
    limits.jsonDepth = 3
    let flat = try parse(
      Self.start + #""items":[{"id":"1"},{"id":"2","tags":["a"]}]}"#, limits: limits)
    #expect(flat.items.map(\.id) == ["1"])
  }

  @Test(arguments: [
    "[", "{", "\"", "\\", #"{"a":"#, "[}", "]", "}", ",", ":", #"""#, #"{"id":""#, "a", "1", #"{"id":1},"#,
  ])
  func `repeated input is read in linear time`(piece: String) {
    let text = String(repeating: piece, count: (1 << 18) / piece.utf8.count)
    for start in ["", "{", Self.start, Self.start + #""items":["#, Self.start + #""items":[{"id":"#] {
      _ = try? parse(start + text)
    }
  }

  @Test func `inherited authors do not make a small document large`() throws {
    let long = String(repeating: "a/", count: 5000)
    let items = Array(repeating: #"{"id":"1","url":"x"}"#, count: 100).joined(separator: ",")
    let feed = try parse(
      Self.start
        + #""feed_url":"https://example.org/\#(long)","authors":[{"name":"\#(long)"}],"items":[\#(items)]}"#)
    #expect(feed.details.authors.map(\.name) == [long])
    #expect(feed.items.count == 100)
    #expect(feed.items.allSatisfy { $0.url == "x" && $0.authors.isEmpty })
  }

  @Test(arguments: seeds(100 as UInt64))
  func `a damaged document parses the same however it is cut into chunks`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let fixtures = ["json-feed-sorted", "json-feed-damaged", "json-feed-utf-16", "json-feed-bytes"]
    let name = fixtures[Int.random(in: 0..<fixtures.count, using: &random)]
    var bytes = try Fixture(path: "\(name).jsonfeed").bytes
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      let marks = Array("[]{}\",:\\u0 n\n".utf8) + [0x00, 0x1F, 0x80, 0xC2, 0xE2, 0xF0, 0xFF]
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[place] = marks[Int.random(in: 0..<marks.count, using: &random)]
      case 1: bytes.insert(marks[Int.random(in: 0..<marks.count, using: &random)], at: place)
      case 2: bytes.removeSubrange(place..<min(place + Int.random(in: 1...20, using: &random), bytes.count))
      default: bytes.insert(contentsOf: bytes[place...].prefix(200), at: place)
      }
    }
    let whole = Fixture.line(bytes)
    for sizes in [[1], [2, 3], [7], [64], [1, 500]] {
      #expect(Fixture.line(bytes, chunkSizes: sizes) == whole)
    }
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(whole)) }
  }

  @Test func `a document that has turned out to be a feed stays one`() throws {
    let parser = FeedParser(source: DocumentSource())
    try parser.push(Array((Self.start + #""items":[{"id":"1"}],"#).utf8))
    #expect(parser.takeItems().items.count == 1)
    try parser.push(Array(#""version":"another","title":{},"title":null}"#.utf8))
    #expect(try parser.finish().title == "t")
  }

  /// Returns the feed's line; nil if the document is not a feed.
  private func line(_ document: String, limits: ParserLimits = .standard) throws -> String {
    let parser = FeedParser(source: DocumentSource(), limits: limits)
    for byte in document.utf8 { try parser.push([byte]) }
    let details = try parser.finish()
    var line = JSONFeedLine()
    line.append(parser.takeItems())
    return String(decoding: line.finish(details), as: UTF8.self)
  }

  @Test(arguments: [
    #""items":{"0":{"id":"1"},"2":{"id":"2"}},"language":"en"}"#,
    #""items": { "0" : {"id":"1"} , "b}":{"id":"2","a":{"b":[1]}} } ,"language":"en"}"#,
    #""items":{"0":{"id":"1"},"2":{"id":"2"},},"language":"en"}"#,
  ])
  func `items under keys are read as a list`(rest: String) throws {
    for document in [Self.start + rest] {
      let feed = try parse(document)
      #expect(feed.items.map(\.id) == ["1", "2"])
      #expect(feed.details.language == "en")
      #expect(feed.details.isRecovered)
      let bytes = document.utf8.map { [$0] }
      #expect(try ParsedFeed.parse(chunks: bytes).items == feed.items)
    }
  }

  @Test(arguments: ["NaN", "Infinity", "-Infinity"])
  func `an invalid number does not drop its item`(word: String) throws {
    let feed = try parse(Self.start + #""items":[{"id":"1","x":\#(word),"title":"T"}]}"#)
    #expect(feed.items.map(\.title) == ["T"])
    #expect(feed.details.isRecovered)
  }

  @Test func `items that are too long, too deep or broken are counted`() throws {
    var limits = ParserLimits()
    limits.jsonDepth = 8
    limits.jsonPartBytes = 200
    let deep = String(repeating: "[", count: 20) + String(repeating: "]", count: 20)
    let long = String(repeating: "x", count: 300)
    let line = try line(
      Self.start
        + #""items":[{"id":"1"},{"id":"2","a":\#(deep)},{"id":"3","title":"\#(long)"},{"id":4x},{"id":"5"}]}"#,
      limits: limits)
    #expect(line.contains(#""dropped_items":3"#))
    #expect(line.contains(#""recovered":true"#))
    #expect(try !self.line(Self.start + #""items":[{"id":"1"}]}"#).contains("dropped_items"))
  }

  @Test(arguments: ["a\nb", "a\tb", #"a\qb"#, #"a\'b"#])
  func `an invalid JSON string is read, and reported as damage`(text: String) throws {
    let feed = try parse(Self.start + #""items":[{"id":"1","title":"\#(text)"}]}"#)
    #expect(feed.items.count == 1)
    #expect(feed.details.isRecovered)
    #expect(
      try parse(#"{"version":"https://jsonfeed.org/version/1.1","title":"\#(text)"}"#).details.isRecovered)
  }

  @Test(arguments: [("6.5", "6.5"), ("6", "6"), ("\"1:02.5\"", "62"), ("1e2", "100"), ("-3", nil)])
  func `a duration keeps its fraction`(duration: String, expected: String?) throws {
    let line = try line(
      Self.start
        + #""items":[{"id":"1","attachments":[{"url":"http://e.org/a","duration_in_seconds":\#(duration)}]}]}"#
    )
    #expect(line.contains("duration_in_seconds") == (expected != nil))
    if let expected { #expect(line.contains(#""duration_in_seconds":\#(expected)}"#)) }
  }
}
