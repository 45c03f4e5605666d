internal import Markup

/// An open element's role.
enum ElementRole: UInt8 {
  /// Markup in a message before a feed's root.
  case outside
  /// Another document's root: in it, a feed can begin only without its own root.
  case foreign
  /// `rss` or `rdf:RDF`.
  case root
  /// `channel`, or Atom's `feed`.
  case feed
  case item
  /// An item after a `source` without an end tag: its fields may belong to the source.
  case itemBehindSource
  case person
  /// RSS `image`.
  case image
  /// An item's origin.
  case source
  /// `media:group` and `media:content`.
  case media
  /// `itunes:category`, which may contain others.
  case categories
  case skipHours
  case skipDays
  /// A module element that only contains others.
  case holder
  /// Markup around an item's fields.
  case wrapper
  /// An element without a meaning around items.
  case group
  /// An entry's content in several forms.
  case alternatives
  /// The element that contains the text being collected.
  case captured
  /// Markup inside the collected text.
  case markup
  case skipped
  /// An element that is skipped, and in which nothing ends it: the rest of an item that could not be read, or
  /// that ended too early.
  case passedOver

  /// True for an item, also after a `source` that may have no end tag.
  var isItem: Bool { self == .item || self == .itemBehindSource }

  /// True if an element that ended inside it is settled.
  @inline(__always)
  var maySettle: Bool {
    self == .feed || self == .root || self == .group || self == .outside || self == .foreign
  }
}

extension ElementRole {
  /// True if no element inside it can belong to an element around it.
  var isWhole: Bool {
    switch self {
    case .item, .itemBehindSource, .feed, .root, .outside, .foreign, .passedOver: true
    default: false
    }
  }

  /// Returns whether an element has a meaning as a child.
  ///
  /// The parts of images and sources are not distinguished from the parts that the elements around them have:
  /// only the end tag's position decides.
  func hasPlace(for meaning: ElementName) -> Bool {
    switch self {
    case .item, .itemBehindSource: meaning.isField(of: .item)
    case .feed: meaning.isField(of: .feed)
    case .person: ElementTable.endsOthers(.person, meaning)
    case .media: meaning.vocabulary == .media && meaning.local != .none
    case .categories: meaning == ElementName(.iTunes, .category)
    default: false
    }
  }
}

extension ElementName {
  fileprivate func isField(of place: ElementTable.Place) -> Bool {
    vocabulary.isCore ? ElementTable.endsOthers(place, self) : isOfModule
  }

  /// True for a known name in a module with elements that occur next to an item's or a feed's fields.
  private var isOfModule: Bool {
    switch vocabulary {
    case .content, .dublinCore, .dublinCoreTerms, .iTunes, .media, .podcast, .slash, .wfw, .thread, .geoRSS,
      .license, .burner, .syndication:
      local != .none
    default: false
    }
  }
}

extension ElementName {
  /// True for a feed element that shows that the element around it is a misspelt root.
  var mayFollowMisspeltRoot: Bool {
    self == ElementName(.rss, .channel) || (vocabulary.isAtom && local == .entry)
  }

  /// True for unknown elements and markup in a feed that may contain items.
  var mayHoldItems: Bool { vocabulary.isCore && (local == .none || local == .div || local == .body) }

  /// True if Atom's `source` may also contain the element (RFC 4287, section 4.2.11).
  var mayBeOfSource: Bool {
    guard vocabulary.isAtom else { return true }
    switch local {
    case .author, .category, .contributor, .generator, .icon, .logo, .rights, .subtitle: return true
    default: return false
    }
  }

  private static let wrapperNames: [StaticString] = [
    "p", "center", "span", "font", "b", "i", "strong", "em", "blockquote", "table", "tbody", "tr", "td",
    "section", "article",
  ]

  /// Returns whether an element in an item is HTML markup around its fields.
  func isWrapper(_ name: XMLName) -> Bool {
    self == ElementName(.rss, .none) && name.isNamed(anyOf: Self.wrapperNames)
  }
}
