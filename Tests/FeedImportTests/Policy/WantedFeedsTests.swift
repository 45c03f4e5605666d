import ManagedContext
import NewsModel
import Testing
import WebAddress

@testable import FeedImport

@Suite struct WantedFeedsTests {
  private static func feed(_ key: Int64, _ url: String) -> Claims.Wanted {
    Claims.Wanted(
      ManagedObjectID(entity: NewsModel.Place.feed, store: .none, key: key), at: WebAddress(url))
  }

  @Test func `equal texts have one number, and keep it while others are added`() {
    var names = NameTable()
    let texts = (0..<5000).map { "https://\($0).example:443" } + ["", "é", "e\u{301}"]
    for (number, text) in texts.enumerated() { #expect(names.number(of: text) == number) }
    #expect(names.count == texts.count)
    for (number, text) in texts.enumerated().reversed() { #expect(names.number(of: text) == number) }
    #expect(texts.indices.allSatisfy { names[UInt32($0)].utf8.elementsEqual(texts[$0].utf8) })
  }

  @Test func `feeds are sorted by publisher, in the order of each publisher's first feed`() {
    let feeds = [
      Self.feed(9, "https://b.example/1"), Self.feed(4, "https://a.example/1"),
      Self.feed(7, "https://b.example/2"), Self.feed(5, "no address"), Self.feed(3, "https://a.example/2"),
      Self.feed(8, "https://b.example/3"),
    ]
    var wanted = WantedFeeds(feeds)
    #expect((0..<wanted.count).map { wanted[$0] } == feeds)
    wanted.sortByPublisher()
    #expect((0..<wanted.count).map { wanted[$0] } == [0, 2, 5, 1, 4, 3].map { feeds[$0] })
    #expect([0, 3, 5].map { wanted.endOfPublisher(at: $0) } == [3, 5, 6])
    #expect(wanted.publisher(at: 3) == "https://a.example:443" && wanted.publisher(at: 5) == "no address")
  }

  @Test func `without feeds there is nothing to sort`() {
    var wanted = WantedFeeds()
    wanted.sortByPublisher()
    #expect(wanted.count == 0)
  }
}
