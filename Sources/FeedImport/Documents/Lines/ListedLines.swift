import DocumentReading
import FeedParsing
import Foundation
import NewsModel
import TextOutput
import WebAddress

/// Reads the lines that `list --json` and other commands write for articles, and groups them by feed.
///
/// Each line becomes a JSON Feed item: their members are nearly the same.
///
/// A list is usually sorted by date, so that its feeds alternate. The lines in a long list are first
/// distributed to parts of a temporary file, each with all lines for some feeds. Otherwise each group would
/// contain many feeds, each saved by itself with few articles, which costs several times as much per article
/// as saving hundreds together.
struct ListedLines: ListedArticles {
  private var reader: LineReader
  private var parts: Parts?
  /// True if the lines' feeds alternate.
  private let isMixed: Bool
  private(set) var mistakes = LineMistakes()
  private(set) var hasArticles = false

  /// The limits for lines in memory or in the temporary file, in bytes.
  struct Limits {
    /// A group with few feeds.
    var group = 4 << 20
    /// A group with many feeds: each feed is a document with its own save.
    var mixedGroup = 8 << 20
    /// The lines that are distributed together.
    var distributed = 1 << 30
  }

  private static let manyFeeds = 8

  private let limits: Limits

  /// The feed that all lines belong to; nil to use the feed that each line names.
  private let feed: WebAddress?

  init(_ document: InputDocument, feed: WebAddress?, limits: Limits = Limits()) {
    (self.feed, self.limits) = (feed, limits)
    let isLong = document.rest != nil || document.headCount > limits.mixedGroup
    isMixed = isLong && feed == nil && Self.isMixed(document)
    reader = LineReader(RewoundBytes(document.head, document.rest))
  }

  /// Returns the articles from the next lines, by feed; nil at the end. If several lines contain one article,
  /// later values replace earlier ones, and all marks count.
  ///
  /// - Parameter mustEnd: True if no more lines are wanted.
  mutating func next(until mustEnd: () -> Bool = { false }) -> [ConvertedFeed]? {
    let feeds = nextDistributed(until: mustEnd) ?? Self.group(&reader, of: feed, limits, &mistakes)
    hasArticles = hasArticles || !feeds.isEmpty
    return feeds.isEmpty ? nil : feeds.map(\.whole)
  }

  /// Returns the feeds in the next distributed lines; nil if lines are read in list order, or at the end.
  private mutating func nextDistributed(until mustEnd: () -> Bool) -> [Group]? {
    while isMixed {
      if let feeds = parts?.nextGroup(of: feed, limits, &mistakes) { return feeds }
      parts = distributed(until: mustEnd)
      if parts == nil { return nil }
    }
    return nil
  }

  /// Returns the feeds in a reader's next lines; empty at its end.
  ///
  /// - Parameters:
  ///   - feed: The feed that all lines belong to; nil to use the feed that each line names.
  ///   - isNumbered: True if the lines come from ``Parts``.
  private static func group(
    _ reader: inout LineReader, of feed: WebAddress?, isNumbered: Bool = false, _ limits: Limits,
    _ mistakes: inout LineMistakes
  ) -> [Group] {
    var feeds: [Group] = []
    var places: [WebAddress: Int] = [:]
    var bytes = 0
    while bytes < (feeds.count < manyFeeds ? limits.group : limits.mixedGroup),
      let item = item(&reader, of: feed, isNumbered, &mistakes)
    {
      let place = places[item.feed] ?? feeds.count
      if place == feeds.count {
        places[item.feed] = place
        feeds.append(Group(of: item.feed))
      }
      for region in feeds[place].add(item) where !Region.canBeTyped(region) {
        mistakes.addOnce("the region “\(region)” is left out: its name cannot be typed")
      }
      bytes += item.json.count
    }
    return feeds
  }

  /// Returns a reader's next item; nil at its end. Unreadable lines are noted.
  private static func item(
    _ reader: inout LineReader, of feed: WebAddress?, _ isNumbered: Bool, _ mistakes: inout LineMistakes
  ) -> ListedItem? {
    while var line = reader.next(noting: &mistakes) {
      var number = reader.number
      if isNumbered {
        let digits = reader.bytes[line].prefix { $0 != UInt8(ascii: " ") }
        number = digits.reduce(0) { $0 * 10 + Int($1 & 0xF) }
        line = digits.endIndex + 1..<line.upperBound
      }
      switch ListedItem.read(reader.bytes.span.extracting(line), of: feed) {
      case .failure(let mistake): mistakes.add(mistake.cause, inLine: number)
      case .success(let item): return item
      }
    }
    return nil
  }

  /// The lines in a temporary file, after their numbers. Each part has all lines for its feeds.
  private struct Parts {
    private let file: TemporaryParts
    private var reader: LineReader
    private var number = 0

