internal import Markup

/// What stands in `item` and `entry`.
extension FeedBuilder {
  mutating func beginItem(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    if exceeded != nil || needsRepair { return .skipped }
    if isInItem { dropItem() }
    isInItem = true
    if batch.bytes.isEmpty { batch.bytes.reserveCapacity(Self.usualBatchBytes) }
    itemStart = batch.bytes.count
    item = ItemInProgress()
    if meaning.vocabulary == .rss090 { details.format = .rss09 }
    if frames.last?.hasLanguage == true { setLanguage(rank: 1) }
    for index in 0..<attributes.count {
      guard let name = attributes.name(at: index), names.meaning(of: name) == ElementName(.rdf, .about) else {
        continue
      }
      let start = batch.bytes.count
      attributes.appendValue(at: index, to: &batch.bytes)
      item.id.set(trimmedSlice(from: start), rank: 1)
    }
    return .item
  }

  /// The innermost `xml:lang` as the language of the item.
  mutating func setLanguage(rank: UInt8) {
    guard let language = languages.last, item.language.wants(rank) else { return }
    let start = batch.bytes.count
    batch.bytes.append(contentsOf: language)
    item.language.set(trimmedSlice(from: start), rank: rank)
  }

  mutating func dropItem() {
    isInItem = false
    batch.bytes.removeSubrange(min(itemStart, batch.bytes.count)...)
    pendingAuthors.removeAll(keepingCapacity: true)
    pendingTags.removeAll(keepingCapacity: true)
    pendingAttachments.removeAll(keepingCapacity: true)
    pendingExtensions.removeAll(keepingCapacity: true)
  }

  mutating func startInItem(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    switch meaning.vocabulary {
    case .rss, .rss10, .rss090, .atom, .atom03: startCore(meaning, attributes)
    case .content: meaning.local == .encoded ? startBody(.content, .html, rank: 0) : .skipped
    case .xhtml: startCore(ElementName(.rss, meaning.local), attributes)
    case .dublinCore, .dublinCoreTerms: startDublinCore(meaning, attributes)
    case .iTunes: startITunes(meaning, attributes)
    case .media: startMedia(meaning, attributes)
    case .podcast, .slash, .wfw, .thread, .geoRSS, .geo, .license, .burner, .app:
      startModule(meaning, attributes)
    case .rdf, .syndication, .history, .admin, .xml, .other: .skipped
    }
  }

  private mutating func startCore(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    switch meaning.local {
    case .title:
      guard item.title.wants(0) else { return .skipped }
      return startCapture(.title, kind(of: attributes, otherwise: meaning.vocabulary.isAtom ? .text : .html))
    case .link: return startLink(meaning, attributes)
    case .guid, .id: return startID(meaning, attributes)
    case .description: return startBody(.description, kind(of: attributes, otherwise: .html), rank: 0)
    case .summary:
      let kind = kind(of: attributes, otherwise: meaning.vocabulary.isAtom ? .text : .html)
      return startBody(.description, kind, rank: isAtom ? 0 : 1)
    case .content: return startContent(meaning, attributes)
    case .body, .div: return startBody(.content, .xhtml, rank: 1)
    case .encoded, .fullitem: return startBody(.content, .html, rank: 0)
    case .pubDate, .published: return startDate(.published, rank: 0)
    case .issued: return startDate(.published, rank: 1)
    case .date: return startDate(.published, rank: 2)
    case .created: return startDate(.published, rank: 3)
    case .updated: return startDate(.modified, rank: 0)
    case .modified: return startDate(.modified, rank: 1)
    case .lastBuildDate: return startDate(.modified, rank: 2)
    case .author: return startPerson(rank: 0)
    case .category: return startCategory(meaning, attributes)
    case .enclosure: return takeEnclosure(attributes)
    case .source: return startSource(meaning, attributes)
    case .comments: return startAddress(.comments, attributes)
    case .contributor: return startPerson(as: .contributor)
    case .rights, .copyright:
      let kind = kind(of: attributes, otherwise: meaning.vocabulary.isAtom ? .text : .html)
      return startExtension(.rights, kind, attributes)
    case .item, .entry: return refuseNestedItem()
    default: return .skipped
    }
  }

