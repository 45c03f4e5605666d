import Corpus
import FeedParsing
import Foundation
import Testing

struct CorpusTests {
  private static let small = CorpusSize(name: "test", feeds: 100, articlesPerFeed: 6)
  private static let writer = CorpusWriter(Corpus(Self.small))
  private let corpus = Corpus(Self.small)
  private let writer = Self.writer

  @Test func `the same seed gives the same feeds`() {
    let other = CorpusWriter(Corpus(Self.small))
    for feed in 0..<100 { #expect(writer.document(feed, .second) == other.document(feed, .second)) }
  }

  @Test func `another seed gives other feeds`() {
    let other = CorpusWriter(Corpus(Self.small, seed: 2))
    #expect(writer.document(0, .first) != other.document(0, .first))
  }

  /// Whoever changes what is written counts up the folder's version, so that no old corpus is measured as a new one.
  @Test func `the feeds are those that figures were measured over`() {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for feed in 0..<100 {
      for byte in writer.document(feed, .second) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
    #expect(String(hash, radix: 16) == "f9979a053605cffd")
  }

  @Test(arguments: 0..<100)
  func `a feed has all its articles, and its changes are those that are told`(feed: Int) throws {
    let change = corpus.change(of: feed)
    let (before, after) = (writer.document(feed, .first), writer.document(feed, .second))
    #expect((before == after) == !change.isChange)
    let (first, second) = try (parsed(before), parsed(after))
    #expect(first.items.count == 6)
    #expect(second.items.count == 6 + change.new)
    let known = Dictionary(uniqueKeysWithValues: first.items.map { ($0.id ?? $0.url, $0.summary) })
    #expect(known.count == 6)
    #expect(second.items.filter { known[$0.id ?? $0.url] == nil }.count == change.new)
    let edited = second.items.filter { item in known[item.id ?? item.url].map { $0 != item.summary } ?? false
    }
    #expect(edited.count == (change.hasEdit ? 1 : 0))
  }

  @Test func `one feed in ten has new articles and one in fifty an edit`() {
    let changes = (0..<100).map { corpus.change(of: $0) }
    #expect(changes.count { $0.new > 0 } == 10)
    #expect(changes.count { $0.hasEdit } == 2)
    #expect(changes.allSatisfy { $0.new <= 3 })
    #expect(corpus.articlesInAll == 600 + changes.reduce(0) { $0 + $1.new })
  }

  @Test func `a feed written in parts is the whole document`() {
    let large = Corpus(CorpusSize(name: "large", feeds: 1, articlesPerFeed: 800))
    var parts: [[UInt8]] = []
    CorpusWriter(large).write(0, .first) { parts.append($0) }
    #expect(parts.count > 1)
    var document: [UInt8] = []
    for part in parts { document += part }
    #expect(document == CorpusWriter(large).document(0, .first))
  }

  @Test func `a corpus on disk is written once`() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/corpus-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let made = CorpusFolder(corpus, in: folder)
    #expect(try made.make())
    #expect(try !made.make())
    for revision in Corpus.Revision.allCases {
      let document = FileManager.default.contents(atPath: made.file(3, revision))
      #expect(document.map { Array($0) } == writer.document(3, revision))
    }
  }

  @Test func `dates are written as feeds have them`() {
    #expect(Moment(seconds: 1_714_550_400).mail == "Wed, 01 May 2024 08:00:00 GMT")
    #expect(Moment(seconds: 951_782_400 - 1).mail == "Mon, 28 Feb 2000 23:59:59 GMT")
    #expect(Moment(seconds: 951_782_400).mail == "Tue, 29 Feb 2000 00:00:00 GMT")
  }

  private func parsed(_ document: [UInt8]) throws -> ParsedFeed {
    try ParsedFeed.parse(source: DocumentSource(url: "https://feeds.example.org/")) { push in
      try push(document)
    }
  }
}