    static let count = 128

    init(_ file: TemporaryParts) {
      self.file = file
      reader = LineReader(file.bytes(of: 0))
    }

    /// Returns the feeds in the next lines; nil at the end.
    mutating func nextGroup(
      of feed: WebAddress?, _ limits: Limits, _ mistakes: inout LineMistakes
    ) -> [Group]? {
      while true {
        let feeds = ListedLines.group(&reader, of: feed, isNumbered: true, limits, &mistakes)
        if !feeds.isEmpty { return feeds }
        number += 1
        guard number < Self.count else { return nil }
        reader = LineReader(file.bytes(of: number))
      }
    }
  }

  /// The time after which lines from a slow pipe are imported.
  private static let longestDistribution = Duration.seconds(10)
  /// The lines between two looks at the clock.
  private static let linesBetweenLooks = 1000

  /// Distributes the next lines by feed; nil without lines, or if no temporary file can be created.
  private mutating func distributed(until mustEnd: () -> Bool) -> Parts? {
    guard let file = TemporaryParts(count: Parts.count) else { return nil }
    let begin = ContinuousClock.now
    var (lines, bytes) = (0, 0)
    while bytes < limits.distributed, let line = reader.next(noting: &mistakes) {
      let part = Int(Self.feedHash(reader.bytes.span.extracting(line)) % UInt(Parts.count))
      let number = Array("\(reader.number) ".utf8)
      var hasRoom = file.append(number.span, to: part)
      hasRoom = file.append(reader.bytes.span.extracting(line), to: part) && hasRoom
      hasRoom = file.append(Self.lineFeed.span, to: part) && hasRoom
      lines += 1
      bytes += line.count
      guard hasRoom else { break }
      if lines % Self.linesBetweenLooks == 0,
        mustEnd() || ContinuousClock.now - begin > Self.longestDistribution
      {
        break
      }
    }
    return lines > 0 ? Parts(file) : nil
  }

  private static let lineFeed: [UInt8] = [0x0A]

  /// The first lines, which show whether the feeds alternate.
  private static let examinedLines = 256

  /// Returns whether the feeds in the first lines alternate.
  private static func isMixed(_ document: InputDocument) -> Bool {
    var reader = LineReader(RewoundBytes(document.head))
    var mistakes = LineMistakes()
    var feeds: Set<UInt> = []
    var last: UInt?
    // Rows: successive lines with the same feed.
    var (lines, rows) = (0, 0)
    while lines < examinedLines, let line = reader.next(noting: &mistakes) {
      let feed = feedHash(reader.bytes.span.extracting(line))
      feeds.insert(feed)
      if feed != last { rows += 1 }
      (last, lines) = (feed, lines + 1)
    }
    return feeds.count >= manyFeeds && rows > lines / 4
  }

  /// Returns a hash of the line's feed address; 0 for a line without one.
  private static func feedHash(_ line: Span<UInt8>) -> UInt {
    var hash: UInt = 0
    // A mistake is noted when the line is read again.
    JSONMembers.read(line) { key, value in
      guard case .string(let range, _) = value, JSONMembers.text(line, key) == ListedItem.feedName else {
        return
      }
      hash = UInt(bitPattern: JSONMembers.unescaped(line, range).hashValue)
    }
    return hash
  }

  private struct Group {
    private let address: WebAddress
    /// The first title in the lines.
    private var title: String?
    private var regions: [String] = []
    /// The regions on the last line that named any, as JSON.
    private var lastRegions: [UInt8] = []
    private var items: [ListedItem] = []
    /// The indexes in ``items``, by guid.
    private var places: [[UInt8]: Int] = [:]

    init(of address: WebAddress) {
      self.address = address
    }

    /// Adds an article, and returns the names in its line's regions that differ from the line before.
    mutating func add(_ item: ListedItem) -> [String] {
      title = title ?? item.feedTitle
      var named: [String] = []
      if !item.regions.isEmpty, item.regions != lastRegions {
        lastRegions = item.regions
        named = (try? JSONDecoder().decode([String].self, from: Data(lastRegions))) ?? []
        for name in named
        where Region.canBeTyped(name) && !regions.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
          regions.append(name)
        }
      }
      let guid = Array(item.guid.utf8)
      if let place = places[guid] {
        items[place] = item.completed(by: items[place])
      } else {
        places[guid] = items.count
        items.append(item)
      }
      return named
    }

    var whole: ConvertedFeed {
      var feed = ConvertedFeed(name: address.withoutPassword, address: address, title: title)
      feed.regions = regions
      for item in items { feed.add(item: item.json, id: item.guid, item.marks, item.others) }
      return feed
    }
  }
}