  private mutating func startID(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard item.id.wants(0) else { return .skipped }
    let role = startCapture(.id, .plain)
    if meaning.vocabulary.isAtom {
      capture.isPermaLink = false
    } else {
      item.idIsPermaLink = value(.isPermaLink, of: attributes) { $0.equalsIgnoringCase("true") }
      capture.isPermaLink = item.idIsPermaLink
    }
    return role
  }

  mutating func startBody(_ field: Capture.Field, _ kind: Capture.Kind, rank: UInt8) -> Role {
    if field == .content, frames.last?.hasLanguage == true { setLanguage(rank: 2) }
    let isWanted = field == .content ? item.content.wants(rank) : item.description.wants(rank)
    return isWanted ? startCapture(field, kind, rank: rank) : .skipped
  }

  private mutating func startContent(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    if attributes.count > 0, meaning.vocabulary.isAtom { noteContentSource(attributes) }
    let kind = kind(of: attributes, otherwise: meaning.vocabulary.isAtom ? .text : .html)
    if kind == .alternatives { return .alternatives }
    return startBody(.content, kind, rank: meaning.vocabulary.isAtom ? 0 : 2)
  }

  /// A form of content that has several (`multipart/alternative` of Atom 0.3): HTML counts more than text, all else
  /// nothing.
  mutating func startAlternative(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard isInItem, meaning.vocabulary.isCore, meaning.local == .content else { return .skipped }
    let kind = kind(of: attributes, otherwise: .text)
    switch kind {
    case .html, .xhtml, .base64HTML: return startBody(.content, kind, rank: 0)
    case .text, .plain: return startBody(.content, kind, rank: 1)
    case .alternatives, .base64Text, .binary: return .skipped
    }
  }

  private mutating func startDate(_ field: Capture.Field, rank: UInt8) -> Role {
    // Of dates that say the same thing twice the last counts.
    let isWanted = rank <= (field == .published ? item.published.rank : item.modified.rank)
    return isWanted ? startCapture(field, .plain, rank: rank) : .skipped
  }

  private mutating func startDublinCore(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    switch meaning.local {
    case .title: item.title.wants(1) ? startCapture(.title, .html, rank: 1) : .skipped
    case .creator, .author: startPerson(rank: 1)
    case .subject: startCapture(.category, .plain)
    case .language: startCapture(.language, .plain)
    case .description, .abstract: startBody(.description, .html, rank: 2)
    case .issued: startDate(.published, rank: 1)
    case .date: startDate(.published, rank: 2)
    case .created, .available: startDate(.published, rank: 3)
    case .modified: startDate(.modified, rank: 1)
    case .rights: startExtension(.rights, .html, attributes)
    case .license: startExtension(.license, .plain, attributes)
    case .publisher: startExtension(.publisher, .html, attributes)
    case .contributor: startPerson(as: .contributor)
    case .source: startExtension(.source, .html, attributes)
    case .valid: startExtension(.valid, .plain, attributes)
    default: .skipped
    }
  }

  private mutating func startITunes(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    switch meaning.local {
    case .author: return startPerson(rank: 2)
    case .category:
      if let tag = slice(.text, of: attributes) { addTag(tag) }
      return .categories
    case .title: return item.title.wants(3) ? startCapture(.title, .html, rank: 3) : .skipped
    case .summary, .description: return startBody(.description, .html, rank: 3)
    case .subtitle: return startBody(.description, .html, rank: 4)
    case .keywords: return startCapture(.keywords, .plain)
    case .image:
      takeImage(.href, attributes, rank: 1)
      takeImage(.url, attributes, rank: 1)
      return attributes.count == 0 ? startImageText(rank: 1) : .skipped
    case .link:
      if relation(of: attributes) == .image { takeImage(.href, attributes, rank: 1) }
      return .skipped
    case .duration: return startExtension(.duration, .plain, attributes)
    case .season: return startExtension(.season, .plain, attributes)
    case .episode: return startExtension(.episode, .plain, attributes)
    case .order: return startExtension(.order, .plain, attributes)
    case .episodeType: return startExtension(.episodeType, .plain, attributes)
    case .explicit: return startExtension(.explicit, .plain, attributes)
    case .block: return startExtension(.block, .plain, attributes)
    default: return .skipped
    }
  }

