internal import Markup

/// What a `link` leads to: its `rel` (RFC 4287, section 4.2.7.2), which may be written as an address.
enum LinkRelation {
  case alternate, enclosure, related, selfLink, hub, image, replies, license, edit
  /// Another document of the same feed (RFC 5005): next, prev, first, last and the like.
  case page
  case other

  init(_ text: Span<UInt8>) {
    let name = text.extracting(Self.name(text))
    let known = Self.names.first { name.equalsIgnoringCase($0.0) }
    self = name.isEmpty ? .alternate : known?.1 ?? .other
  }

  private static let names: [(StaticString, LinkRelation)] = [
    ("alternate", .alternate), ("enclosure", .enclosure), ("related", .related), ("self", .selfLink),
    ("hub", .hub), ("image", .image), ("replies", .replies), ("license", .license), ("next", .page),
    ("prev", .page), ("previous", .page), ("first", .page), ("last", .page), ("current", .page),
    ("prev-archive", .page), ("next-archive", .page), ("edit", .edit), ("edit-media", .edit),
  ]

  /// The relation without the address that some write before it.
  static func name(_ text: Span<UInt8>) -> Range<Int> {
    var start = text.count
    while start > 0, text[start - 1] != UInt8(ascii: "/") { start -= 1 }
    return start..<text.count
  }
}

extension FeedBuilder {
  /// What the link with these attributes leads to; the page itself when they do not say.
  mutating func relation(of attributes: XMLAttributes) -> LinkRelation {
    value(.rel, of: attributes) { LinkRelation($0) } ?? .alternate
  }

  /// The relation of the link with these attributes in lower case, without an address before it.
  mutating func relationName(of attributes: XMLAttributes) -> String? {
    value(.rel, of: attributes) { $0.extracting(LinkRelation.name($0)).text.lowercased() }
  }

  /// Whether the link with these attributes leads to something to be read in a browser, as far as they say.
  mutating func isOfPage(_ attributes: XMLAttributes) -> Bool {
    value(.type, of: attributes) { $0.containsIgnoringCase("html") } ?? true
  }
}
