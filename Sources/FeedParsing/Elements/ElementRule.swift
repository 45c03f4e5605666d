internal import Markup

/// The meaning of an element at a place of a document; see ``ElementTable``.
enum ElementRule {
  /// Nothing; also the rule of all elements that the table does not list.
  case skip
  /// Its text is a field, if the rank is better than that of the source so far: a lower rank wins.
  case text(Capture.Field, TextKind, rank: UInt8 = 0)
  /// Its text is a detail of the feed.
  case detail(FeedText, TextKind = .plain)
  /// Its attributes, and its text unless that is nil, are parts of a member of the item.
  case member(ParsedExtension.Kind, TextKind? = .plain)
  /// As ``member(_:_:)``; its text is an address.
  case address(ParsedExtension.Kind)
  /// As ``member(_:_:)`` without text; it contains other elements.
  case parent(ParsedExtension.Kind)
  /// An author.
  case author(rank: UInt8)
  /// Another person.
  case person(PersonInProgress.Purpose)
  /// Only the elements in it matter.
  case open(ElementRole)
  /// It needs more than a row can state.
  case special(Special)

  /// The way in which a text is read.
  enum TextKind: UInt8 {
    case plain, text, html, xhtml
    /// As the attributes `type` and `mode` state, else text in Atom and HTML in RSS.
    case typed
    /// As the attributes state, else HTML.
    case typedHTML
    /// As the attributes state, else text.
    case typedText
  }

  /// The elements with code of their own.
  enum Special: UInt8 {
    // Items.
    case item, nestedItem, link, id, summary, content, category, enclosure, source, iTunesCategory, image,
      imageLink, mediaContent, thumbnail
    // Feeds.
    case feedLink, generator, feedCategory, feedCategories, cloud, feedImage, feedImageLink, license,
      isComplete, isArchive, generatorAgent, locked, funding, feedPerson, trailer, place, podcastText, value
  }
}

/// The texts of a feed that fill details.
enum FeedText: UInt8 {
  case id, docs, publisher, updateBase, category, keywords, license
  case imageTitle, imageLink, imageWidth, imageHeight, imageDescription
  case inputTitle, inputDescription, inputName, inputLink, rating
  case explicit, type, block, complete, newFeedURL, guid, medium, locked
  case funding, person, place, text, trailer

  /// True if the element is an entry of a list.
  var isEntry: Bool { rawValue >= FeedText.funding.rawValue }
}
