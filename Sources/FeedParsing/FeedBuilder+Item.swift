internal import XMLStream

/// What stands in `item` and `entry`.
extension FeedBuilder {
  mutating func beginItem(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    if exceeded != nil { return .skipped }
    if isInItem { dropItem() }
    isInItem = true
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
  }

  mutating func startInItem(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    switch meaning.vocabulary {
    case .rss, .rss10, .rss090, .atom, .atom03: startCore(meaning, attributes)
    case .content: meaning.local == .encoded ? startBody(.content, .html, rank: 0) : .skipped
    case .xhtml: startCore(ElementName(.rss, meaning.local), attributes)
    case .dublinCore, .dublinCoreTerms: startDublinCore(meaning)
    case .iTunes: startITunes(meaning, attributes)
    case .media: startMedia(meaning, attributes)
    case .rdf, .syndication, .xml, .other: .skipped
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
    case .category: return startCategory(attributes)
    case .enclosure: return takeEnclosure(attributes)
    case .source: return .source
    default: return .skipped
    }
  }

  private mutating func startID(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard item.id.wants(0) else { return .skipped }
    let role = startCapture(.id, .plain)
    if meaning.vocabulary.isAtom {
      capture.isPermaLink = false
    } else if let value = string(.isPermaLink, of: attributes) {
      capture.isPermaLink = value.lowercased() == "true"
    }
    return role
  }

  private mutating func startBody(_ field: Capture.Field, _ kind: Capture.Kind, rank: UInt8) -> Role {
    if field == .content, frames.last?.hasLanguage == true { setLanguage(rank: 2) }
    let isWanted = field == .content ? item.content.wants(rank) : item.description.wants(rank)
    return isWanted ? startCapture(field, kind, rank: rank) : .skipped
  }

  private mutating func startContent(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    let kind = kind(of: attributes, otherwise: meaning.vocabulary.isAtom ? .text : .html)
    return startBody(.content, kind, rank: meaning.vocabulary.isAtom ? 0 : 2)
  }

  private mutating func startDate(_ field: Capture.Field, rank: UInt8) -> Role {
    // Of dates that say the same thing twice the last counts.
    let isWanted = rank <= (field == .published ? item.published.rank : item.modified.rank)
    return isWanted ? startCapture(field, .plain, rank: rank) : .skipped
  }

