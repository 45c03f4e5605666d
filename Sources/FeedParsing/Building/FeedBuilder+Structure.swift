internal import Markup

/// The meaning of an element by its place, down to the feed.
extension FeedBuilder {
  mutating func startElement(
    _ meaning: ElementName, _ name: XMLName, _ attributes: XMLAttributes
  ) -> Role {
    guard frames.count > 1 else { return startRoot(meaning, name, attributes) }
    switch frames[frames.count - 2].role {
    case .outside: return startRoot(meaning, name, attributes)
    case .foreign: return meaning.mayFollowMisspeltRoot ? startRoot(meaning, name, attributes) : .skipped
    case .root: return startInRoot(meaning, attributes)
    case .feed:
      let role = startInFeed(meaning, attributes)
      return role == .skipped && meaning.mayHoldItems ? .group : role
    case .group: return startInGroup(meaning, attributes)
    case .item:
      let role = startInItem(meaning, attributes)
      return role == .skipped && meaning.isWrapper(name) ? .wrapper : role
    case .itemBehindSource: return startBehindSource(meaning, attributes)
    case .alternatives: return startAlternative(meaning, attributes)
    case .wrapper: return startInWrapper(meaning, name, attributes)
    case .person: return apply(rule(.person, meaning.inCore), meaning, attributes)
    case .image: return apply(rule(.image, meaning), meaning, attributes)
    case .source: return startInSource(meaning, attributes)
    case .holder: return startInHolder(meaning, attributes)
    case .media: return startInMedia(meaning, attributes)
    case .categories: return startInCategories(meaning, attributes)
    case .skipHours: return startCapture(.skipHour, .plain)
    case .skipDays: return startCapture(.skipDay, .plain)
    case .captured, .markup, .skipped, .passedOver: return .skipped
    }
  }

  mutating func endElement(_ role: Role) {
    switch role {
    case .item, .itemBehindSource: finishItem()
    case .person: finishPerson()
    case .source: endSource()
    default: break
    }
  }

  private mutating func startRoot(
    _ meaning: ElementName, _ name: XMLName, _ attributes: XMLAttributes
  ) -> Role {
    guard frames.count == 1, hasReadFeed else { return startFirstRoot(meaning, name, attributes) }
    // A second feed follows the first, or an extra end tag split the first feed.
    let first = (feed.details.format, feed.details.language)
    let role = startFirstRoot(meaning, name, attributes)
    if role == .root || role == .feed { root.isBehindFeed = true }
    (feed.details.format, feed.details.language) = first
    return role
  }

  private mutating func startFirstRoot(
    _ meaning: ElementName, _ name: XMLName, _ attributes: XMLAttributes
  ) -> Role {
    let role = root.start(meaning, name, attributes, &feed, &texts)
    return role == .item ? beginItem(meaning, attributes) : role
  }

  private mutating func startInRoot(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    root.startChild(meaning, &feed, &texts) ?? startInFeed(meaning, attributes)
  }

  // MARK: Places in a feed

  private mutating func startInFeed(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    // This part of the document is read again.
    if needsRepair { return .skipped }
    guard root.isBehindFeed else { return apply(rule(.feed, meaning), meaning, attributes) }
    // Only a second feed's items are used.
    guard meaning.vocabulary.isCore else { return .skipped }
    switch meaning.local {
    case .item, .entry: return beginItem(meaning, attributes)
    case .items, .channel: return .feed
    default: return .skipped
    }
  }

  /// Returns an element's role inside an unknown element in the feed: only items have a meaning there.
  private mutating func startInGroup(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard meaning.vocabulary.isCore, !needsRepair else { return .skipped }
    if meaning.local == .item || meaning.local == .entry { return beginItem(meaning, attributes) }
    if meaning.mayHoldItems { return .group }
    // Probably the element has no end tag and the whole feed is inside it, but only the end can show this.
    for index in frames.indices where frames[index].role == .group { frames[index].role = .skipped }
    return .skipped
  }

  private mutating func startInCategories(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    if texts.isInItem { return takeITunesCategory(attributes) }
    guard meaning.local == .category else { return .skipped }
    feed.takeITunesCategory(isInner: true, attributes, &texts)
    return .categories
  }

  // MARK: Places in an item

  mutating func startInItem(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    let meaning = meaning.vocabulary == .xhtml ? ElementName(.rss, meaning.local) : meaning
    return apply(rule(.item, meaning), meaning, attributes)
  }

  private mutating func startInMedia(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard texts.isInItem else { return .skipped }
    return meaning.vocabulary == .media
      ? apply(rule(.item, meaning), meaning, attributes) : startModule(meaning, attributes)
  }

  private mutating func startInHolder(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    texts.isInItem ? startModule(meaning, attributes) : .skipped
  }

  /// Begins a module element inside another module element.
  private mutating func startModule(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    switch meaning.vocabulary {
    case .podcast, .slash, .wfw, .thread, .geoRSS, .geo, .license, .burner, .app:
      apply(rule(.item, meaning), meaning, attributes)
    default: .skipped
    }
  }
}
