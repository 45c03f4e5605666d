import FeedParsing
import WebAddress

/// A list of feeds that a user brings: OPML, or a text with an address a line.
struct FeedList: Equatable {
  /// One feed of a list.
  struct Entry: Equatable {
    /// As it is written; not checked.
    let url: String
    /// The outline around it; nil for none.
    let folder: String?
    /// The feed's title; nil for none.
    var title: String?
    /// The page that it belongs to; nil for none.
    var homePage: String?
  }

  /// In the order of the list.
  var entries: [Entry]
  /// Whether the list ended before it should.
  var isTruncated: Bool
  /// Whether it is a text with addresses, and no OPML.
  var isText = false

  /// Reads a list.
  ///
  /// - Throws: What no list can be made of.
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

  /// The addresses of a text: the first word of each line, as newsboat's list has them; empty lines and those that begin
  /// with `#` are passed over.
  static func addresses(in bytes: [UInt8]) -> [String] {
    withoutMark(bytes).split(whereSeparator: { $0 == 10 || $0 == 13 }).compactMap { line in
      guard let word = line.split(whereSeparator: { $0 == 32 || $0 == 9 }).first, word.first != 0x23 else {
        return nil
      }
      return String(decoding: word, as: UTF8.self)
    }
  }

  /// Markup begins with `<`; UTF-16 has zeros there, and is no list of addresses.
  private static func isText(_ bytes: [UInt8]) -> Bool {
    let start = withoutMark(bytes).drop { [9, 10, 13, 32].contains($0) }.prefix(2)
    return start.first != 0x3C && !start.contains { $0 == 0 || $0 >= 0xFE }
  }

  private static func withoutMark(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
  }
}
