import DocumentReading
import FeedParsing
import Foundation
import NewsModel
import TextOutput
import WebAddress

/// Reads the lines that `list --json` and other commands write for articles, and groups them by feed.
///
/// Their members are nearly those of a JSON Feed, so that each becomes an item of one.
///
/// A list is usually sorted by date, so that the lines of its feeds alternate. Those of a long one are first distributed to the
/// parts of a temporary file, each with all lines of some feeds, because each feed of a group is a document with a save of its
/// own: an article in a save of a few costs several times as much as in a save of hundreds.
struct ListedLines {
  private var reader: LineReader
  private var parts: Parts?
  /// True if the feeds of the lines alternate.
  private let isMixed: Bool
  private(set) var mistakes = LineMistakes()
  /// True if a line was an article.
  private(set) var hasArticles = false

  /// The limits of what is in memory or in the temporary file, in bytes.
  struct Limits {
    /// A group of few feeds.
    var group = 4 << 20
    /// A group of many feeds: each feed is a document with a save of its own.
    var mixedGroup = 8 << 20
    /// The lines that are distributed together.
    var distributed = 1 << 30
  }

  private static let manyFeeds = 8

  private let limits: Limits

  /// The feed that all lines belong to; nil for those that they name.
  private let feed: WebAddress?

  init(_ document: InputDocument, feed: WebAddress?, limits: Limits = Limits()) {
    (self.feed, self.limits) = (feed, limits)
    let isLong = document.rest != nil || document.headCount > limits.mixedGroup
    isMixed = isLong && feed == nil && Self.isMixed(document)
    reader = LineReader(RewoundBytes(document.head, document.rest))
  }

  /// Returns the articles of the next lines, by feed; nil at the end. Of several lines of an article, later ones replace the
  /// values of earlier ones, and the marks of all count.
  ///
  /// - Parameter mustEnd: True if no more lines are wanted.
  mutating func next(until mustEnd: () -> Bool = { false }) -> [ConvertedFeed]? {
    let feeds = nextDistributed(until: mustEnd) ?? Self.group(&reader, of: feed, limits, &mistakes)
    hasArticles = hasArticles || !feeds.isEmpty
    return feeds.isEmpty ? nil : feeds.map(\.whole)
  }

  /// Returns the feeds of the next lines that were distributed; nil if the lines are read as they come, or at the end.
  private mutating func nextDistributed(until mustEnd: () -> Bool) -> [Group]? {
    while isMixed {
      if let feeds = parts?.nextGroup(of: feed, limits, &mistakes) { return feeds }
      parts = distributed(until: mustEnd)
      if parts == nil { return nil }
    }
    return nil
  }

