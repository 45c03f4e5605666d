import FeedParsing

/// A list of feeds that a user imports: OPML, or a text with one address a line.
struct FeedList: Equatable {
  /// A feed in the list.
  struct Entry: Equatable {
    /// The address as written in the list; not checked.
    let url: String
    /// The title of the enclosing outline; nil for none.
    let folder: String?
    /// The feed's title; nil for none.
    var title: String?
    /// The address of the feed's web page; nil for none.
    var homePage: String?
  }

  /// The feeds in the order of the list.
  var entries: [Entry]
  /// True if the file ended too early.
  var isTruncated: Bool
  /// True if the list is a text with addresses, and not OPML.
  var isText = false

  /// Reads a list.
  ///
  /// - Throws: The reason why the bytes are not a list.
  init(_ bytes: [UInt8]) throws(OPML.Failure) {
    guard Self.isText(bytes) else {
      let list = try OPML.read(bytes)
      entries = list.entries.map {
        Entry(url: $0.url, folder: $0.folder, title: $0.title, homePage: $0.homePage)
      }
      isTruncated = list.isTruncated
      return
    }
    entries = Self.addresses(in: bytes).map { Entry(url: $0, folder: nil) }
    (isTruncated, isText) = (false, true)
  }

  /// Returns the addresses in a text: the first word of each line, and the words after it that are web addresses. Other
  /// words are tags, as in newsboat's list. Empty lines and lines that begin with `#` are skipped.
  static func addresses(in bytes: [UInt8]) -> [String] {
    withoutMark(bytes).split(whereSeparator: { $0 == 10 || $0 == 13 }).flatMap { line in
      let words = line.split(whereSeparator: { $0 == 32 || $0 == 9 }).map {
        String(decoding: $0, as: UTF8.self)
      }
      guard let first = words.first, !first.hasPrefix("#") else { return [] as [String] }
      return [first] + words.dropFirst().filter { $0.hasPrefix("http://") || $0.hasPrefix("https://") }
    }
  }

  /// Returns true if the bytes do not begin with markup. Markup begins with `<`; UTF-16 has zeros there, and
  /// is not a list of addresses.
  private static func isText(_ bytes: [UInt8]) -> Bool {
    let start = withoutMark(bytes).drop { [9, 10, 13, 32].contains($0) }.prefix(2)
    return start.first != 0x3C && !start.contains { $0 == 0 || $0 >= 0xFE }
  }

  private static func withoutMark(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
  }
}
