import Foundation
import TestSupport

/// A publisher that adds, edits, reorders, drops, redates and moves the articles of one feed.
struct SimulatedFeed: Sendable {
  /// An article as the document has it.
  struct Item: Sendable, Equatable {
    let guid: String
    var title: String
    var text: String
    var link: String
    /// Seconds since 1970.
    var published: Int
    /// Seconds since 1970; nil if the publisher states none.
    var modified: Int?
    var edits = 0
  }

  /// A document at one time.
  struct Document: Sendable {
    /// Seconds since 1970.
    var built: Int
    var items: [Item]

    /// The document as RSS.
    var text: String {
      let items = items.map { item in
        let modified = item.modified.map { "<atom:updated>\(Self.iso8601($0))</atom:updated>" } ?? ""
        return """
          <item><guid isPermaLink="false">\(item.guid)</guid><title>\(item.title)</title><link>\(item.link)</link>
          <pubDate>\(Self.iso8601(item.published))</pubDate>\(modified)<comments>\(item.link)/comments</comments>
          <slash:comments>3</slash:comments><content:encoded>\(item.text)</content:encoded></item>
          """
      }
      return """
        <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/"
        xmlns:slash="http://purl.org/rss/1.0/modules/slash/"><channel><title>Feed</title><link>https://example.org/</link>
        <lastBuildDate>\(Self.iso8601(built))</lastBuildDate>\(items.joined(separator: "\n"))</channel></rss>
        """
    }

    private static func iso8601(_ seconds: Int) -> String {
      Date(timeIntervalSince1970: TimeInterval(seconds)).ISO8601Format()
    }
  }

  let name: String
  /// The articles that the document shows at most.
  let shown: Int
  private(set) var items: [Item] = []
  private(set) var documents: [Document] = []
  private var count = 0

  init(name: String, shown: Int, items count: Int, at now: Int) {
    (self.name, self.shown) = (name, shown)
    for _ in 0..<count { add(published: now - 100_000 + self.count) }
    publish(at: now)
  }

  /// The present document.
  var document: Document { documents[documents.count - 1] }

  private mutating func add(published: Int) {
    count += 1
    items.insert(
      Item(
        guid: "\(name)-\(count)", title: "Title \(count)", text: "Text \(count) of \(name)",
        link: "https://example.org/\(name)/\(count)", published: published), at: 0)
  }

  private mutating func publish(at now: Int) {
    documents.append(Document(built: now, items: Array(items.prefix(shown))))
  }

  /// Changes the feed at random, and publishes a new document.
  mutating func change(at now: Int, using random: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let listed = items.indices.prefix(shown)
      guard let place = listed.randomElement(using: &random) else {
        add(published: now)
        continue
      }
      switch Int.random(in: 0..<10, using: &random) {
      case 0...3: add(published: now - count)
      // More changes would make the article's fields volatile.
      case 4...6 where items[place].edits < 3:
        items[place].edits += 1
        if Bool.random(using: &random) { items[place].title += "!" }
        items[place].text = "Edit \(items[place].edits) of \(items[place].text)"
        items[place].modified = Bool.random(using: &random) ? now : nil
      case 7: items[place].published -= 3600 + 7 * place
      case 8: items[place].link += "/moved"
      default:
        if Bool.random(using: &random) {
          items.swapAt(place, items.startIndex)
        } else {
          items.remove(at: place)
        }
      }
    }
    publish(at: now)
  }
}