  /// Returns the feeds of the next lines of a reader; empty at its end.
  ///
  /// - Parameters:
  ///   - feed: The feed that all lines belong to; nil for those that they name.
  ///   - isNumbered: True if the lines are those of ``Parts``.
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
        var feed = ConvertedFeed(name: item.feed.withoutPassword, address: item.feed, title: item.feedTitle)
        feed.regions = regions(item.regions)
        feeds.append(Group(feed: feed))
      }
      feeds[place].add(item)
      bytes += item.json.count
    }
    return feeds
  }

  /// Returns the next item of a reader; nil at its end. Lines that cannot be read are noted.
  private static func item(
    _ reader: inout LineReader, of feed: WebAddress?, _ isNumbered: Bool, _ mistakes: inout LineMistakes
  ) -> Item? {
    while var line = reader.next(noting: &mistakes) {
      var number = reader.number
      if isNumbered {
        let digits = reader.bytes[line].prefix { $0 != UInt8(ascii: " ") }
        number = digits.reduce(0) { $0 * 10 + Int($1 & 0xF) }
        line = digits.endIndex + 1..<line.upperBound
      }
      switch item(reader.bytes.span.extracting(line), of: feed) {
      case .failure(let mistake): mistakes.add(mistake.cause, inLine: number)
      case .success(let item): return item
      }
    }
    return nil
  }

  /// The lines of a temporary file, of which each part has all lines of its feeds. The number of a line and a space precede it.
  private struct Parts {
    private let file: TemporaryParts
    private var reader: LineReader
    private var number = 0

    static let count = 128

    init(_ file: TemporaryParts) {
      self.file = file
      reader = LineReader(file.bytes(of: 0))
    }

    /// Returns the feeds of the next lines; nil at the end.
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

  /// The time after which the lines of a slow pipe are imported.
  private static let longestDistribution = Duration.seconds(10)
  /// The lines after which the time is read again.
  private static let linesBetweenLooks = 1000

  /// Distributes the next lines by their feeds; nil without a file to do that, or without lines.
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

  /// The number of the first lines that show whether the feeds alternate.
  private static let examinedLines = 256

  /// Returns whether the feeds of the first lines alternate.
  private static func isMixed(_ document: InputDocument) -> Bool {
    var reader = LineReader(RewoundBytes(document.head))
    var mistakes = LineMistakes()
    var feeds: Set<UInt> = []
    var last: UInt?
    // The number of rows of lines of one feed.
    var (lines, rows) = (0, 0)
    while lines < examinedLines, let line = reader.next(noting: &mistakes) {
      let feed = feedHash(reader.bytes.span.extracting(line))
      feeds.insert(feed)
      if feed != last { rows += 1 }
      (last, lines) = (feed, lines + 1)
    }
    return feeds.count >= manyFeeds && rows > lines / 4
  }

  /// Returns a hash of the address of a line's feed; 0 for a line without one.
  private static func feedHash(_ line: Span<UInt8>) -> UInt {
    var hash: UInt = 0
    do throws(JSONMembers.Mistake) {
      try JSONMembers.read(line) { key, value in
        guard case .string(let range, _) = value, JSONMembers.text(line, key) == Member.feed.rawValue else {
          return
        }
        hash = UInt(bitPattern: JSONMembers.unescaped(line, range).hashValue)
      }
    } catch {
      // The mistake is noted when the line is read again.
    }
    return hash
  }

  /// The articles of one feed.
  private struct Group {
    let feed: ConvertedFeed
    private var items: [Item] = []
    /// The indexes of ``items``, by their guids.
    private var places: [[UInt8]: Int] = [:]

    init(feed: ConvertedFeed) {
      self.feed = feed
    }

    mutating func add(_ item: Item) {
      let guid = Array(item.guid.utf8)
      if let place = places[guid] {
        items[place] = item.completed(by: items[place])
      } else {
        places[guid] = items.count
        items.append(item)
      }
    }

    /// The feed with all articles.
    var whole: ConvertedFeed {
      var feed = feed
      for item in items { feed.add(item: item.json, id: item.guid, item.marks, item.others) }
      return feed
    }
  }

  private struct Item {
    var feed = WebAddress("")
    var feedTitle: String?
    /// The names of the regions, as JSON.
    var regions: [UInt8] = []
    var guid = ""
    var marks: Set<ArticleMark> = []
    var others = ConvertedFeed.OtherValues()
    var json: [UInt8] = []

    /// Returns the article with the marks of an earlier line of it, and with the values that only that line has.
    func completed(by earlier: Item) -> Item {
      var item = self
      item.marks.formUnion(earlier.marks)
      item.others.commentsURL = item.others.commentsURL ?? earlier.others.commentsURL
      item.others.members = item.others.members ?? earlier.others.members
      let own = Set(ListedLines.members(json).map(\.name))
      item.json.removeLast()
      for (name, place) in ListedLines.members(earlier.json) where !own.contains(name) {
        ListedLines.append(name, earlier.json[place], to: &item.json)
      }
      item.json.append(UInt8(ascii: "}"))
      return item
    }
  }

  /// Returns the names of the members of an item, and the places of their values.
  private static func members(_ item: [UInt8]) -> [(name: String, place: Range<Int>)] {
    var members: [(name: String, place: Range<Int>)] = []
    do throws(JSONMembers.Mistake) {
      try JSONMembers.read(item.span) { key, value in
        if let place = place(of: value) { members.append((JSONMembers.text(item.span, key), place)) }
      }
    } catch {
      // The item was written here, so it is an object.
    }
    return members
  }

  /// Adds a member to an item without its end.
  private static func append(_ name: String, _ value: some Sequence<UInt8>, to item: inout [UInt8]) {
    if item.count > 1 { item.append(UInt8(ascii: ",")) }
    item.append(UInt8(ascii: "\""))
    item += name.utf8
    item += "\":".utf8
    item += value
  }

  /// A member of a line that is read.
  private enum Member: String {
    case feed
    case feedTitle = "feed_title"
    case regions, guid, url, title, published, modified, authors, tags, summary
    case contentHTML = "content_html"
    case attachments, image, language
    case externalURL = "external_url"
    case commentsURL = "comments_url"
    case members, read, starred, edits

    /// The name of the member in a JSON Feed; nil if it has none there.
    var feedName: String? {
      switch self {
      case .guid: "id"
      case .published: "date_published"
      case .modified: "date_modified"
      case .url, .title, .authors, .tags, .summary, .contentHTML, .attachments, .image, .language,
        .externalURL:
        rawValue
      case .feed, .feedTitle, .regions, .commentsURL, .members, .read, .starred, .edits: nil
      }
    }
  }

  /// Returns the item of a line.
  ///
  /// - Parameter feed: The feed that all lines belong to; nil for those that they name.
  private static func item(_ line: Span<UInt8>, of feed: WebAddress?) -> Result<Item, TableRows.Mistake> {
    var item = Item(json: [UInt8(ascii: "{")])
    var wrong: String?
    do throws(JSONMembers.Mistake) {
      try JSONMembers.read(line) { key, value in
        guard let member = Member(rawValue: JSONMembers.text(line, key)) else { return }
        if let cause = Self.mistake(member, value, in: line) { wrong = wrong ?? cause }
        switch (member, value) {
        case (_, .null): return
        case (.feed, .string(let range, _)): item.feed = WebAddress(JSONMembers.unescaped(line, range))
        case (.feedTitle, .string(let range, _)): item.feedTitle = JSONMembers.unescaped(line, range)
        case (.regions, .nested(let range)):
          unsafe line.extracting(range).withUnsafeBufferPointer { unsafe item.regions = Array($0) }
        case (.commentsURL, .string(let range, _)):
          item.others.commentsURL = Array(JSONMembers.unescaped(line, range).utf8)
        case (.members, .nested(let range)):
          let object = line.extracting(range)
          // In strings there are no control characters.
          if !JSONShape.isEmpty(object) {
            item.others.members = object.indices.map { max(object[$0], UInt8(ascii: " ")) }
          }
        case (.read, .bool(true)): item.marks.insert(.read)
        case (.starred, .bool(true)): item.marks.insert(.starred)
        default:
          guard let name = member.feedName, let place = Self.place(of: value) else { return }
          if case .string(let range, _) = value, member == .guid {
            item.guid = JSONMembers.unescaped(line, range)
          }
          unsafe line.extracting(place).withUnsafeBufferPointer {
            unsafe Self.append(name, $0, to: &item.json)
          }
        }
      }
    } catch {
      wrong = Self.isOtherJSON(line) ? "not an object" : "not JSON after \(error.position) bytes"
    }
    if let feed, item.feed.text.isEmpty { item.feed = feed }
    if wrong == nil, item.guid.isEmpty { wrong = "no “guid”, the article's identity in its feed" }
    if wrong == nil, item.feed.text.isEmpty {
      wrong = "no “feed”; --feed URL or --feed file:NAME names one for all lines"
    }
    if wrong == nil, item.feed.problem != nil, !item.feed.isFile { wrong = "“feed” is not an address" }
    if let wrong { return .failure(TableRows.Mistake(cause: wrong)) }
    item.json.append(UInt8(ascii: "}"))
    return .success(item)
  }

  /// Returns whether a line begins like a list, a text, a number or another value of JSON that is no object.
  private static func isOtherJSON(_ line: Span<UInt8>) -> Bool {
    var place = 0
    while place < line.count, [0x20, 0x09].contains(line[place]) { place += 1 }
    return place < line.count && "[\"-0123456789".utf8.contains(line[place])
  }

  /// Returns the names of a list of regions, without those that a user could not type.
  private static func regions(_ list: [UInt8]) -> [String] {
    let names = (try? JSONDecoder().decode([String].self, from: Data(list))) ?? []
    return names.filter(Region.canBeTyped)
  }

  /// Returns why a member has the wrong type; nil if it has the right one.
  private static func mistake(
    _ member: Member, _ value: JSONMembers.Value, in line: Span<UInt8>
  ) -> String? {
    if case .null = value { return nil }
    let wanted: String
    switch (member, value) {
    case (.read, .bool), (.starred, .bool), (.edits, .number): return nil
    case (.read, _), (.starred, _): wanted = "true or false"
    case (.edits, _): wanted = "a number"
    case (.members, .nested(let range)) where line[range.lowerBound] == UInt8(ascii: "{"): return nil
    case (.members, _): wanted = "an object"
    case (.authors, _), (.tags, _), (.regions, _), (.attachments, _):
      if isList(value, of: member, in: line) { return nil }
      wanted =
        switch member {
        case .authors: "a list of objects"
        case .attachments: "a list of objects with “url”"
        default: "a list of texts"
        }
    case (.published, .string(let range, _)), (.modified, .string(let range, _)):
      if DateParser.seconds(JSONMembers.unescaped(line, range)) != nil { return nil }
      wanted = "a date such as 2026-11-21T09:12:00Z"
    case (_, .string): return nil
    default: wanted = "a text"
    }
    return "“\(member.rawValue)” is not \(wanted)"
  }

  /// Returns whether a value is a list with elements of the right type.
  private static func isList(_ value: JSONMembers.Value, of member: Member, in line: Span<UInt8>) -> Bool {
    guard case .nested(let range) = value, line[range.lowerBound] == UInt8(ascii: "[") else { return false }
    var isRight = true
    JSONMembers.readElements(line, of: range) { element in
      switch (member, element) {
      // A text among authors is a name.
      case (.authors, .string), (.tags, .string), (.regions, .string): return
      case (.authors, .nested(let place)) where line[place.lowerBound] == UInt8(ascii: "{"): return
      case (.attachments, .nested(let place)) where hasAddress(line.extracting(place)): return
      default: isRight = false
      }
    }
    return isRight
  }

  /// Returns whether a value is an object with a text as its `url`.
  private static func hasAddress(_ value: Span<UInt8>) -> Bool {
    var hasAddress = false
    do throws(JSONMembers.Mistake) {
      try JSONMembers.read(value) { key, member in
        if case .string = member, JSONMembers.text(value, key) == "url" { hasAddress = true }
      }
    } catch {
      return false
    }
    return hasAddress
  }

  /// The place of a value as it is written, with its quotation marks.
  private static func place(of value: JSONMembers.Value) -> Range<Int>? {
    switch value {
    case .string(let range, _): range.lowerBound - 1..<range.upperBound + 1
    case .nested(let range), .number(let range): range
    default: nil
    }
  }
}
