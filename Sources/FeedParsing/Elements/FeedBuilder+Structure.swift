internal import Markup

/// The meaning of an element by its place, down to the feed.
extension FeedBuilder {
  /// Reads `xml:base` and `xml:lang`.
  mutating func readContext(_ attributes: XMLAttributes, _ frame: inout Frame) {
    for index in 0..<attributes.count {
      guard let name = attributes.name(at: index), name.hasPrefix else { continue }
      let meaning = names.meaning(of: name)
      guard meaning.vocabulary == .xml else { continue }
      let start = batch.bytes.count
      attributes.appendValue(at: index, to: &batch.bytes)
      if meaning.local == .lang, batch.bytes.count - start <= Self.longestLanguage {
        languages.append(Array(batch.bytes[start...]))
        frame.hasLanguage = true
      } else if meaning.local == .base, let base = newBase(from: start) {
        bases.append(base)
        frame.hasBase = true
      }
      batch.bytes.removeSubrange(start...)
    }
  }

  /// Returns the base in the bytes from `start` on, resolved against the base around it; nil if it is too long.
  private func newBase(from start: Int) -> URLBase? {
    let text = batch.bytes.span.extracting(start...)
    guard text.count <= Self.longestBase else { return nil }
    guard let outer = bases.last else { return URLBase(batch.bytes[start...]) }
    var absolute: [UInt8] = []
    HTMLAddresses.append(address: text, outer, to: &absolute)
    return absolute.count <= Self.longestBase ? URLBase(absolute) : nil
  }

  mutating func startElement(
    _ meaning: ElementName, _ name: XMLName, _ attributes: XMLAttributes
  ) -> Role {
    guard frames.count > 1 else { return startRoot(meaning, name, attributes) }
    switch frames[frames.count - 2].role {
    case .outside: return startRoot(meaning, name, attributes)
    case .root: return startInRoot(meaning, attributes)
    case .feed:
      let role = startInFeed(meaning, attributes)
      return role == .skipped && meaning.mayHoldItems ? .group : role
    case .group: return startInGroup(meaning, attributes)
    case .item:
      let role = startInItem(meaning, attributes)
      return role == .skipped && isWrapper(meaning, name) ? .wrapper : role
    case .itemBehindSource: return startBehindSource(meaning, attributes)
    case .alternatives: return startAlternative(meaning, attributes)
    case .wrapper: return startInWrapper(meaning, name, attributes)
    case .person: return apply(rule(.person, meaning.inCore), meaning, attributes)
    case .image: return apply(rule(.image, meaning), meaning, attributes)
    case .source: return startInSource(meaning, attributes)
    case .textInput: return apply(rule(.textInput, meaning), meaning, attributes)
    case .holder: return isInItem ? startModule(meaning, attributes) : startInFeedValue(meaning, attributes)
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
    // A second feed after the first, or the rest of the first after an extra end tag.
    let first = (details.format, details.language)
    let role = startFirstRoot(meaning, name, attributes)
    if role == .root || role == .feed { isBehindFeed = true }
    (details.format, details.language) = first
    return role
  }

  /// True if a whole feed was read before this place.
  private var hasReadFeed: Bool {
    details.format != nil && (hasGivenItems || !batch.items.isEmpty || details.saysSomething)
  }

  private mutating func startFirstRoot(
    _ meaning: ElementName, _ name: XMLName, _ attributes: XMLAttributes
  ) -> Role {
    switch (meaning.vocabulary, meaning.local) {
    case (_, .rss):
      if !meaning.vocabulary.isCore { names.adopt(name, as: .rss) }
      noteDoubt(nil)
      isAtom = false
      details.format = isOldRSS(attributes) ? .rss09 : .rss20
      return .root
    case (.rdf, .rdf), (.other, .rdf):
      if meaning.vocabulary == .other { names.adopt(name, as: .rdf) }
      noteDoubt("an RDF document without a channel")
      isAtom = false
      details.format = declares090 ? .rss09 : .rss10
      return .root
    case (.other, .feed):
      noteDoubt(Self.kind(of: name))
      names.adopt(name, as: .atom)
      beginAtom(ElementName(.atom, .feed), attributes)
      return .feed
    case (.atom, .feed), (.atom03, .feed), (.rss, .feed):
      noteDoubt(meaning.vocabulary == .rss && name.hasNamespace ? Self.kind(of: name) : nil)
      beginAtom(meaning, attributes)
      return .feed
    case (.atom, .entry), (.atom03, .entry):
      beginAtom(meaning, attributes)
      return beginItem(meaning, attributes)
    case (.rss, .channel):
      noteDoubt("a document of the kind <channel>")
      isAtom = false
      details.format = .rss20
      return .feed
    case (_, .item) where meaning.vocabulary.isCore && details.format != nil,
      (_, .entry) where meaning.vocabulary.isCore && details.format != nil:
      // After an extra end tag, or after a single entry.
      return beginItem(meaning, attributes)
    default:
      return noteForeign(name)
    }
  }

  private mutating func beginAtom(_ meaning: ElementName, _ attributes: XMLAttributes) {
    let isOld =
      meaning.vocabulary == .atom03
      || (meaning.vocabulary != .atom && hasValue("0.", .version, attributes))
    isAtom = true
    details.format = isOld ? .atom03 : .atom10
    if let language = languages.last { details.language = String(decoding: language, as: UTF8.self) }
  }

  private mutating func isOldRSS(_ attributes: XMLAttributes) -> Bool {
    hasValue("0.9", .version, attributes)
  }

  private mutating func hasValue(_ text: StaticString, _ name: LocalName, _ attributes: XMLAttributes) -> Bool
  {
    let start = batch.bytes.count
    guard append(name, of: attributes) else { return false }
    let result = batch.bytes.span.hasPrefix(text, at: start)
    batch.bytes.removeSubrange(start...)
    return result
  }

  /// Notes that the root is a feed's, unless nothing else of a feed follows. Then the document is `kind` (nil: a feed
  /// nevertheless), or has the kind of its first element.
  private mutating func noteDoubt(_ kind: String?) {
    guard details.format == nil else { return }
    otherwise = foreignRoot.map { ForeignDocument.kind($0) } ?? kind
  }

  private static func kind(of name: XMLName) -> String {
    let space = name.withNamespaceBytes { $0.text.prefix(80) }
    return name.withLocalBytes { ForeignDocument.kind($0.text) } + (space.isEmpty ? "" : " of \(space)")
  }

  /// Notes the kind of a document that is not a feed.
  ///
  /// - Returns: The role of the element. Scripts and styles of a page may contain text that looks like elements of a
  /// feed.
  private mutating func noteForeign(_ name: XMLName) -> Role {
    if foreignRoot == nil { foreignRoot = name.withLocalBytes { $0.text } }
    return name.withLocalBytes {
      $0.equalsIgnoringCase("script") || $0.equalsIgnoringCase("style") ? .skipped : .outside
    }
  }

  private mutating func startInRoot(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard meaning.vocabulary.isCore else { return startInFeed(meaning, attributes) }
    switch meaning.local {
    case .rss: return .root
    case .channel:
      if isBehindFeed { return .feed }
      if foreignRoot == nil { otherwise = nil }
      if meaning.vocabulary == .rss090 { details.format = .rss09 }
      if details.language == nil {
        details.language = languages.last.map { String(decoding: $0, as: UTF8.self) }
      }
      return .feed
    default: return startInFeed(meaning, attributes)
    }
  }
}
