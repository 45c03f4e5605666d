import TextOutput

extension OPML {
  /// A feed of a list that is written.
  public struct Outline: Sendable, Equatable {
    /// The address (`xmlUrl`).
    public let url: String
    /// What people call it; nil for its address.
    public let title: String?
    /// The page that it belongs to (`htmlUrl`); nil where that is not known.
    public let homePage: String?

    /// Describes a feed.
    public init(url: String, title: String?, homePage: String?) {
      self.url = url
      self.title = title
      self.homePage = homePage
    }
  }

  /// A document that ``read(_:)`` reads as it was, in OPML 2.0 (opml.org/spec2.opml): an outline for each folder, with its
  /// feeds.
  ///
  /// - Parameters:
  ///   - folders: Names and feeds, in their order.
  ///   - title: What the list is called.
  /// - Returns: The parts of the document, to be written one after the other.
  public static func document(
    of folders: some Sequence<(name: String, feeds: [Outline])>, title: String
  ) -> [String] {
    var parts = [
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <opml version="2.0">
      <head><title>\(XMLText.escaped(title))</title></head>
      <body>

      """
    ]
    for folder in folders {
      let name = XMLText.escaped(folder.name)
      parts.append("  <outline text=\"\(name)\" title=\"\(name)\">\n")
      parts += folder.feeds.map(line)
      parts.append("  </outline>\n")
    }
    parts.append("</body>\n</opml>\n")
    return parts
  }

  private static func line(of feed: Outline) -> String {
    let title = XMLText.escaped(feed.title ?? feed.url)
    let page = feed.homePage.map { " htmlUrl=\"\(XMLText.escaped($0))\"" } ?? ""
    return
      "    <outline type=\"rss\" text=\"\(title)\" title=\"\(title)\" xmlUrl=\"\(XMLText.escaped(feed.url))\"\(page)/>\n"
  }
}
