internal import Markup

/// Applies the table's rules.
extension FeedBuilder {
  /// Applies the rule for an element that was opened.
  mutating func apply(_ rule: ElementRule, _ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    switch rule {
    case .skip: return .skipped
    case .text(let field, let kind, let rank):
      if field == .content { setLanguage(rank: 2) }
      guard wants(field, rank) else { return .skipped }
      return startCapture(field, self.kind(kind, meaning, attributes), rank: rank)
    case .member(let kind, let text):
      return startExtension(kind, text.map { self.kind($0, meaning, attributes) }, attributes)
    case .address(let kind): return startExtension(kind, .plain, attributes, isAddress: true)
    case .parent(let kind):
      _ = item.beginExtension(kind, attributes, &texts)
      return .holder
    case .author(let rank): return startAuthor(rank: rank)
    case .person(let purpose): return startPerson(as: purpose)
    case .open(let role): return role
    case .special(let special):
      return texts.isInItem
        ? apply(item: special, meaning, attributes) : apply(feed: special, meaning, attributes)
    }
  }

  /// Returns whether a source for a field is better than the current one.
  func wants(_ field: Capture.Field, _ rank: UInt8) -> Bool {
    switch field {
    case .title: item.fields.title.wants(rank)
    case .link: item.fields.url.wants(rank)
    case .id: item.fields.id.wants(rank)
    case .content: item.fields.content.wants(rank)
    case .description: item.fields.description.wants(rank)
    case .imageURL: item.fields.image.wants(rank)
    // Among several dates with the same rank the last wins.
    case .published: rank <= item.fields.published.rank
    case .modified: rank <= item.fields.modified.rank
    default: feed.wants(field, rank)
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
    case .typed: texts.kind(of: attributes, otherwise: meaning.vocabulary.isAtom ? .text : .html)
    case .typedHTML: texts.kind(of: attributes, otherwise: .html)
    case .typedText: texts.kind(of: attributes, otherwise: .text)
    }
  }

  /// Begins to collect text in the element that was opened last.
  mutating func startCapture(_ field: Capture.Field, _ kind: Capture.Kind, rank: UInt8 = 0) -> Role {
    if texts.isInItem {
      texts.checkItem()
      if exceeded != nil { return .skipped }
    }
    capture = Capture(field, kind, rank: rank, start: texts.bytes.count, depth: frames.count)
    isCapturing = true
    return .captured
  }

  /// Begins to collect a text if its source is better than the current one.
  mutating func startIfWanted(
    _ field: Capture.Field, _ kind: Capture.Kind = .plain, rank: UInt8
  ) -> Role {
    wants(field, rank) ? startCapture(field, kind, rank: rank) : .skipped
  }

  /// Begins an element with attributes to store. Its text is collected unless `text` is nil.
  private mutating func startExtension(
    _ kind: ParsedExtension.Kind, _ text: Capture.Kind?, _ attributes: XMLAttributes, isAddress: Bool = false
  ) -> Role {
    guard item.beginExtension(kind, attributes, &texts), let text, texts.isInItem else { return .skipped }
    let role = startCapture(.extensionText, text)
    capture.extensionKind = kind
    capture.isAddress = isAddress
    return role
  }

  // MARK: Persons

  /// Begins an author. A better source replaces the previous ones; a worse source is ignored.
  mutating func startAuthor(rank: UInt8) -> Role {
    let isWanted =
      texts.isInItem ? rank <= item.fields.authorRank || item.lacksName : feed.wantsAuthor(rank)
    return isWanted ? startPerson(as: .author, rank: rank) : .skipped
  }

  private mutating func startPerson(as purpose: PersonInProgress.Purpose, rank: UInt8 = 0) -> Role {
    person = PersonInProgress(purpose: purpose, rank: rank, start: texts.bytes.count)
    return startCapture(.personText, .plain, rank: rank)
  }

  // MARK: Items

  private mutating func apply(
    item special: ElementRule.Special, _ meaning: ElementName, _ attributes: XMLAttributes
  ) -> Role {
    switch special {
    case .nestedItem: return refuseNestedItem()
    case .link: return startLink(meaning, attributes)
    case .id: return startID(meaning, attributes)
    case .summary: return apply(.text(.description, .typed, rank: root.isAtom ? 0 : 1), meaning, attributes)
    case .content: return startContent(meaning, attributes)
    case .category: return startCategory(meaning, attributes)
    case .enclosure: return startEnclosure(attributes)
    case .source: return startSource(meaning, attributes)
    case .iTunesCategory: return takeITunesCategory(attributes)
    case .image:
      item.takeImage(.href, attributes, rank: 1, &texts)
      item.takeImage(.url, attributes, rank: 1, &texts)
      return attributes.count == 0 ? startIfWanted(.imageURL, rank: 1) : .skipped
    case .imageLink:
      if texts.relation(of: attributes) == .image { item.takeImage(.href, attributes, rank: 1, &texts) }
      return .skipped
    case .mediaContent:
      if texts.isImage(attributes) { item.takeImage(.url, attributes, rank: 2, &texts) }
      _ = item.beginExtension(.media, attributes, &texts)
      return .media
    case .thumbnail:
      item.takeImage(.url, attributes, rank: 0, &texts)
      return attributes.count == 0
        ? startIfWanted(.imageURL, rank: 0) : startExtension(.thumbnail, nil, attributes)
    default: return .skipped
    }
  }

  private mutating func startID(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard wants(.id, 0) else { return .skipped }
    let role = startCapture(.id, .plain)
    if meaning.vocabulary.isAtom {
      capture.isPermaLink = false
    } else {
      item.fields.idIsPermaLink = texts.value(.isPermaLink, of: attributes) { $0.equalsIgnoringCase("true") }
      capture.isPermaLink = item.fields.idIsPermaLink
    }
    return role
  }

