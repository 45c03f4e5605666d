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
  case open(FeedBuilder.Role)
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

extension FeedBuilder {
  /// Returns the rule of an element at a place.
  @inline(__always)
  func rule(_ place: ElementTable.Place, _ name: ElementName) -> ElementRule {
    rules[ElementTable.index(place, name)]
  }

  /// Applies the rule of an element that was opened.
  mutating func apply(_ rule: ElementRule, _ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    switch rule {
    case .skip: return .skipped
    case .text(let field, let kind, let rank):
      if field == .content, frames.last?.hasLanguage == true { setLanguage(rank: 2) }
      guard wants(field, rank) else { return .skipped }
      return startCapture(field, self.kind(kind, meaning, attributes), rank: rank)
    case .detail(let detail, let kind): return startDetail(detail, self.kind(kind, meaning, attributes))
    case .member(let kind, let text):
      return startExtension(kind, text.map { self.kind($0, meaning, attributes) }, attributes)
    case .address(let kind): return startExtension(kind, .plain, attributes, isAddress: true)
    case .parent(let kind):
      _ = startExtension(kind, nil, attributes)
      return .holder
    case .author(let rank): return startPerson(rank: rank)
    case .person(let purpose): return startPerson(as: purpose)
    case .open(let role): return role
    case .special(let special):
      return isInItem ? apply(item: special, meaning, attributes) : apply(feed: special, meaning, attributes)
    }
  }

  /// Returns whether a source of a field is better than the one so far.
  private func wants(_ field: Capture.Field, _ rank: UInt8) -> Bool {
    switch field {
    case .title: item.title.wants(rank)
    case .content: item.content.wants(rank)
    case .description: item.description.wants(rank)
    // Of several dates of the same rank the last wins.
    case .published: rank <= item.published.rank
    case .modified: rank <= item.modified.rank
    case .feedTitle: rank < ranks.title
    case .feedDescription: rank < ranks.description
    case .feedLanguage: rank < ranks.language
    case .feedIcon: rank < ranks.icon
    case .feedModified: rank < ranks.modified
    case .feedRights: rank == 0 || details.rights == nil
    default: true
    }
  }

  private mutating func kind(
    _ kind: ElementRule.TextKind, _ meaning: ElementName, _ attributes: XMLAttributes
  ) -> Capture.Kind {
    switch kind {
    case .plain: .plain
    case .text: .text
    case .html: .html
    case .xhtml: .xhtml
    case .typed: self.kind(of: attributes, otherwise: meaning.vocabulary.isAtom ? .text : .html)
    case .typedHTML: self.kind(of: attributes, otherwise: .html)
    case .typedText: self.kind(of: attributes, otherwise: .text)
    }
  }

  private mutating func apply(
    item special: ElementRule.Special, _ meaning: ElementName, _ attributes: XMLAttributes
  ) -> Role {
    switch special {
    case .nestedItem: return refuseNestedItem()
    case .link: return startLink(meaning, attributes)
    case .id: return startID(meaning, attributes)
    case .summary: return apply(.text(.description, .typed, rank: isAtom ? 0 : 1), meaning, attributes)
    case .content: return startContent(meaning, attributes)
    case .category: return startCategory(meaning, attributes)
    case .enclosure: return takeEnclosure(attributes)
    case .source: return startSource(meaning, attributes)
    case .iTunesCategory:
      if let tag = slice(.text, of: attributes) { addTag(tag) }
      return .categories
    case .image:
      takeImage(.href, attributes, rank: 1)
      takeImage(.url, attributes, rank: 1)
      return attributes.count == 0 ? startImageText(rank: 1) : .skipped
    case .imageLink:
      if relation(of: attributes) == .image { takeImage(.href, attributes, rank: 1) }
      return .skipped
    case .mediaContent:
      if isImage(attributes) { takeImage(.url, attributes, rank: 2) }
      _ = startExtension(.media, nil, attributes)
      return .media
    case .thumbnail:
      takeImage(.url, attributes, rank: 0)
      return attributes.count == 0 ? startImageText(rank: 0) : startExtension(.thumbnail, nil, attributes)
    default: return .skipped
    }
  }

  private mutating func apply(
    feed special: ElementRule.Special, _ meaning: ElementName, _ attributes: XMLAttributes
  ) -> Role {
    switch special {
    case .item: return beginItem(meaning, attributes)
    case .feedLink: return startFeedLink(meaning, attributes)
    case .generator:
      details.generatorURL = address(.uri, of: attributes) ?? address(.url, of: attributes)
      details.generatorVersion = value(.version, of: attributes) { $0.text }
      return startCapture(.feedGenerator, .plain)
    case .feedCategory: return startFeedCategory(meaning, attributes)
    case .feedCategories: return startFeedCategories(meaning, attributes)
    case .cloud: return takeCloud(attributes)
    case .feedImage: takeFeedImage(attributes)
    case .feedImageLink: if relation(of: attributes) == .image { takeFeedImage(attributes) }
    case .license: return startLicense(attributes)
    case .isComplete: details.isComplete = true
    case .isArchive: details.isArchive = true
    case .generatorAgent: if details.generatorURL == nil { details.generatorURL = resource(attributes) }
    case .locked:
      details.podcast.lockOwner = entry(.owner, of: attributes)
      return startDetail(.locked)
    case .funding: return startFunding(attributes)
    case .feedPerson: return startFeedPerson(attributes)
    case .trailer: return startTrailer(attributes)
    case .place: return startFeedPlace(attributes)
    case .podcastText: return startFeedText(attributes)
    case .value: return startFeedValue(attributes)
    default: break
    }
    return .skipped
  }

  /// `itunes:image` and the like: an icon of the lowest rank.
  private mutating func takeFeedImage(_ attributes: XMLAttributes) {
    guard ranks.icon > 3, let icon = address(.href, of: attributes) else { return }
    (details.icon, ranks.icon) = (icon, 3)
  }
}
