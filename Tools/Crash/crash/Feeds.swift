import LoopbackServer
import Threading

/// The feeds of a sweep, from a server that has two revisions of each.
///
/// In the second revision, an article is new, one is edited, and one has left the document.
final class Feeds: Sendable {
  private let server: LoopbackHTTPServer
  private let revision: Locked<Int>

  init() throws {
    let revision = Locked(1)
    self.revision = revision
    server = try LoopbackHTTPServer { request in
      let name = request.path.dropFirst().prefix { $0 != "." }
      let current = revision.withLock { $0 }
      let tag = "\"\(name)-\(current)\""
      if request.text(of: "If-None-Match") == tag {
        return .status(304, "Not Modified", headers: ["ETag: \(tag)"])
      }
      return .ok(
        Self.document(String(name), revision: current), headers: ["ETag: \(tag)", "Content-Type: text/xml"])
    }
  }

  func stop() { server.stop() }

  /// Selects the revision of later answers: 1 or 2.
  func select(revision number: Int) { revision.withLock { $0 = number } }

  func addresses(_ count: Int) -> [String] { (1...count).map { server.url("/feed\($0).xml") } }

  /// The address of a feed that is saved in parts if ``Subject`` has a low limit.
  var large: String { server.url("/large.xml") }

  /// Returns a list of the first `count` feeds.
  func opml(_ count: Int) -> String {
    let outlines = addresses(count).map { "<outline type=\"rss\" text=\"Feed\" xmlUrl=\"\($0)\"/>" }
    return "<opml version=\"2.0\"><body>\(outlines.joined())</body></opml>"
  }

  private static func document(_ name: String, revision: Int) -> String {
    let isLarge = name.hasPrefix("large")
    let (count, words) = isLarge ? (60, 400) : (3, 20)
    let items = (revision..<(count + revision)).map { number in
      let isEdited = revision == 2 && number == 2
      let text = Array(repeating: "word\(number)", count: words).joined(separator: " ")
      return """
        <item><guid isPermaLink="false">\(name)-\(number)</guid><title>Title \(number)\(isEdited ? " edited" : "")</title>\
        <link>https://example.org/\(name)/\(number)</link><pubDate>Wed, 0\(1 + number % 9) Feb 2010 17:23:16 +0000</pubDate>\
        <description>\(text)</description></item>
        """
    }
    return "<rss version=\"2.0\"><channel><title>\(name)</title>\(items.joined())</channel></rss>"
  }
}
