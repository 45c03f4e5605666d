import FeedParsing
import NewsModel
import TextOutput
import WebAddress

/// An article from a line that `list --json` or another command has written, as a JSON Feed item.
struct ListedItem {
  var feed = WebAddress("")
  var feedTitle: String?
  /// The region names, as JSON.
  var regions: [UInt8] = []
  var guid = ""
  /// The marks that this line, or another line for the article, names.
  var marks: Set<ArticleMark> = []
  var others = ConvertedFeed.OtherValues()
  /// The JSON Feed item.
  var json: [UInt8] = []

  /// Returns the article with an earlier line's marks, and with values that only the earlier line has.
  func completed(by earlier: ListedItem) -> ListedItem {
    var item = self
    item.marks.formUnion(earlier.marks)
    item.others.commentsURL = item.others.commentsURL ?? earlier.others.commentsURL
    item.others.members = item.others.members ?? earlier.others.members
    let own = Set(Self.members(json).map(\.name))
    item.json.removeLast()
    for (name, place) in Self.members(earlier.json) where !own.contains(name) {
      Self.append(name, earlier.json[place], to: &item.json)
    }
    item.json.append(UInt8(ascii: "}"))
    return item
  }

  /// Returns an item's member names with their values' ranges.
  private static func members(_ item: [UInt8]) -> [(name: String, place: Range<Int>)] {
    var members: [(name: String, place: Range<Int>)] = []
    // The item was written here, so it is an object.
    JSONMembers.read(item.span) { key, value in
      if let place = place(of: value) { members.append((JSONMembers.text(item.span, key), place)) }
    }
    return members
  }

  /// Adds a member to an unfinished item.
  private static func append(_ name: String, _ value: some Sequence<UInt8>, to item: inout [UInt8]) {
    if item.count > 1 { item.append(UInt8(ascii: ",")) }
    item.append(UInt8(ascii: "\""))
    item += name.utf8
    item += "\":".utf8
    item += value
  }

  /// The name of the member that holds the feed's address.
  static let feedName = Member.feed.rawValue

  private enum Member: String {
    case feed
    case feedTitle = "feed_title"
    case regions, guid, url, title, published, modified, authors, tags, summary
    case contentHTML = "content_html"
    case attachments, image, language
    case externalURL = "external_url"
    case commentsURL = "comments_url"
    case members, read, starred, edits

    /// The member's name in a JSON Feed; nil if it does not occur there.
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

  /// The reason why a line is not an article.
  struct Mistake: Error, Equatable {
    let cause: String
  }

  /// Reads a line.
  ///
  /// - Parameter feed: The feed that all lines belong to; nil to use the feed that each line names.
  static func read(_ line: Span<UInt8>, of feed: WebAddress?) -> Result<ListedItem, Mistake> {
    var item = ListedItem(json: [UInt8(ascii: "{")])
    var wrong: String?
    let mistake = JSONMembers.read(line) { key, value in
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
        // Strings contain no control characters.
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
    if let mistake { wrong = Self.isOtherJSON(line) ? "not an object" : "not JSON after \(mistake) bytes" }
    if let feed, item.feed.text.isEmpty { item.feed = feed }
    if wrong == nil, item.guid.isEmpty { wrong = "no “guid”, the article's identity in its feed" }
    if wrong == nil, item.feed.text.isEmpty {
      wrong = "no “feed”; --feed URL or --feed file:NAME names one for all lines"
    }
    if wrong == nil, item.feed.problem != nil, !item.feed.isFile { wrong = "“feed” is not an address" }
    if let wrong { return .failure(Mistake(cause: wrong)) }
    item.json.append(UInt8(ascii: "}"))
    return .success(item)
  }

  /// Returns whether a line begins like any JSON value except an object.
  private static func isOtherJSON(_ line: Span<UInt8>) -> Bool {
    var place = 0
    while place < line.count, [0x20, 0x09].contains(line[place]) { place += 1 }
    let rest = line.extracting(place..<line.count)
    return !rest.isEmpty && "[\"-0123456789".utf8.contains(rest[0])
      || ["null", "true", "false"].contains { word in
        rest.count == word.utf8.count && zip(rest.indices, word.utf8).allSatisfy { rest[$0] == $1 }
      }
  }

  /// Returns the reason why a member has the wrong type; nil if the type is right.
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
    let mistake = JSONMembers.read(value) { key, member in
      if case .string = member, JSONMembers.text(value, key) == "url" { hasAddress = true }
    }
    return hasAddress && mistake == nil
  }

  /// The range of a value as written, with its quotation marks.
  private static func place(of value: JSONMembers.Value) -> Range<Int>? {
    switch value {
    case .string(let range, _): range.lowerBound - 1..<range.upperBound + 1
    case .nested(let range), .number(let range): range
    default: nil
    }
  }
}
