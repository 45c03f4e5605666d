internal import Markup

/// Elements that mean nothing and stand around what does.
extension FeedBuilder {
  /// A field in markup counts less than any that stands in its place.
  private static let wrappedRank: UInt8 = 32

  /// What an element inside of an unknown one of the feed is: only items mean something there.
  mutating func startInGroup(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard meaning.vocabulary.isCore, !needsRepair else { return .skipped }
    if meaning.local == .item || meaning.local == .entry { return beginItem(meaning, attributes) }
    if meaning.mayHoldItems { return .group }
    // More likely it was never closed, and the whole feed stands in it: that shows only at the end.
    for index in frames.indices where frames[index].role == .group { frames[index].role = .skipped }
    return .skipped
  }

  /// Whether an element of an item is markup of HTML that somebody put around its fields.
  func isWrapper(_ meaning: ElementName, _ name: XMLName) -> Bool {
    guard meaning == ElementName(.rss, .none) else { return false }
    return name.withLocalBytes { local in Self.wrapperNames.contains { local.equalsIgnoringCase($0) } }
  }

  private static let wrapperNames: [StaticString] = [
    "p", "center", "span", "font", "b", "i", "strong", "em", "blockquote", "table", "tbody", "tr", "td",
    "section",
    "article",
  ]

  /// A field in such markup.
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

  /// A title in which another field begins ends there: its end tag comes too late.
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
  /// Whether an element of a feed is one that nobody knows, or markup, in which items may stand.
  var mayHoldItems: Bool { vocabulary.isCore && (local == .none || local == .div || local == .body) }
}
