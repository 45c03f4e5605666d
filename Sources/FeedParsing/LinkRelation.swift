/// What a `link` leads to.
enum LinkRelation {
  case alternate, enclosure, related, selfLink, hub, replies, license
  /// Another document of the same feed (RFC 5005): next, prev, first, last and the like.
  case page
  case other

  init(_ text: String?) {
    guard let text else {
      self = .alternate
      return
    }
    switch Self.name(text) {
    case "alternate", "": self = .alternate
    case "enclosure": self = .enclosure
    case "related": self = .related
    case "self": self = .selfLink
    case "hub": self = .hub
    case "replies": self = .replies
    case "license": self = .license
    case "next", "prev", "previous", "first", "last", "current", "prev-archive", "next-archive": self = .page
    default: self = .other
    }
  }

  /// The relation without the address that some write before it, in lower case.
  static func name(_ text: String) -> String {
    text.lowercased().split(separator: "/").last.map(String.init) ?? ""
  }
}
