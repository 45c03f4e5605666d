internal import Markup

/// Categories and tags of items.
extension FeedBuilder {
  mutating func startCategory(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard attributes.count > 0 else { return startCapture(.category, .plain) }
    let term = slice(.term, of: attributes)
    let hasMore = attributes.count > 1 || term == nil
    let label = hasMore ? slice(.label, of: attributes) : nil
    let scheme = hasMore ? slice(.scheme, of: attributes) ?? slice(.domain, of: attributes) : nil
    let isQualified = (label != nil || scheme != nil) && beginExtension()
    if isQualified {
      note(.category, .scheme, scheme)
      note(.category, .label, label)
      note(.category, .text, term)
    }
    // Media RSS has a label in addition to the text, Atom instead of it.
    if let tag = term ?? (meaning.vocabulary == .media ? nil : label) {
      addTag(tag)
      return .skipped
    }
    let role = startCapture(.category, .plain)
    capture.isQualified = isQualified
    return role
  }

  mutating func addTag(_ tag: ByteSlice) {
    // After the list was cut, it is not searched any more.
    guard !item.cuts.contains(.tags), !hasTag(tag), hasRoom(pendingTags.count, in: .tags) else { return }
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

  /// Begins an `itunes:category` inside another one.
  mutating func startInCategories(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard isInItem else { return startFeedCategories(meaning, attributes) }
    if let tag = slice(.text, of: attributes) { addTag(tag) }
    return .categories
  }
}
