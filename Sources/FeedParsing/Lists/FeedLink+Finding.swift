internal import Markup

extension FeedLink {
  /// The number of bytes searched in a page.
  static let largestPage = 1 << 20
  /// The maximum link count for a page.
  static let mostLinks = 50

  /// Returns the feeds that an HTML page links to (RSS Autodiscovery; HTML Standard, section 4.6.7.1).
  ///
  /// Feeds that the page declares come first, then others with addresses that look like feeds, each in the
  /// page's order. Nothing is downloaded. Any bytes are accepted: bytes that are not a page have no links.
  /// Only the first MiB is searched, and at most 50 links are returned.
  ///
  /// - Parameters:
  ///   - page: The page as its server sent it, in any encoding.
  ///   - source: The page's address, and the media type that the server sent.
  ///   - field: The Link field in the server's answer (RFC 8288). Its links count like links that the page
  ///     declares.
  public static func all(
    in page: [UInt8], from source: DocumentSource, linkField field: String? = nil
  ) -> [FeedLink] {
    var text: [UInt8] = []
    let decoder = CharacterDecoder(.html, contentType: source.contentType)
    unsafe page.withUnsafeBufferPointer { bytes in
      let head = unsafe UnsafeBufferPointer(rebasing: bytes.prefix(largestPage))
      unsafe decoder.decode(head, isLast: true) { text.append($0) }
    }
    let isXHTML = source.contentType?.lowercased().contains("xhtml") ?? false
    var tags = HTMLTags(text, isXHTML: isXHTML)
    var search = LinkSearch()
    while tags.next() { search.look(at: tags) }
    for link in LinkField.links(field ?? "") { search.look(at: link, from: source.url) }
    return search.links(of: source.url)
  }
}

/// Collects a page's links while its tags are read.
private struct LinkSearch {
  /// An address as the page contains it, with its media type and title.
  private typealias Found = (href: [UInt8], type: String?, title: String?)

  private var declared: [Found] = []
  private var mentioned: [Found] = []
  /// The address in the first `base`, which applies to the whole page.
  private var base: [UInt8]?

  /// The longest title in characters, for one terminal line.
  private static let longestTitle = 200

  mutating func look(at tag: HTMLTags) {
    if tag.isNamed("link") {
      lookAtLink(tag)
    } else if tag.isNamed("a") {
      guard mentioned.count < FeedLink.mostLinks, let href = tag.value(of: "href"),
        PageAddress.looksLikeFeed(href)
      else { return }
      let title = Self.line(tag.value(of: "title")) ?? Self.line(tag.content(upTo: 4 * Self.longestTitle))
      mentioned.append((href, nil, title))
    } else if tag.isNamed("base"), base == nil {
      base = tag.value(of: "href")
    }
  }

  private mutating func lookAtLink(_ tag: HTMLTags) {
    guard let href = tag.value(of: "href"), let rel = tag.value(of: "rel").map(Self.lowercased),
      let isFeed = Self.mayBeFeed(rel)
    else { return }
    let title = Self.line(tag.value(of: "title"))
    let type = tag.value(of: "type").map(Self.mediaType)
    if declare((href, type, title), isFeed: isFeed) { return }
    if type == nil, tag.value(of: "hreflang") == nil, PageAddress.looksLikeFeed(href),
      mentioned.count < FeedLink.mostLinks
    {
      mentioned.append((href, nil, title))
    }
  }

  /// Adds a link from the server's answer, unless it belongs to another page (RFC 8288, section 3.2). The
  /// page's `base` does not apply to it.
  mutating func look(at link: LinkField.Link, from page: String?) {
    let home = page.flatMap { URLBase($0.utf8) }
    if let anchor = link.parameters["anchor"], !anchor.isEmpty, !anchor.hasPrefix("#"),
      PageAddress.resolve(Array(anchor.utf8), against: home)
        != page.flatMap({ PageAddress.resolve(Array($0.utf8), against: nil) })
    {
      return
    }
    guard let isFeed = Self.mayBeFeed((link.parameters["rel"] ?? "").lowercased()),
      let href = PageAddress.resolve(Array(link.target.utf8), against: home).map({ Array($0.utf8) })
    else { return }
    let title = link.parameters["title"].flatMap { Self.line(Array($0.utf8)) }
    let type = link.parameters["type"].map { Self.mediaType(Array($0.utf8)) }
    _ = declare((href, type, title), isFeed: isFeed)
  }

  /// Adds a declared link that is certainly a feed, or whose type belongs to a feed; returns whether it is one.
  private mutating func declare(_ link: Found, isFeed: Bool) -> Bool {
    guard isFeed || Self.isFeed(type: link.type ?? "", href: link.href, title: link.title) else {
      return false
    }
    if declared.count < FeedLink.mostLinks { declared.append(link) }
    return true
  }

