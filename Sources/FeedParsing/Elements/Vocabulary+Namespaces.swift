internal import Markup

extension Vocabulary {
  /// Returns the vocabulary for an element or attribute: by its namespace, or by its prefix if the namespace
  /// is missing or unknown.
  static func of(_ name: XMLName) -> Vocabulary {
    if name.hasNamespace {
      let vocabulary = name.withNamespaceBytes { named($0) }
      if vocabulary != .other { return vocabulary }
    } else if !name.hasPrefix {
      return .rss
    }
    // The namespace is unknown, probably misspelled. The usual prefix decides.
    return name.hasPrefix ? name.withPrefixBytes { byPrefix[key($0)] ?? .other } : .other
  }

  /// Returns the vocabulary for a namespace.
  static func named(_ namespace: Span<UInt8>) -> Vocabulary {
    let key = key(namespace)
    if let vocabulary = byNamespace[key] { return vocabulary }
    let text = key.span
    for (start, vocabulary) in families where text.hasPrefix(start) { return vocabulary }
    return .other
  }

  /// Returns a namespace in lower case, without white space and without a final slash. These often vary.
  private static func key(_ bytes: Span<UInt8>) -> [UInt8] {
    var key: [UInt8] = []
    for index in 0..<bytes.count where !bytes[index].isXMLSpace { key.append(bytes[index].asciiLowercased) }
    while key.last == UInt8(ascii: "/") || key.last == UInt8(ascii: "#") { key.removeLast() }
    if key.starts(with: "https:".utf8) { key.remove(at: 4) }
    return key
  }

  private static let byNamespace = table([
    ("http://www.w3.org/2005/atom", .atom), ("http://example.com/newformat", .atom03),
    ("http://example.com/necho", .atom03), ("http://purl.org/pie", .atom03),
    ("http://purl.org/echo", .atom03),
    ("uri/of/echo/namespace", .atom03), ("http://example.com/dtds/podcast-1.0.dtd", .iTunes),
    // The names and meanings are the same as in iTunes.
    ("http://www.google.com/schemas/play-podcasts/1.0", .iTunes), ("http://purl.org/rss/1.0", .rss10),
    ("http://my.netscape.com/publish/formats/rss-0.91.dtd", .rss), ("http://purl.org/rss/2.0", .rss),
    ("http://www.w3.org/1999/02/22-rdf-syntax-ns", .rdf), ("http://purl.org/dc/terms", .dublinCoreTerms),
    ("http://www.rssboard.org/media-rss", .media), ("http://www.w3.org/1999/xhtml", .xhtml),
    ("http://www.w3.org/xml/1998/namespace", .xml),
    ("http://backend.userland.com/creativecommonsrssmodule", .license),
    ("http://www.w3.org/2007/app", .app), ("http://purl.org/atom/app", .app),
    ("http://webns.net/mvcb", .admin), ("http://postneo.com/icbm", .geo),
    ("http://www.pheedo.com/namespace/pheedo", .burner),
  ])

  /// The beginnings of namespaces with versions or several spellings. The first match counts.
  private static let families: [(StaticString, Vocabulary)] = [
    ("http://www.itunes.com", .iTunes), ("http://purl.org/dc/elements", .dublinCore),
    ("http://purl.org/rss/1.0/modules/content", .content),
    ("http://purl.org/rss/1.0/modules/slash", .slash),
    ("http://purl.org/rss/1.0/modules/syndication", .syndication),
    ("http://purl.org/rss/1.0/modules/", .other), ("http://wellformedweb.org", .wfw),
    ("http://search.yahoo.com/mrss", .media), ("http://purl.org/atom/", .atom03),
    ("http://podcastindex.org/namespace", .podcast), ("http://www.podcastindex.org/namespace", .podcast),
    ("http://github.com/podcastindex-org/podcast-namespace", .podcast),
    ("http://purl.org/syndication/thread", .thread),
    ("http://www.georss.org", .geoRSS), ("http://georss.org", .geoRSS),
    ("http://www.opengis.net/gml", .geo), ("http://www.w3.org/2003/01/geo", .geo),
    ("http://web.resource.org/cc", .license), ("http://creativecommons.org/ns", .license),
    ("http://www.creativecommons.org/ns", .license),
    ("http://cyber.law.harvard.edu/rss/creativecommons", .license),
    ("http://rssnamespace.org/feedburner", .burner), ("http://backend.userland.com/rss", .rss),
    ("http://blogs.law.harvard.edu/tech/rss", .rss), ("http://my.netscape.com", .rss090),
    ("http://channel.netscape.com", .rss090), ("http://purl.org/net/rss", .rss),
    ("http://www.rssboard.org", .rss),
  ]

