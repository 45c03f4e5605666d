internal import Markup

/// Damaged documents: elements without end tags, and fields in wrong places.
extension FeedBuilder {
  /// Returns the open elements that end where the element `name` begins.
  mutating func elementsEnded(by name: XMLName) -> XMLEndedElements {
    let meaning = texts.names.meaning(of: name)
    // An item without content may end first, so the order matters.
    let certain = countClosed(by: meaning)
    return XMLEndedElements(certain: certain, doubtful: Self.countInDoubt(by: meaning, in: frames))
  }

  private mutating func countClosed(by meaning: ElementName) -> Int {
    if meaning.vocabulary.isCore, meaning.local == .item || meaning.local == .entry {
      if let open = frames.firstIndex(where: \.role.isItem) {
        if texts.isInItem, texts.bytes.count == texts.itemStart { passOverItem(at: open) }
        return frames.count - open
      }
      guard let feed = frames.lastIndex(where: { $0.role == .feed || $0.role == .root }) else { return 0 }
      return frames.count - feed - 1
    }
    guard isCapturing, Self.endsText(capture.field, meaning) else { return 0 }
    return frames.count - capture.depth + 1
  }

  /// True if the element that was opened last is inside an item.
  var mayEndEarly: Bool { texts.isInItem && frames.last?.role.isItem == false }

  /// Skips an item without content in which another item begins, because it only contains others.
  private mutating func passOverItem(at index: Int) {
    dropItem()
    isCapturing = false
    for open in index..<frames.count { frames[open].role = .skipped }
  }

  // The two functions below are static: a method that only reads would be called with a copy of the builder
  // (2 KB).

  /// Returns whether an element cannot occur inside a text for `field`.
  private static func endsText(_ field: Capture.Field, _ meaning: ElementName) -> Bool {
    let isMarkup: Bool =
      switch field {
      case .content, .description, .feedDescription: true
      default: false
      }
    switch (meaning.vocabulary, meaning.local) {
    case (.rss, .pubDate), (.rss, .guid), (.rss, .description), (.rss, .comments), (.rss, .enclosure),
      (.rss10, .description), (.content, .encoded), (.dublinCore, .creator), (.dublinCore, .date),
      (.dublinCore, .subject), (.rss, .managingEditor), (.rss, .lastBuildDate), (.rss, .category):
      return true
    case (_, .title), (_, .link), (_, .author), (_, .summary), (_, .content), (_, .updated), (_, .published),
      (_, .id):
      return !isMarkup && field != .personText && meaning.vocabulary.isCore
    default: return false
    }
  }

  /// Counts the open elements that end where the element `name` begins, unless the outermost is closed later.
  ///
  /// These are the elements inside the innermost element in which `name` has a meaning.
  private static func countInDoubt(by meaning: ElementName, in frames: [Frame]) -> Int {
    // An unknown name has a place nowhere. Millions of tags may each have hundreds of open elements.
    guard meaning.local != .none else { return 0 }
    for index in frames.indices.reversed() {
      let role = frames[index].role
      if role.hasPlace(for: meaning) { return frames.count - index - 1 }
      if role.isWhole { return 0 }
    }
    return 0
  }

  // MARK: Fields in markup

  /// The rank for a field in markup, worse than for a field in its place.
  private static let wrappedRank: UInt8 = 32

  /// Begins a field in HTML markup around an item's fields.
  mutating func startInWrapper(
    _ meaning: ElementName, _ name: XMLName, _ attributes: XMLAttributes
  ) -> Role {
    guard texts.isInItem else { return .skipped }
    let rank = Self.wrappedRank
    switch (meaning.vocabulary, meaning.local) {
    case (.content, .encoded): return startBody(.content, .html, rank: rank)
    case _ where !meaning.vocabulary.isCore: break
    case (_, .title): return startIfWanted(.title, .html, rank: rank)
    case (_, .link): return startIfWanted(.link, rank: rank)
    case (_, .guid), (_, .id): return startIfWanted(.id, rank: rank)
    case (_, .description): return startBody(.description, .html, rank: rank)
    case (_, .pubDate):
      return item.fields.published.wants(rank) ? startIfWanted(.published, rank: rank) : .skipped
    case (_, .item), (_, .entry): return refuseNestedItem()
    default: break
    }
    return meaning.isWrapper(name) ? .wrapper : .skipped
  }

  /// Ends a title in which another field begins: its end tag comes too late.
  private mutating func endTitle(before name: XMLName) -> Bool {
    guard capture.field == .title, frames.count == capture.depth else { return false }
    let meaning = texts.names.meaning(of: name)
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

  // MARK: Parts of persons

  /// Switches to a person's parts, which are elements: the text collected so far is white space.
  mutating func switchToPart(of name: XMLName) -> Bool {
    guard capture.field == .personText, frames.count == capture.depth else { return endTitle(before: name) }
    guard ElementTable.endsOthers(.person, texts.names.meaning(of: name).inCore) else { return false }
    texts.removeTexts(from: capture.start)
    isCapturing = false
    frames[frames.count - 1].role = .person
    return true
  }
}
