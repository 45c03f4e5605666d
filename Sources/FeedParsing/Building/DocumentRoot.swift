internal import Markup

/// A document's root: a feed's format, or another document's kind.
struct DocumentRoot {
  /// True if the root belongs to Atom.
  private(set) var isAtom = false
  /// True if the root comes after a whole feed. Its items are used, but the fields come from the first feed.
  var isBehindFeed = false
  /// True if RSS 0.90's namespace is declared.
  private var declares090 = false
  /// The first element, if it does not belong to a feed.
  private(set) var foreignName: String?
  /// The document's kind if nothing in it belongs to a feed; its root may have another meaning.
  private(set) var otherwise: String?

  /// Reads an element's namespace declarations.
  @inline(__always)
  mutating func readNamespaces(_ attributes: XMLAttributes) {
    for index in 0..<attributes.namespaceCount where !declares090 {
      attributes.withNamespace(at: index) { declares090 = Vocabulary.named($0) == .rss090 }
    }
  }

  /// Forgets the root, which begins again.
  mutating func reset() {
    isAtom = false
    foreignName = nil
    otherwise = nil
  }

  /// Returns the role of an element outside a feed, and sets the feed's format.
  mutating func start(
    _ meaning: ElementName, _ name: XMLName, _ attributes: XMLAttributes, _ feed: inout DetailsBuilder,
    _ texts: inout TextBuffer
  ) -> ElementRole {
    switch (meaning.vocabulary, meaning.local) {
    case (_, .rss):
      if !meaning.vocabulary.isCore { texts.names.adopt(name, as: .rss) }
      noteDoubt(feed, nil)
      isAtom = false
      feed.details.format = texts.hasValue("0.9", .version, attributes) ? .rss09 : .rss20
      return .root
    case (.rdf, .rdf), (.other, .rdf):
      if meaning.vocabulary == .other { texts.names.adopt(name, as: .rdf) }
      noteDoubt(feed, "an RDF document without a channel")
      isAtom = false
      feed.details.format = declares090 ? .rss09 : .rss10
      return .root
    case (.other, .feed):
      noteDoubt(feed, Self.kind(of: name))
      texts.names.adopt(name, as: .atom)
      beginAtom(ElementName(.atom, .feed), attributes, &feed, &texts)
      return .feed
    case (.atom, .feed), (.atom03, .feed), (.rss, .feed):
      noteDoubt(feed, meaning.vocabulary == .rss && name.hasNamespace ? Self.kind(of: name) : nil)
      beginAtom(meaning, attributes, &feed, &texts)
      return .feed
    case (.atom, .entry), (.atom03, .entry):
      beginAtom(meaning, attributes, &feed, &texts)
      return .item
    case (.rss, .channel):
      noteDoubt(feed, "a document of the kind <channel>")
      isAtom = false
      feed.details.format = .rss20
      return .feed
    case (_, .item) where meaning.vocabulary.isCore && feed.details.format != nil,
      (_, .entry) where meaning.vocabulary.isCore && feed.details.format != nil:
      // The element follows an extra end tag, or a single entry.
      return .item
    default:
      return noteForeign(name)
    }
  }

  private mutating func beginAtom(
    _ meaning: ElementName, _ attributes: XMLAttributes, _ feed: inout DetailsBuilder,
    _ texts: inout TextBuffer
  ) {
    let isOld =
      meaning.vocabulary == .atom03
      || (meaning.vocabulary != .atom && texts.hasValue("0.", .version, attributes))
    isAtom = true
    feed.details.format = isOld ? .atom03 : .atom10
    if let language = texts.languages.last {
      feed.details.language = String(decoding: language, as: UTF8.self)
    }
  }

  /// Records that the root belongs to a feed, unless no other part of a feed follows.
  ///
  /// If none follows, the document has its first element's kind, or `kind`. If both are nil, it is a feed
  /// nevertheless.
  private mutating func noteDoubt(_ feed: DetailsBuilder, _ kind: String?) {
    guard feed.details.format == nil else { return }
    otherwise = foreignName.map { ForeignDocument.kind($0) } ?? kind
  }

  private static func kind(of name: XMLName) -> String {
    let space = name.withNamespaceBytes { $0.text.prefix(80) }
    return name.withLocalBytes { ForeignDocument.kind($0.text) } + (space.isEmpty ? "" : " of \(space)")
  }

  /// The markup that servers print in messages before a feed, often without end tags, and a declaration
  /// without its `?`.
  private static let messageNames: [StaticString] = ["p", "b", "i", "font", "center", "xml"]

  /// Records the kind of a document that is not a feed.
  ///
  /// - Returns: The element's role. A feed inside an element from another format is an example.
  private mutating func noteForeign(_ name: XMLName) -> ElementRole {
    if foreignName == nil { foreignName = name.withLocalBytes { $0.text } }
    return name.isNamed(anyOf: Self.messageNames) ? .outside : .foreign
  }

  /// Returns an element's role inside `rss` or `rdf:RDF`; nil if it is a feed field.
  mutating func startChild(
    _ meaning: ElementName, _ feed: inout DetailsBuilder, _ texts: inout TextBuffer
  ) -> ElementRole? {
    guard meaning.vocabulary.isCore else { return nil }
    switch meaning.local {
    case .rss: return .root
    case .channel:
      if isBehindFeed { return .feed }
      if foreignName == nil { otherwise = nil }
      if meaning.vocabulary == .rss090 { feed.details.format = .rss09 }
      if feed.details.language == nil {
        feed.details.language = texts.languages.last.map { String(decoding: $0, as: UTF8.self) }
      }
      return .feed
    default: return nil
    }
  }
}
