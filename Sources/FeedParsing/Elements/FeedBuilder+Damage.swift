internal import Markup

/// The ends of elements without end tags, in damaged documents.
extension FeedBuilder {
  /// Returns the open elements that end where the element `name` begins.
  mutating func elementsEnded(by name: XMLName) -> XMLEndedElements {
    let meaning = names.meaning(of: name)
    // An item without content may end first, so that the order matters.
    let certain = countClosed(by: meaning)
    return XMLEndedElements(certain: certain, doubtful: countInDoubt(by: meaning))
  }

  private mutating func countClosed(by meaning: ElementName) -> Int {
    if meaning.vocabulary.isCore, meaning.local == .item || meaning.local == .entry {
      if let open = frames.firstIndex(where: \.role.isItem) {
        if isInItem, batch.bytes.count == itemStart { passOverItem(at: open) }
        return frames.count - open
      }
      guard let feed = frames.lastIndex(where: { $0.role == .feed || $0.role == .root }) else { return 0 }
      return frames.count - feed - 1
    }
    guard isCapturing, endsText(meaning) else { return 0 }
    return frames.count - capture.depth + 1
  }

  /// True if the element that was opened last is inside an item.
  var mayEndEarly: Bool { isInItem && frames.last?.role.isItem == false }

  /// Skips an item without content in which another item begins: it only contains others.
  private mutating func passOverItem(at index: Int) {
    dropItem()
    isCapturing = false
    for open in index..<frames.count { frames[open].role = .skipped }
  }

  /// Rejects an item inside another one, which has no end tag or contains it. The part of the outer item stays
  /// unsettled until the document is read again as a damaged one. There the outer item ends where the inner one
  /// begins.
  mutating func refuseNestedItem() -> Role {
    if !isInRepair, exceeded == nil {
      needsRepair = true
      frames[frames.count - 2].role = .skipped
    }
    return .skipped
  }

  /// Returns whether an element cannot occur inside the text that is being collected.
  private func endsText(_ meaning: ElementName) -> Bool {
    let isMarkup: Bool =
      switch capture.field {
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
      return !isMarkup && capture.field != .personText && meaning.vocabulary.isCore
    default: return false
    }
  }
}