  mutating func startBody(_ field: Capture.Field, _ kind: Capture.Kind, rank: UInt8) -> Role {
    if field == .content { setLanguage(rank: 2) }
    return startIfWanted(field, kind, rank: rank)
  }

  private mutating func startContent(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    if attributes.count > 0, meaning.vocabulary.isAtom { item.noteContentSource(attributes, &texts) }
    let kind = texts.kind(of: attributes, otherwise: meaning.vocabulary.isAtom ? .text : .html)
    if kind == .alternatives { return .alternatives }
    return startBody(.content, kind, rank: meaning.vocabulary.isAtom ? 0 : 2)
  }

  /// Begins content in one of several forms (Atom 0.3's `multipart/alternative`). HTML is preferred to text;
  /// other forms are ignored.
  mutating func startAlternative(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard texts.isInItem, meaning.vocabulary.isCore, meaning.local == .content else { return .skipped }
    let kind = texts.kind(of: attributes, otherwise: .text)
    switch kind {
    case .html, .xhtml, .base64HTML: return startBody(.content, kind, rank: 0)
    case .text, .plain: return startBody(.content, kind, rank: 1)
    case .alternatives, .base64Text, .binary: return .skipped
    }
  }

  private mutating func startCategory(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard attributes.count > 0 else { return startCapture(.category, .plain) }
    let (isTag, isQualified) = item.takeCategory(isMedia: meaning.vocabulary == .media, attributes, &texts)
    if isTag { return .skipped }
    let role = startCapture(.category, .plain)
    capture.isQualified = isQualified
    return role
  }

  /// Takes the tag from an item's `itunes:category`.
  mutating func takeITunesCategory(_ attributes: XMLAttributes) -> Role {
    if let tag = texts.slice(.text, of: attributes) { item.addTag(tag, &texts) }
    return .categories
  }

  private mutating func startLink(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    let start = texts.bytes.count
    let relation = texts.relation(of: attributes)
    guard texts.append(.href, of: attributes) else {
      let role = startCapture(.link, .plain)
      capture.isEnclosure = relation == .enclosure
      return role
    }
    let slice = texts.addressSlice(from: start, isReference: true)
    switch relation {
    case .alternate:
      let isPage = texts.isOfPage(attributes)
      let isOwn = root.isAtom || meaning.vocabulary.isRSS
      if root.isAtom, !isPage || item.fields.url.rank == 0 { item.noteLink(attributes, &texts) }
      item.fields.url.set(slice, rank: (isOwn ? 0 : 2) + (isPage ? 0 : 1), isLast: meaning.vocabulary.isRSS)
    case .enclosure:
      if let slice { item.addAttachment(slice, attributes, &texts) }
      if texts.value(.hreflang, of: attributes, { _ in true }) != nil { item.noteLink(attributes, &texts) }
    case .related:
      if item.fields.externalURL == nil { item.fields.externalURL = slice }
      item.noteLink(attributes, &texts)
    case .selfLink: item.fields.url.set(slice, rank: 8)
    case .replies: _ = item.beginExtension(.replies, attributes, &texts)
    case .license: _ = item.beginExtension(.license, attributes, &texts)
    case .image, .next, .other: item.noteLink(attributes, &texts)
    case .hub, .edit: break
    }
    return root.isAtom || meaning.vocabulary.isAtom || item.fields.url.value != nil
      ? .skipped : startCapture(.link, .plain)
  }

  private mutating func startEnclosure(_ attributes: XMLAttributes) -> Role {
    let start = texts.bytes.count
    guard texts.append(.url, of: attributes) || texts.append(.href, of: attributes) else {
      // The address may be the text.
      let role = startCapture(.link, .plain)
      capture.isEnclosure = true
      return role
    }
    if let url = texts.addressSlice(from: start) { item.addAttachment(url, attributes, &texts) }
    return .skipped
  }

  /// Begins an item's origin: RSS has a name and an attribute, Atom has elements.
  private mutating func startSource(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard root.isAtom || meaning.vocabulary.isAtom else {
      let role = startExtension(.source, .html, attributes)
      capture.extensionField = .title
      return role
    }
    _ = item.beginExtension(texts.limits)
    isSourceEmpty = true
    return .source
  }

  // MARK: Feeds

  private mutating func apply(
    feed special: ElementRule.Special, _ meaning: ElementName, _ attributes: XMLAttributes
  ) -> Role {
    switch special {
    case .item: return beginItem(meaning, attributes)
    case .feedLink:
      guard let url = texts.address(.href, of: attributes) else { return startCapture(.feedLink, .plain) }
      let isRSS = meaning.vocabulary.isRSS
      feed.takeLink(url, isOwn: root.isAtom || isRSS, isRSS: isRSS, attributes, &texts)
    case .generator:
      feed.takeGenerator(attributes, &texts)
      return startCapture(.feedGenerator, .plain)
    case .feedCategory:
      let isMedia = meaning.vocabulary == .media
      if feed.takeCategory(isMedia: isMedia, attributes, &texts) {
        return startCapture(.feedCategory, .plain)
      }
    case .feedCategories:
      feed.takeITunesCategory(isInner: false, attributes, &texts)
      return .categories
    case .feedImage: feed.takeImage(attributes, &texts)
    case .feedImageLink: if texts.relation(of: attributes) == .image { feed.takeImage(attributes, &texts) }
    case .generatorAgent:
      if feed.details.generatorURL == nil { feed.details.generatorURL = texts.resource(attributes) }
    default: break
    }
    return .skipped
  }
}
