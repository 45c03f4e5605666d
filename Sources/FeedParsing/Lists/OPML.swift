import TextOutput

internal import Markup

/// Reads and writes feed lists in OPML (opml.org/spec2.opml). Damaged lists can be read as well.
public enum OPML {
  /// A feed in a list.
  public struct Entry: Sendable, Equatable {
    /// The address as written, not checked: `xmlUrl`, or `url` if the outline has no type or a feed's type.
    public let url: String
    /// The title (`text`, else `title`); nil without one.
    public let title: String?
    /// The feed's page (`htmlUrl`); nil without one.
    public let homePage: String?
    /// The name of the nearest outline around the feed; nil at the top. A folder that a program makes for a
    /// single feed, with its title, does not count.
    public internal(set) var folder: String?
    /// The folders or tags in the attribute `category`: the last name from each path.
    public let categories: [String]
    /// True if the address leads to a page or data from which another program makes a feed.
    public let isScraped: Bool
  }

  /// A document's contents.
  public struct List: Sendable, Equatable {
    /// The feeds, in document order.
    public let entries: [Entry]
    /// True if the document ended before its last element did: feeds may be missing.
    public let isTruncated: Bool
    /// True if tags are damaged: feeds may be missing or wrong.
    public let isDamaged: Bool
  }

  /// The reason why a document could not be read.
  public struct Failure: Error, Sendable, Equatable {
    /// The cause as a text without control characters.
    public let cause: String
  }

  /// Returns a document's feeds, in its order.
  ///
  /// - Throws: ``Failure`` if the document is not OPML or exceeds a limit.
  public static func read(_ bytes: [UInt8]) throws(Failure) -> List {
    let handler = OutlineHandler()
    var (isTruncated, isDamaged) = (false, false)
    do throws(XMLReadError) {
      let reader = try XMLDocumentReader(handler: handler)
      try unsafe bytes.span.bytes.withUnsafeBytes { buffer throws(XMLReadError) in
        try unsafe reader.read(buffer)
      }
      try reader.finish()
      (isTruncated, isDamaged) = (reader.depth > 0, reader.hasDamagedTags)
    } catch {
      switch error {
      case .limit(let limit): throw Failure(cause: "over the limit of \(limit.value) for \(limit.name)")
      case .outOfMemory: throw Failure(cause: "out of memory")
      }
    }
    guard handler.hasRoot else { throw Failure(cause: "not an OPML document") }
    return List(entries: handler.entries, isTruncated: isTruncated, isDamaged: isDamaged)
  }
}

extension OPML {
  /// A feed to be written to a list.
  public struct Outline: Sendable, Equatable {
    /// The address (`xmlUrl`).
    public let url: String
    /// The name for people; nil to use the address.
    public let title: String?
    /// The feed's page (`htmlUrl`); nil if it is unknown.
    public let homePage: String?

    /// Describes a feed.
    public init(url: String, title: String?, homePage: String?) {
      self.url = url
      self.title = title
      self.homePage = homePage
    }
  }

  /// Returns a document in OPML 2.0 (opml.org/spec2.opml), with an outline for each folder and its feeds.
  ///
  /// ``read(_:)`` returns the same feeds.
  ///
  /// - Parameters:
  ///   - folders: Names and feeds, in their order.
  ///   - title: The list's title.
  /// - Returns: The document's parts, to be written one after the other.
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
  /// An open element.
  private struct Level {
    /// Its own name if it is a folder, else the name of the folder around it.
    var folder: String?
    /// The name of the folder around it.
    let outer: String?
    /// The count of feeds before it.
    let firstEntry: Int
    /// True for an outline with a name and without an address.
    var isFolder = false
    /// True if it contains outlines without an address.
    var hasFolders = false
  }

  private(set) var entries: [OPML.Entry] = []
  private(set) var hasRoot = false
  private var levels: [Level] = []
  /// True if Thunderbird wrote the list, which has a folder for each feed.
  private var isOfThunderbird = false
  /// The entry count at the last outline's end. After damage, reading begins again there.
  private var settled = 0

  override func startElement(_ name: XMLName, _ attributes: XMLAttributes) {
    let around = levels.last?.folder
    var level = Level(folder: around, outer: around, firstEntry: entries.count)
    if name.withLocalBytes({ $0.equalsIgnoringCase("opml") }) { hasRoot = true }
    if name.withLocalBytes({ $0.equalsIgnoringCase("outline") }) {
      let title = attributes.text("text") ?? attributes.text("title")
      if let url = attributes.text("xmlurl") ?? feedURL(attributes) {
        entries.append(
          .init(
            url: url, title: title, homePage: attributes.text("htmlurl"), folder: around,
            categories: Self.categories(attributes.text("category")), isScraped: Self.isScraped(attributes)))
        if attributes.text("quickmode") ?? attributes.text("fz:quickmode") != nil { isOfThunderbird = true }
      } else {
        if !levels.isEmpty { levels[levels.count - 1].hasFolders = true }
        level.folder = title ?? around
        level.isFolder = title != nil
      }
    }
    levels.append(level)
  }

  /// Returns the last name from each path in a category list. Slashes separate the names in a path.
  private static func categories(_ list: String?) -> [String] {
    var names: [String] = []
    for path in (list ?? "").split(separator: ",") {
      guard let last = path.split(separator: "/").last(where: { !$0.allSatisfy(\.isWhitespace) }) else {
        continue
      }
      let start = last.drop(while: \.isWhitespace)
      let name = String(start[...(start.lastIndex { !$0.isWhitespace } ?? start.startIndex)])
      if !names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { names.append(name) }
    }
    return names
  }

  /// Returns whether an outline's type is one that FreshRSS uses for pages and data, such as `HTML+XPath` and
  /// `JSON+DotNotation`.
  private static func isScraped(_ attributes: XMLAttributes) -> Bool {
    let type = attributes.text("type")?.lowercased() ?? ""
    return type.contains("xpath") || type.contains("dotnotation")
  }

  /// Returns an outline's `url`, which some programs write instead of `xmlUrl`.
  ///
  /// Outlines with the types `link` and `include` also have one (opml.org/spec2.opml), but it leads to a page
  /// or another list.
  private func feedURL(_ attributes: XMLAttributes) -> String? {
    let types = ["rss", "rss1", "rss2", "atom", "atom1", "jsonfeed", "json", "feed"]
    guard attributes.text("type").map({ types.contains($0.lowercased()) }) ?? true else { return nil }
    return attributes.text("url")
  }

  override func endElement() -> Bool {
    if let level = levels.popLast(), level.isFolder { leave(level) }
    settled = entries.count
    return true
  }

  /// Moves a folder's only feed, if it has the folder's name, to the folder around it.
  private func leave(_ folder: Level) {
    guard entries.count == folder.firstEntry + 1, !folder.hasFolders, folder.outer != nil || isOfThunderbird,
      let name = folder.folder, let title = entries[folder.firstEntry].title,
      Self.letters(name) == Self.letters(title)
    else { return }
    entries[folder.firstEntry].folder = folder.outer
  }

  /// Returns a name's letters and digits. Thunderbird replaces characters that a file name cannot have.
  private static func letters(_ name: String) -> String {
    name.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  override func recover(_ step: XMLRecovery) {
    guard case .rollBack(let depth) = step else { return }
    entries.removeLast(entries.count - settled)
    levels.removeLast(max(0, levels.count - depth))
  }
}

extension XMLAttributes {
  /// Returns an attribute's value, with its name in any case; nil if it is missing or blank.
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
