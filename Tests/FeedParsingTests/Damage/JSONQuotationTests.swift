import FeedParsing
import Testing

/// JSON Feeds with an extra quotation mark.
struct JSONQuotationTests {
  @Test(arguments: [
    #"{"id":"4","title":"un"quoted"},"#, #"{"id":"4","title":"un"quoted","n":{"a":1},"x":3} , "#,
    #"{"id":"4","title":"un"quoted","tags":["a"]},"#,
  ])
  func `an extra quotation mark loses only its item`(item: String) throws {
    let document =
      #"{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1"},"# + item
      + #"{"id":"5"},{"id":"6","title":"ends},{"},{"id":"7"}],"language":"en"}"#
    let feed = try ParsedFeed.parse(Array(document.utf8))
    #expect(feed.items.map(\.id) == ["1", "5", "6", "7"])
    #expect(feed.details.language == "en")
    #expect(feed.details.isRecovered)
    for size in [1, 2, 3, 7, 20] {
      let chunks = stride(from: 0, to: document.utf8.count, by: size).map {
        Array(Array(document.utf8)[$0...].prefix(size))
      }
      #expect(try ParsedFeed.parse(chunks: chunks).items == feed.items)
    }
  }

  @Test func `a hub has its stated type`() throws {
    let document =
      #"{"version":"https://jsonfeed.org/version/1.1","title":"t","hubs":[{"type":"rssCloud","url":"http://h/1"},"#
      + #"{"type":"WebSub","url":"http://h/2"}],"items":[]}"#
    let line = String(decoding: Fixture.line(Array(document.utf8)), as: UTF8.self)
    #expect(
      line.contains(
        #""hubs":[{"type":"rssCloud","url":"http://h/1"},{"type":"WebSub","url":"http://h/2"}]"#))
  }
}
