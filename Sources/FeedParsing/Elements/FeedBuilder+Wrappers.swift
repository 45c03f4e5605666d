internal import Markup

/// Elements without a meaning around fields and items.
extension FeedBuilder {
  /// The rank of a field in markup, worse than that of a field in its place.
  private static let wrappedRank: UInt8 = 32

  /// Returns the role of an element inside an unknown element of the feed: only items have a meaning there.
  mutating func startInGroup(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard meaning.vocabulary.isCore, !needsRepair else { return .skipped }
    if meaning.local == .item || meaning.local == .entry { return beginItem(meaning, attributes) }
    if meaning.mayHoldItems { return .group }
    // Probably the element has no end tag and the whole feed is inside it, which is known only at the end.
    for index in frames.indices where frames[index].role == .group { frames[index].role = .skipped }
    return .skipped
  }

  /// Returns whether an element of an item is HTML markup around its fields.
  func isWrapper(_ meaning: ElementName, _ name: XMLName) -> Bool {
    guard meaning == ElementName(.rss, .none) else { return false }
    return name.withLocalBytes { local in Self.wrapperNames.contains { local.equalsIgnoringCase($0) } }
  }

  private static let wrapperNames: [StaticString] = [
    "p", "center", "span", "font", "b", "i", "strong", "em", "blockquote", "table", "tbody", "tr", "td",
    "section",
    "article",
  ]

  /// Begins a field in such markup.
  mutating func startInWrapper(
    _ meaning: ElementName, _ name: XMLName, _ attributes: XMLAttributes
  ) -> Role {
    guard isInItem else { return .skipped }
    let rank = Self.wrappedRank
    switch (meaning.vocabulary, meaning.local) {
    case (_, .title) where meaning.vocabulary.isCore:
      return item.title.wants(rank) ? startCapture(.title, .html, rank: rank) : .skipped
    case (_, .link) where meaning.vocabulary.isCore:
      return item.url.wants(rank) ? startCapture(.link, .plain, rank: rank) : .skipped
    case (_, .guid) where meaning.vocabulary.isCore, (_, .id) where meaning.vocabulary.isCore:
      return item.id.wants(rank) ? startCapture(.id, .plain, rank: rank) : .skipped
    case (_, .description) where meaning.vocabulary.isCore: return startBody(.description, .html, rank: rank)
    case (.content, .encoded): return startBody(.content, .html, rank: rank)
    case (_, .pubDate) where meaning.vocabulary.isCore: return startDateInWrapper(rank)
    case (_, .item) where meaning.vocabulary.isCore, (_, .entry) where meaning.vocabulary.isCore:
      return refuseNestedItem()
    default: return isWrapper(meaning, name) ? .wrapper : .skipped
    }
  }

  private mutating func startDateInWrapper(_ rank: UInt8) -> Role {
    item.published.wants(rank) ? startCapture(.published, .plain, rank: rank) : .skipped
  }

  /// Ends a title in which another field begins: its end tag comes too late.
  mutating func endTitle(before name: XMLName) -> Bool {
    guard capture.field == .title, frames.count == capture.depth else { return false }
    let meaning = names.meaning(of: name)
    guard meaning.vocabulary.isCore else { return false }
    switch meaning.local {
    case .link, .guid, .pubDate, .description:
      isCapturing = false
      finishCapture()
      frames[frames.count - 1].role = .wrapper
      return true
    default: return false
    }
  }
}

extension ElementName {
  /// True for unknown elements and markup of a feed that may contain items.
  var mayHoldItems: Bool { vocabulary.isCore && (local == .none || local == .div || local == .body) }
}
