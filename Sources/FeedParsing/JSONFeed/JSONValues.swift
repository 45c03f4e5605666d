import TextOutput
internal import Markup

/// The member names in JSON Feed 1.0 and 1.1.
enum JSONName: Int, CaseIterable {
  // The feed. It also has a title, a language and authors.
  case version, homePageURL, feedURL, description, icon, favicon, hubs, nextURL, userComment, expired, items
  // An item.
  case id, url, externalURL, title, contentHTML, contentText, summary, image, bannerImage, language
  case published, modified, author, authors, tags, attachments
  // An author and a hub.
  case name, email, avatar, type
  // An attachment.
  case mimeType, size, duration

  private static let spellings: [(StaticString, JSONName)] = [
    ("version", .version), ("home_page_url", .homePageURL), ("feed_url", .feedURL),
    ("description", .description), ("icon", .icon), ("favicon", .favicon), ("hubs", .hubs),
    ("next_url", .nextURL), ("user_comment", .userComment), ("expired", .expired), ("items", .items),
    ("id", .id), ("url", .url), ("external_url", .externalURL), ("title", .title),
    ("content_html", .contentHTML), ("content_text", .contentText), ("summary", .summary), ("image", .image),
    ("banner_image", .bannerImage), ("language", .language), ("date_published", .published),
    ("date_modified", .modified), ("author", .author), ("authors", .authors), ("tags", .tags),
    ("attachments", .attachments), ("name", .name), ("email", .email), ("avatar", .avatar), ("type", .type),
    ("mime_type", .mimeType), ("size_in_bytes", .size), ("duration_in_seconds", .duration),
  ]

  private static let longest = spellings.map(\.0.utf8CodeUnitCount).max() ?? 0
  private static let byLength = (0...longest).map { length in
    spellings.filter { $0.0.utf8CodeUnitCount == length }
  }

  /// Reads the key with its characters in a range; returns nil for a name without a meaning.
  init?(_ text: Span<UInt8>, _ range: Range<Int>) {
    let key = text.extracting(range)
    guard key.firstIndex(of: UInt8(ascii: "\\")) != nil else {
      self.init(key)
      return
    }
    var decoded: [UInt8] = []
    JSONMembers.append(text, range, to: &decoded, character: JSONScalar.character)
    self.init(decoded.span)
  }

  /// Returns nil for a name without a meaning.
  init?(_ key: Span<UInt8>) {
    guard key.count <= Self.longest else { return nil }
    for (spelling, name) in Self.byLength[key.count] where key.hasPrefix(spelling) {
      self = name
      return
    }
    return nil
  }
}

/// The values of an object's members. If two members have the same name, the last counts.
struct JSONValues {
  private var values = [JSONMembers.Value?](repeating: nil, count: JSONName.allCases.count)

  subscript(name: JSONName) -> JSONMembers.Value? { values[name.rawValue] }

  /// Moves `cursor` past an object and reads its members; returns nil for any other value.
  init?(_ text: Span<UInt8>, _ cursor: inout JSONCursor) {
    let isObject = cursor.members(text) { key, value in
      // A null counts as a missing member.
      if value != .null, let name = JSONName(text, key) { values[name.rawValue] = value }
    }
    if !isObject { return nil }
  }

  /// Reads the members of a value that is an object; returns nil for any other value.
  init?(_ text: Span<UInt8>, of value: JSONMembers.Value) {
    guard case .nested(let range) = value else { return nil }
    var cursor = JSONCursor(at: range.lowerBound)
    self.init(text, &cursor)
  }

  /// True if the members belong to an item, and only JSON Feed has such members.
  var areOfJSONFeed: Bool {
    let names: [JSONName] = [
      .contentHTML, .contentText, .published, .modified, .externalURL, .bannerImage,
    ]
    return names.contains { self[$0] != nil }
  }
}
