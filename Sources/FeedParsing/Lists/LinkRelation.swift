internal import Markup

/// The target of a `link`: its `rel` (RFC 4287, section 4.2.7.2), which may be written as an address.
enum LinkRelation: Equatable {
  case alternate, enclosure, related, selfLink, hub, image, replies, license, edit
  case page(Page)
  case other

  /// The relations to other documents of the same feed (RFC 5005).
  enum Page {
    case next, previous, first, last, current, nextArchive, previousArchive
  }

  init(_ text: Span<UInt8>) {
    let name = text.extracting((text.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...)
    let known = Self.names.first { name.equalsIgnoringCase($0.0) }
    self = name.isEmpty ? .alternate : known?.1 ?? .other
  }

  private static let names: [(StaticString, LinkRelation)] = [
    ("alternate", .alternate), ("enclosure", .enclosure), ("related", .related), ("self", .selfLink),
    ("hub", .hub), ("image", .image), ("replies", .replies), ("license", .license), ("edit", .edit),
    ("edit-media", .edit), ("next", .page(.next)), ("prev", .page(.previous)),
    ("previous", .page(.previous)), ("first", .page(.first)), ("last", .page(.last)),
    ("current", .page(.current)), ("prev-archive", .page(.previousArchive)),
    ("next-archive", .page(.nextArchive)),
  ]
}