  // MARK: Links and files

  private mutating func startLink(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    let start = batch.bytes.count
    let relation = relation(of: attributes)
    guard append(.href, of: attributes) else {
      let role = startCapture(.link, .plain)
      capture.isEnclosure = relation == .enclosure
      return role
    }
    resolveAddress(from: start, isReference: true)
    let slice = trimmedSlice(from: start)
    switch relation {
    case .alternate:
      let isPage = isOfPage(attributes)
      let isOwn = isAtom || meaning.vocabulary.isRSS
      if isAtom, !isPage || item.url.rank == 0 { noteLink(attributes) }
      item.url.set(slice, rank: (isOwn ? 0 : 2) + (isPage ? 0 : 1), isLast: meaning.vocabulary.isRSS)
    case .enclosure:
      if let slice { addAttachment(slice, attributes) }
      if value(.hreflang, of: attributes, { _ in true }) != nil { noteLink(attributes) }
    case .related:
      if item.externalURL == nil { item.externalURL = slice }
      noteLink(attributes)
    case .selfLink: item.url.set(slice, rank: 8)
    case .replies: _ = startExtension(.replies, nil, attributes)
    case .license: _ = startExtension(.license, nil, attributes)
    case .image, .page, .other: noteLink(attributes)
    case .hub, .edit: break
    }
    return isAtom || meaning.vocabulary.isAtom || item.url.value != nil
      ? .skipped : startCapture(.link, .plain)
  }

  mutating func addAttachment(_ url: ByteSlice, _ attributes: XMLAttributes) {
    guard hasRoom(pendingAttachments.count, in: .attachments) else { return }
    var attachment = ParsedAttachment(url: url)
    attachment.mimeType = slice(.type, of: attributes)
    attachment.title = slice(.title, of: attributes)
    attachment.size = value(.length, of: attributes) { Quantity.whole($0) }
    pendingAttachments.append(attachment)
  }

  /// Where the item came from: RSS has a name and an attribute, Atom elements.
  private mutating func startSource(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard isAtom || meaning.vocabulary.isAtom else {
      let role = startExtension(.source, .html, attributes)
      capture.extensionField = .title
      return role
    }
    _ = beginExtension()
    isSourceEmpty = true
    return .source
  }

  private mutating func takeEnclosure(_ attributes: XMLAttributes) -> Role {
    let start = batch.bytes.count
    guard append(.url, of: attributes) || append(.href, of: attributes) else {
      // Some write the address as the text.
      let role = startCapture(.link, .plain)
      capture.isEnclosure = true
      return role
    }
    resolveAddress(from: start)
    if let url = trimmedSlice(from: start) { addAttachment(url, attributes) }
    return .skipped
  }

  mutating func takeImage(_ attribute: LocalName, _ attributes: XMLAttributes, rank: UInt8) {
    guard item.image.wants(rank) else { return }
    let start = batch.bytes.count
    guard append(attribute, of: attributes) else { return }
    resolveAddress(from: start, isPicture: true)
    item.image.set(trimmedSlice(from: start), rank: rank)
  }

  /// Some write the address of a picture as the text.
  mutating func startImageText(rank: UInt8) -> Role {
    item.image.wants(rank) ? startCapture(.imageURL, .plain, rank: rank) : .skipped
  }
}