  private mutating func startDublinCore(_ meaning: ElementName) -> Role {
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
      return .skipped
    case .link:
      if string(.rel, of: attributes) == "image" { takeImage(.href, attributes, rank: 1) }
      return .skipped
    default: return .skipped
    }
  }

  // MARK: Links and files

  private mutating func startLink(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    let start = batch.bytes.count
    let relation = LinkRelation(string(.rel, of: attributes))
    guard append(.href, of: attributes) else {
      let role = startCapture(.link, .plain)
      capture.isEnclosure = relation == .enclosure
      return role
    }
    resolveAddress(from: start, isReference: true)
    let slice = trimmedSlice(from: start)
    let type = string(.type, of: attributes) ?? ""
    switch relation {
    case .alternate:
      let isPage = type.isEmpty || type.lowercased().contains("html")
      let isOwn = isAtom || meaning.vocabulary.isRSS
      item.url.set(slice, rank: (isOwn ? 0 : 2) + (isPage ? 0 : 1), isLast: meaning.vocabulary.isRSS)
    case .enclosure:
      if let slice { addAttachment(slice, attributes) }
    case .related: if item.externalURL == nil { item.externalURL = slice }
    case .selfLink: item.url.set(slice, rank: 8)
    case .hub, .other: break
    }
    return isAtom || meaning.vocabulary.isAtom || item.url.value != nil
      ? .skipped : startCapture(.link, .plain)
  }

  mutating func addAttachment(_ url: ByteSlice, _ attributes: XMLAttributes) {
    guard pendingAttachments.count < limits.listCount else { return }
    var attachment = ParsedAttachment(url: url)
    attachment.mimeType = slice(.type, of: attributes)
    attachment.title = slice(.title, of: attributes)
    attachment.size = string(.length, of: attributes).flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
    pendingAttachments.append(attachment)
  }

  private mutating func takeEnclosure(_ attributes: XMLAttributes) -> Role {
    let start = batch.bytes.count
    guard append(.url, of: attributes) || append(.href, of: attributes) else { return .skipped }
    resolveAddress(from: start)
    if let url = trimmedSlice(from: start) { addAttachment(url, attributes) }
    return .skipped
  }

  private mutating func takeImage(_ attribute: LocalName, _ attributes: XMLAttributes, rank: UInt8) {
    guard item.image.wants(rank) else { return }
    let start = batch.bytes.count
    guard append(attribute, of: attributes) else { return }
    resolveAddress(from: start)
    item.image.set(trimmedSlice(from: start), rank: rank)
  }

  private mutating func startCategory(_ attributes: XMLAttributes) -> Role {
    if let tag = slice(.term, of: attributes) ?? slice(.label, of: attributes) {
      addTag(tag)
      return .skipped
    }
    return startCapture(.category, .plain)
  }

  mutating func addTag(_ tag: ByteSlice) {
    guard pendingTags.count < limits.listCount, !hasTag(tag) else { return }
    pendingTags.append(tag)
  }

  private func hasTag(_ tag: ByteSlice) -> Bool {
    let text = batch.bytes.span.extracting(tag.moved(by: itemStart).range)
    for other in pendingTags
    where other.count == tag.count
      && batch.bytes.span.extracting(other.moved(by: itemStart).range).elementsEqual(text)
    {
      return true
    }
    return false
  }

  /// `itunes:category` inside another one.
  mutating func startInCategories(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    if let tag = slice(.text, of: attributes) { addTag(tag) }
    return .categories
  }

  // MARK: Media RSS

  mutating func startInMedia(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    isInItem && meaning.vocabulary == .media ? startMedia(meaning, attributes) : .skipped
  }

  private mutating func startMedia(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    switch meaning.local {
    case .group: return .media
    case .content:
      if isImage(attributes) { takeImage(.url, attributes, rank: 2) }
      return .media
    case .thumbnail:
      takeImage(.url, attributes, rank: 0)
      return .skipped
    case .title: return item.title.wants(2) ? startCapture(.title, .html, rank: 2) : .skipped
    case .description: return startBody(.description, .html, rank: 5)
    case .category: return startCapture(.category, .plain)
    case .keywords: return startCapture(.keywords, .plain)
    default: return .skipped
    }
  }

  /// Whether `media:content` is a picture: by its medium, its type, or the end of its address.
  private mutating func isImage(_ attributes: XMLAttributes) -> Bool {
    if let medium = string(.medium, of: attributes) { return medium == "image" }
    if let type = string(.type, of: attributes) { return type.hasPrefix("image/") }
    guard let url = string(.url, of: attributes)?.lowercased() else { return false }
    let path = url.prefix { $0 != "?" && $0 != "#" }
    return [".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif"].contains { path.hasSuffix($0) }
  }

  /// Inside Atom's or RSS's `source`: whom the item is from when it has no author itself.
  mutating func startInSource(_ meaning: ElementName) -> Role {
    meaning.vocabulary.isAtom && meaning.local == .author ? startPerson(rank: 5) : .skipped
  }
}

/// What a `link` leads to.
enum LinkRelation {
  case alternate, enclosure, related, selfLink, hub, other

  init(_ text: String?) {
    guard let text else {
      self = .alternate
      return
    }
    let name = text.lowercased().split(separator: "/").last.map(String.init) ?? ""
    switch name {
    case "alternate", "": self = .alternate
    case "enclosure": self = .enclosure
    case "related": self = .related
    case "self": self = .selfLink
    case "hub": self = .hub
    default: self = .other
    }
  }
}
