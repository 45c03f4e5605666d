import TextOutput

internal import Markup

/// Reads and writes lists of feeds in OPML (opml.org/spec2.opml); damaged lists are read too.
public enum OPML {
  /// A feed of a list.
  public struct Entry: Sendable, Equatable {
    /// The address as written, not checked: `xmlUrl`, or `url` of an outline without another type than a feed.
    public let url: String
    /// The title (`text`, else `title`); nil without one.
    public let title: String?
    /// The page of the feed (`htmlUrl`); nil without one.
    public let homePage: String?
    /// The name of the nearest outline around the feed; nil at the top.
    public let folder: String?
  }

  /// The contents of a document.
  public struct List: Sendable, Equatable {
    /// The feeds, in the order of the document.
    public let entries: [Entry]
    /// True if the document ended before its last element did: feeds may be missing.
    public let isTruncated: Bool
  }

  /// The reason why a document could not be read.
  public struct Failure: Error, Sendable, Equatable {
    /// The cause as a text without control characters.
    public let cause: String
  }

  /// Returns the feeds of a document, in its order.
  ///
  /// - Throws: ``Failure`` if the document is not OPML or exceeds a limit.
  public static func read(_ bytes: [UInt8]) throws(Failure) -> List {
    let handler = OutlineHandler()
    var isTruncated = false
    do throws(XMLReadError) {
      let reader = try XMLDocumentReader(handler: handler)
      try unsafe bytes.span.bytes.withUnsafeBytes { buffer throws(XMLReadError) in
        try unsafe reader.read(buffer)
      }
      try reader.finish()
      isTruncated = reader.depth > 0
    } catch {
      switch error {
      case .limit(let limit): throw Failure(cause: "over the limit of \(limit.value) for \(limit.name)")
      case .outOfMemory: throw Failure(cause: "out of memory")
      }
    }
    guard handler.hasRoot else { throw Failure(cause: "not an OPML document") }
    return List(entries: handler.entries, isTruncated: isTruncated)
  }
}

extension OPML {
  /// A feed of a list to be written.
  public struct Outline: Sendable, Equatable {
    /// The address (`xmlUrl`).
    public let url: String
    /// The name for people; nil for the address.
    public let title: String?
    /// The page of the feed (`htmlUrl`); nil if it is unknown.
    public let homePage: String?

    /// Describes a feed.
    public init(url: String, title: String?, homePage: String?) {
      self.url = url
      self.title = title
      self.homePage = homePage
    }
  }

  /// Returns a document in OPML 2.0 (opml.org/spec2.opml), with an outline for each folder and its feeds. ``read(_:)``
  /// returns the same feeds.
  ///
  /// - Parameters:
  ///   - folders: Names and feeds, in their order.
  ///   - title: The title of the list.
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

/// Collects the outlines that have an address, with the names of the outlines around them.
private final class OutlineHandler: XMLEventHandler {
  private(set) var entries: [OPML.Entry] = []
  private(set) var hasRoot = false
  /// For each open element, its own folder or the folder around it.
  private var folders: [String?] = []
  /// The number of entries at the end of the last outline. After damage reading begins again there.
  private var settled = 0

  override func startElement(_ name: XMLName, _ attributes: XMLAttributes) {
    let around = folders.last ?? nil
    var folder = around
    if name.withLocalBytes({ $0.equalsIgnoringCase("opml") }) { hasRoot = true }
    if name.withLocalBytes({ $0.equalsIgnoringCase("outline") }) {
      let title = attributes.text("text") ?? attributes.text("title")
      if let url = attributes.text("xmlurl") ?? feedURL(attributes) {
        entries.append(
          .init(url: url, title: title, homePage: attributes.text("htmlurl"), folder: around))
      } else {
        folder = title ?? around
      }
    }
    folders.append(folder)
  }

  /// Returns the `url` of an outline, which some programs write instead of `xmlUrl`. Outlines of the types `link` and
  /// `include` have one too (opml.org/spec2.opml); it leads to a page or another list.
  private func feedURL(_ attributes: XMLAttributes) -> String? {
    let types = ["rss", "rss1", "rss2", "atom", "atom1", "jsonfeed", "json", "feed"]
    guard attributes.text("type").map({ types.contains($0.lowercased()) }) ?? true else { return nil }
    return attributes.text("url")
  }

  override func endElement() -> Bool {
    _ = folders.popLast()
    settled = entries.count
    return true
  }

  override func recover(_ step: XMLRecovery) {
    guard case .rollBack(let depth) = step else { return }
    entries.removeLast(entries.count - settled)
    folders.removeLast(max(0, folders.count - depth))
  }
}

extension XMLAttributes {
  /// Returns the value of an attribute, its name in any case; nil if it is missing or blank.
  fileprivate func text(_ wanted: StaticString) -> String? {
    for index in 0..<count {
      guard let name = name(at: index), name.withLocalBytes({ $0.equalsIgnoringCase(wanted) }) else {
        continue
      }
      var bytes: [UInt8] = []
      appendValue(at: index, to: &bytes)
      let value = String(decoding: bytes, as: UTF8.self)
      return value.allSatisfy(\.isWhitespace) ? nil : value
    }
    return nil
  }
}
