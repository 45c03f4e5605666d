internal import Markup

/// An element's meaning at a place in a document; see ``ElementTable``.
enum ElementRule {
  /// The element is skipped. This is also the rule for all elements that the table does not list.
  case skip
  /// Its text is a field, if the rank is better than the current source's: a lower rank wins.
  case text(Capture.Field, TextKind, rank: UInt8 = 0)
  /// Its attributes, and its text unless that is nil, belong to a member of the item.
  case member(ParsedExtension.Kind, TextKind? = .plain)
  /// Like ``member(_:_:)``; its text is an address.
  case address(ParsedExtension.Kind)
  /// Like ``member(_:_:)`` without text; it contains other elements.
  case parent(ParsedExtension.Kind)
  /// An author.
  case author(rank: UInt8)
  /// Another person.
  case person(PersonInProgress.Purpose)
  /// Only the elements in it matter.
  case open(ElementRole)
  /// It needs more than a row can state.
  case special(Special)

  /// The way to read a text.
  enum TextKind: UInt8 {
    case plain, text, html, xhtml
    /// The attributes `type` and `mode` decide. Without them it is text in Atom and HTML in RSS.
    case typed
    /// The attributes decide. Without them it is HTML.
    case typedHTML
    /// The attributes decide. Without them it is text.
    case typedText
  }

  /// The elements with their own code.
  enum Special: UInt8 {
    // Items.
    case item, nestedItem, link, id, summary, content, category, enclosure, source, iTunesCategory, image,
      imageLink, mediaContent, thumbnail
    // Feeds.
    case feedLink, generator, feedCategory, feedCategories, feedImage, feedImageLink, generatorAgent
  }
}
