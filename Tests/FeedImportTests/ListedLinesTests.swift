import DocumentReading
import Testing
import Threading
import WebAddress

@testable import FeedImport

@Suite struct ListedLinesTests {
  /// Returns lines of articles, of which each is in the next feed.
  private static func lines(_ count: Int, feeds: Int) -> [String] {
    (0..<count).map {
      #"{"feed":"https://a.example/\#($0 % feeds)","guid":"\#($0)","title":"Title \#($0)"}"#
    }
  }

  private static func document(_ lines: [String]) -> InputDocument {
    InputDocument(name: "list", address: "", bytes: Array(lines.joined(separator: "\n").utf8))
  }

  /// The groups of a list that is longer than a group.
  private static func read(_ lines: [String], distributed: Int = 1 << 20) -> (
    groups: [[ConvertedFeed]], ListedLines
  ) {
    let limits = ListedLines.Limits(group: 1000, mixedGroup: 2000, distributed: distributed)
    var list = ListedLines(document(lines), feed: nil, limits: limits)
    var groups: [[ConvertedFeed]] = []
    while let group = list.next() { groups.append(group) }
    return (groups, list)
  }

  /// The guids of a feed's articles, in the order in which they are imported.
  private static func guids(_ groups: [[ConvertedFeed]], ofFeed number: Int) -> [Int] {
    groups.joined().filter { $0.address.text == "https://a.example/\(number)" }.flatMap { feed in
      String(decoding: feed.document, as: UTF8.self).matches(of: #/"id":"(\d+)"/#).compactMap { Int($0.1) }
    }
  }

  @Test(arguments: [1 << 20, 3000])
  func `the alternating lines of a long list are imported feed by feed, in their order`(distributed: Int) {
    let (groups, list) = Self.read(Self.lines(2000, feeds: 20), distributed: distributed)
    for feed in 0..<20 {
      #expect(Self.guids(groups, ofFeed: feed) == Array(stride(from: feed, to: 2000, by: 20)))
    }
    #expect(list.mistakes.isEmpty && list.hasArticles)
    // Without the distribution, each group would have all feeds.
    if distributed > 3000 { #expect(groups.dropFirst().allSatisfy { $0.count < 10 }) }
  }

  @Test func `a region whose name cannot be typed is left out, and named once`() {
    let regions = [#"["world"," x"]"#, #"["world"]"#, #"["tech"," x"]"#]
    let (groups, list) = Self.read(
      regions.enumerated().map { number, names in
        #"{"feed":"https://a.example/1","guid":"\#(number)","title":"Title","regions":\#(names)}"#
      })
    #expect(groups.joined().map(\.regions) == [["world", "tech"]])
    #expect(list.mistakes.causes == ["the region “ x” is left out: its name cannot be typed"])
  }

  @Test func `lines that cannot be imported are named by their numbers, also behind many others`() {
    var lines = Self.lines(500, feeds: 20)
    lines.insert(#"{"feed":"https://a.example/3"}"#, at: 99)
    lines.insert("{", at: 399)
    lines.append(#"{"feed":"https://a.example/1"}"#)
    let (groups, list) = Self.read(lines)
    #expect(
      list.mistakes.causes == [
        "line 100: no “guid”, the article's identity in its feed", "line 400: not JSON after 1 bytes",
        "line 503: no “guid”, the article's identity in its feed",
      ])
    #expect(Self.guids(groups, ofFeed: 1).count == 25)
  }

  /// Lines whose source fails after them.
  private final class CutLines: ByteSource {
    private let lines: Locked<[UInt8]>

    init(_ lines: [String]) { self.lines = Locked(Array(lines.joined(separator: "\n").utf8 + [0x0A])) }

    func next() throws(InputFailure) -> [UInt8] {
      let bytes = lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
      if bytes.isEmpty { throw InputFailure(.system, "cut off") }
      return bytes
    }
  }

  @Test(arguments: [1, 20]) func `a failure is noted once, after the lines before it`(feeds: Int) throws {
    let document = try InputDocument(
      name: "list", address: "", of: CutLines(Self.lines(500, feeds: feeds)), isStreamed: false)
    let limits = ListedLines.Limits(group: 1000, mixedGroup: 2000)
    var list = ListedLines(document, feed: nil, limits: limits)
    var groups: [[ConvertedFeed]] = []
    while let group = list.next() { groups.append(group) }
    #expect(list.mistakes.causes == ["cut off"])
    #expect(Self.guids(groups, ofFeed: 0).count == 500 / feeds)
  }

  @Test func `lines that are sorted by feed are read in groups as they come`() {
    let lines = Self.lines(2000, feeds: 20)
    let sorted = (0..<20).flatMap { feed in stride(from: feed, to: 2000, by: 20).map { lines[$0] } }
    let feeds = Self.read(sorted).groups.joined().compactMap { Int($0.address.text.dropFirst(18)) }
    #expect(feeds.count > 20 && feeds == feeds.sorted())
  }

  @Test func `lines are distributed until the import must end`() {
    let limits = ListedLines.Limits(group: 1000, mixedGroup: 2000)
    var list = ListedLines(Self.document(Self.lines(5000, feeds: 20)), feed: nil, limits: limits)
    var groups = [list.next { true } ?? []]
    let guids = (0..<20).flatMap { Self.guids(groups, ofFeed: $0) }
    #expect(!guids.isEmpty && guids.allSatisfy { $0 < 1000 })
    while let group = list.next(until: { true }) { groups.append(group) }
    #expect(Self.guids(groups, ofFeed: 3) == Array(stride(from: 3, to: 5000, by: 20)))
  }
}