  /// The usual prefix; nil for a vocabulary that needs none.
  var usualPrefix: String? { Self.prefixes.first { $0.1 == self }?.0 }

  private static let byPrefix = table(prefixes)

  /// The prefixes in use. A vocabulary's first prefix is its usual one.
  private static let prefixes: [(String, Vocabulary)] = [
    ("atom", .atom), ("atom10", .atom), ("a10", .atom), ("rdf", .rdf), ("content", .content),
    ("dc", .dublinCore), ("dcterms", .dublinCoreTerms), ("itunes", .iTunes), ("media", .media),
    ("xhtml", .xhtml), ("sy", .syndication), ("xml", .xml), ("rss", .rss), ("podcast", .podcast),
    ("slash", .slash), ("wfw", .wfw), ("thr", .thread), ("georss", .geoRSS), ("geo", .geo), ("gml", .geo),
    ("icbm", .geo), ("cc", .license), ("creativecommons", .license), ("feedburner", .burner),
    ("pheedo", .burner), ("app", .app), ("admin", .admin), ("googleplay", .iTunes),
  ]

  private static func table(_ rows: [(String, Vocabulary)]) -> [[UInt8]: Vocabulary] {
    Dictionary(uniqueKeysWithValues: rows.map { (Array($0.0.utf8), $0.1) })
  }
}

/// Cache: name meanings by the names' addresses. Most names in a document occur many times.
struct NameCache {
  private struct Slot {
    var local: UInt = 0
    var space: UInt = 0
    var meaning = ElementName(.other, .none)
  }

  private var slots = [Slot](repeating: Slot(), count: 256)
  private var spaces: [(address: UInt, hasNamespace: Bool, vocabulary: Vocabulary)] = []
  /// The vocabulary that is read as RSS in names without a prefix: the document's default namespace is
  /// unknown, or a module's.
  private var misusedDefault = Vocabulary.other

  /// Returns the meaning of `name`.
  mutating func meaning(of name: XMLName) -> ElementName {
    let (local, space) = name.identity
    let index = Int(truncatingIfNeeded: (local >> 3) ^ (space >> 4) ^ (local >> 11)) & 255
    let slot = slots[index]
    let isKnown = slot.local == local && slot.space == space
    let meaning = isKnown ? slot.meaning : remember(name, at: index)
    guard meaning.vocabulary == misusedDefault, !name.hasPrefix else { return meaning }
    return ElementName(.rss, meaning.local)
  }

  private mutating func remember(_ name: XMLName, at index: Int) -> ElementName {
    let (local, space) = name.identity
    let meaning = ElementName(vocabulary(of: name), name.withLocalBytes { LocalName.named($0) })
    slots[index] = Slot(local: local, space: space, meaning: meaning)
    return meaning
  }

  /// Records the meaning that the root's namespace has in this document.
  mutating func adopt(_ name: XMLName, as vocabulary: Vocabulary) {
    if name.hasPrefix {
      spaces.insert((name.identity.space, name.hasNamespace, vocabulary), at: 0)
      slots = [Slot](repeating: Slot(), count: slots.count)
    } else {
      misusedDefault = self.vocabulary(of: name)
    }
  }

  private mutating func vocabulary(of name: XMLName) -> Vocabulary {
    let address = name.identity.space
    if address == 0 { return .rss }
    for known in spaces where known.address == address && known.hasNamespace == name.hasNamespace {
      return known.vocabulary
    }
    let vocabulary = Vocabulary.of(name)
    if spaces.count < 32 { spaces.append((address, name.hasNamespace, vocabulary)) }
    return vocabulary
  }
}