  /// Returns true if a link with these relations is certainly a feed, false if it may be one, nil if it is
  /// not.
  private static func mayBeFeed(_ rel: String) -> Bool? {
    let relations = rel.split(whereSeparator: \.isWhitespace)
    if relations.contains("stylesheet") { return nil }
    if relations.contains("feed") { return true }
    return relations.contains("alternate") ? false : nil
  }

  /// Returns the links with resolved addresses, but only http and https links.
  func links(of page: String?) -> [FeedLink] {
    let home = page.flatMap { URLBase($0.utf8) }
    let around =
      base.flatMap { PageAddress.resolve($0, against: home) }.flatMap { URLBase($0.utf8) } ?? home
    func link(_ found: Found, isDeclared: Bool) -> FeedLink? {
      PageAddress.resolve(found.href, against: around).map {
        FeedLink(url: $0, type: found.type, title: found.title, isDeclared: isDeclared)
      }
    }
    let links =
      declared.compactMap { link($0, isDeclared: true) }
      + mentioned.compactMap { link($0, isDeclared: false) }
    return Array(links.prefix(FeedLink.mostLinks))
  }

  /// Returns whether a media type belongs to a feed.
  ///
  /// Some types also belong to other files (from a page's software, friend lists, search engines). They count
  /// only if the title or the address mentions a feed.
  private static func isFeed(type: String, href: [UInt8], title: String?) -> Bool {
    switch type {
    case "application/rss+xml", "application/atom+xml", "application/feed+json", "application/x-rss+xml",
      "application/x-atom+xml":
      return true
    case "application/json", "application/rdf+xml", "text/xml", "application/xml":
      let words = lowercased(href) + " " + (title ?? "").lowercased()
      return ["feed", "rss", "atom"].contains { words.contains($0) }
    default: return false
    }
  }

  private static func mediaType(_ value: [UInt8]) -> String {
    let type = value.prefix { $0 != UInt8(ascii: ";") }
    return lowercased(type.filter { !$0.isXMLSpace })
  }

  private static func lowercased(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self).lowercased()
  }

  /// Returns a text on one line; nil if it is missing or blank.
  private static func line(_ bytes: [UInt8]?) -> String? {
    guard let bytes else { return nil }
    let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    let line = String(words.joined(separator: " ").prefix(longestTitle))
    return line.isEmpty ? nil : line
  }
}

/// Addresses as pages contain them.
private enum PageAddress {
  private static let endings = [
    ".rss", ".xml", ".atom", ".rdf", "/feed", "/feed/", "/rss", "/rss/", "/atom", "/atom/", "/feed.json",
  ]
  /// The names of XML files that are not feeds.
  private static let otherFiles = ["sitemap", "opensearch"]

  private static let feedSchemes: [StaticString] = ["feed:", "rss:", "pcast:", "podcast:", "itpc:"]

  /// Returns whether an address's path ends like a feed's.
  static func looksLikeFeed(_ href: [UInt8]) -> Bool {
    let path = href[href.span.trimmed].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let text = String(decoding: path, as: UTF8.self).lowercased()
    return endings.contains(where: text.hasSuffix) && !otherFiles.contains { text.contains($0) }
  }

  /// Returns the resolved address of `href` without its fragment; nil if it is not http or https.
  ///
  /// White space around it and line ends inside are ignored, as in browsers (URL Standard, section 4.4).
  static func resolve(_ href: [UInt8], against base: URLBase?) -> String? {
    var address: [UInt8] = []
    for byte in href[href.span.trimmed].prefix(while: { $0 != UInt8(ascii: "#") }) {
      switch byte {
      case 0x09, 0x0A, 0x0D: break
      case 0...0x20, 0x7F: address.appendPercentEncoded(byte)
      default: address.append(byte)
      }
    }
    // Pages use these schemes to make a browser open a feed reader: feed://host/path, or
    // feed:https://host/path.
    for scheme in feedSchemes where address.span.hasPrefixIgnoringCase(scheme) {
      let length = scheme.utf8CodeUnitCount
      let isWhole = address.span.hasPrefix("//", at: length) && address.span.isWebAddress(at: length + 2)
      let isHost = !isWhole && address.span.hasPrefix("//", at: length)
      address.replaceSubrange(..<(isWhole ? length + 2 : length), with: isHost ? Array("http:".utf8) : [])
      break
    }
    guard !address.isEmpty, address.count <= URLBase.longest else { return nil }
    var whole: [UInt8] = []
    if let base { base.append(resolving: address.span, to: &whole) } else { whole = address }
    guard whole.count <= URLBase.longest else { return nil }
    let isOfWeb = whole.span.isWebAddress() || base == nil && URLBase.schemeEnd(whole.span) == nil
    return isOfWeb ? String(decoding: whole, as: UTF8.self) : nil
  }
}
