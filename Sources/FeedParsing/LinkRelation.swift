internal import XMLStream

/// What a `link` leads to: its `rel` (RFC 4287, section 4.2.7.2), which may be written as an address.
enum LinkRelation {
  case alternate, enclosure, related, selfLink, hub, image, other

  init(_ text: Span<UInt8>) {
    var start = text.count
    while start > 0, text[start - 1] != UInt8(ascii: "/") { start -= 1 }
    let name = text.extracting(start...)
    if name.isEmpty || name.equalsIgnoringCase("alternate") {
      self = .alternate
    } else if name.equalsIgnoringCase("enclosure") {
      self = .enclosure
    } else if name.equalsIgnoringCase("related") {
      self = .related
    } else if name.equalsIgnoringCase("self") {
      self = .selfLink
    } else if name.equalsIgnoringCase("hub") {
      self = .hub
    } else if name.equalsIgnoringCase("image") {
      self = .image
    } else {
      self = .other
    }
  }
}

extension FeedBuilder {
  /// What the link with these attributes leads to; the page itself when they do not say.
  mutating func relation(of attributes: XMLAttributes) -> LinkRelation {
    value(.rel, of: attributes) { LinkRelation($0) } ?? .alternate
  }

  /// Whether the link with these attributes leads to something to be read in a browser, as far as they say.
  mutating func isOfPage(_ attributes: XMLAttributes) -> Bool {
    value(.type, of: attributes) { $0.containsIgnoringCase("html") } ?? true
  }
}
