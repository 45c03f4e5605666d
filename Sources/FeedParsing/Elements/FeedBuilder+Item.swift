internal import Markup

/// Elements of `item` and `entry`.
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

  /// Sets the innermost `xml:lang` as the item's language.
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
    let meaning = meaning.vocabulary == .xhtml ? ElementName(.rss, meaning.local) : meaning
    return apply(rule(.item, meaning), meaning, attributes)
  }

  mutating func startID(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
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

  mutating func startContent(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    if attributes.count > 0, meaning.vocabulary.isAtom { noteContentSource(attributes) }
    let kind = kind(of: attributes, otherwise: meaning.vocabulary.isAtom ? .text : .html)
    if kind == .alternatives { return .alternatives }
    return startBody(.content, kind, rank: meaning.vocabulary.isAtom ? 0 : 2)
  }

  /// Begins one of several forms of content (`multipart/alternative` of Atom 0.3). HTML is preferred to text; other
  /// forms are ignored.
  mutating func startAlternative(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard isInItem, meaning.vocabulary.isCore, meaning.local == .content else { return .skipped }
    let kind = kind(of: attributes, otherwise: .text)
    switch kind {
    case .html, .xhtml, .base64HTML: return startBody(.content, kind, rank: 0)
    case .text, .plain: return startBody(.content, kind, rank: 1)
    case .alternatives, .base64Text, .binary: return .skipped
    }
  }

  // MARK: Links and files

  mutating func startLink(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
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

  /// Begins the origin of an item: RSS has a name and an attribute, Atom has elements.
  mutating func startSource(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard isAtom || meaning.vocabulary.isAtom else {
      let role = startExtension(.source, .html, attributes)
      capture.extensionField = .title
      return role
    }
    _ = beginExtension()
    isSourceEmpty = true
    return .source
  }

  mutating func takeEnclosure(_ attributes: XMLAttributes) -> Role {
    let start = batch.bytes.count
    guard append(.url, of: attributes) || append(.href, of: attributes) else {
      // The address may be the text.
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

  /// Begins the address of an image as text.
  mutating func startImageText(rank: UInt8) -> Role {
    item.image.wants(rank) ? startCapture(.imageURL, .plain, rank: rank) : .skipped
  }
}
