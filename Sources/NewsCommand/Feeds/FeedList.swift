import FeedParsing

/// A feed list that a user imports: OPML, or text with an address on each line.
struct FeedList: Equatable {
  /// A feed in the list.
  struct Entry: Equatable {
    /// The address as written in the list; not checked.
    let url: String
    /// The enclosing outline's title; nil for none.
    let folder: String?
    /// The folders or tags that the feed itself names.
    var categories: [String] = []
    /// True if the address is a web page that another program turns into a feed.
    var isScraped = false
    /// The feed's title; nil for none.
    var title: String?
    /// The feed's web page; nil for none.
    var homePage: String?
    /// The line number in a text list, from 1; nil in OPML.
    var line: Int?
  }

  /// The feeds in list order.
  var entries: [Entry]
  /// True if the file ended too early.
  var isTruncated: Bool
  /// True if feeds may be missing or wrong, because tags are damaged.
  var isDamaged = false
  /// True if the list is a text with addresses, and not OPML.
  var isText = false

  /// - Throws: The reason why the bytes are not a list.
  init(_ bytes: [UInt8]) throws(OPML.Failure) {
    guard Self.isText(bytes) else {
      let list = try OPML.read(bytes)
      entries = list.entries.map {
        Entry(
          url: $0.url, folder: $0.folder, categories: $0.categories, isScraped: $0.isScraped, title: $0.title,
          homePage: $0.homePage)
      }
      (isTruncated, isDamaged) = (list.isTruncated, list.isDamaged)
      return
    }
    entries = Self.lines(of: bytes).map { Entry(url: $0.address, folder: nil, line: $0.number) }
    (isTruncated, isText) = (false, true)
  }

  /// Returns the addresses in a text: each line's first word, and later words that are web addresses. Other
  /// words are tags, as in newsboat's list. Empty lines and lines that begin with `#` are skipped.
  static func addresses(in bytes: [UInt8]) -> [String] { lines(of: bytes).map(\.address) }

  /// Returns the ``addresses(in:)`` with their line numbers, from 1.
  private static func lines(of bytes: [UInt8]) -> [(number: Int, address: String)] {
    var found: [(number: Int, address: String)] = []
    var number = 0
    // A line ends with a line feed, a carriage return, or both.
    for part in withoutMark(bytes).split(separator: 10, omittingEmptySubsequences: false) {
      let line = part.last == 13 ? part.dropLast() : part
      for line in line.split(separator: 13, omittingEmptySubsequences: false) {
        number += 1
        let words = line.split(whereSeparator: { $0 == 32 || $0 == 9 }).map {
          String(decoding: $0, as: UTF8.self)
        }
        guard let first = words.first, !first.hasPrefix("#") else { continue }
        found.append((number, first))
        for word in words.dropFirst() where word.hasPrefix("http://") || word.hasPrefix("https://") {
          found.append((number, word))
        }
      }
    }
    return found
  }

  /// Returns true if the bytes do not begin with markup. Markup begins with `<`; UTF-16 has zeros there, and
  /// is not an address list.
  private static func isText(_ bytes: [UInt8]) -> Bool {
    let start = withoutMark(bytes).drop { [9, 10, 13, 32].contains($0) }.prefix(2)
    return start.first != 0x3C && !start.contains { $0 == 0 || $0 >= 0xFE }
  }

  private static func withoutMark(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
  }
}
