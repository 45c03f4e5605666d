import FeedParsing

/// A list of feeds that a user imports: OPML, or a text with one address a line.
struct FeedList: Equatable {
  /// A feed in the list.
  struct Entry: Equatable {
    /// The address as written in the list; not checked.
    let url: String
    /// The title of the enclosing outline; nil for none.
    let folder: String?
    /// The folders or tags that the feed itself names.
    var categories: [String] = []
    /// True if the address is a page from which another program makes a feed.
    var isScraped = false
    /// The feed's title; nil for none.
    var title: String?
    /// The address of the feed's web page; nil for none.
    var homePage: String?
    /// The number of its line in a list of addresses, from 1; nil in OPML.
    var line: Int?
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
        Entry(
          url: $0.url, folder: $0.folder, categories: $0.categories, isScraped: $0.isScraped, title: $0.title,
          homePage: $0.homePage)
      }
      isTruncated = list.isTruncated
      return
    }
    entries = Self.lines(of: bytes).map { Entry(url: $0.address, folder: nil, line: $0.number) }
    (isTruncated, isText) = (false, true)
  }

  /// Returns the addresses in a text: the first word of each line, and the words after it that are web addresses. Other
  /// words are tags, as in newsboat's list. Empty lines and lines that begin with `#` are skipped.
  static func addresses(in bytes: [UInt8]) -> [String] { lines(of: bytes).map(\.address) }

  /// Returns the ``addresses(in:)`` with the numbers of their lines, from 1.
  private static func lines(of bytes: [UInt8]) -> [(number: Int, address: String)] {
    var found: [(number: Int, address: String)] = []
    var number = 0
    // A carriage return alone, and one before a line feed, end a line.
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
  /// is not a list of addresses.
  private static func isText(_ bytes: [UInt8]) -> Bool {
    let start = withoutMark(bytes).drop { [9, 10, 13, 32].contains($0) }.prefix(2)
    return start.first != 0x3C && !start.contains { $0 == 0 || $0 >= 0xFE }
  }

  private static func withoutMark(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
  }
}
