internal import Markup

/// The target of a `link`: its `rel` (RFC 4287, section 4.2.7.2), which may be written as an address.
enum LinkRelation {
  case alternate, enclosure, related, selfLink, hub, image, replies, license, edit
  /// Another document of the same feed (RFC 5005), such as next, prev, first or last.
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

  /// Returns the range of the relation without an address before it.
  static func name(_ text: Span<UInt8>) -> Range<Int> {
    var start = text.count
    while start > 0, text[start - 1] != UInt8(ascii: "/") { start -= 1 }
    return start..<text.count
  }
}
