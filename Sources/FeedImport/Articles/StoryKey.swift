import FeedParsing

/// Computes the key that an article's copies in several feeds share: a hash of the page's address, without
/// the parts in which copies differ.
///
/// The key ignores the scheme, the user, the standard port, the host labels `www`, `m`, `mobile` and `amp`,
/// and `amp` and `.html` around the path. It also ignores trailing slashes, parameters that only count
/// readers, and the fragment. Two articles with one key may still be different ones; see
/// `DataSource.copies(ofStories:)`.
package enum StoryKey {
  /// Returns an address's key; see ``of(_:)-(Span<UInt8>)``.
  package static func of(_ address: String?) -> Int64? {
    address.flatMap { of(Array($0.utf8).span) }
  }

  /// Returns an address's key; nil unless it is the address of a page other than a home page.
  ///
  /// Nearly every new article passes here, so the usual address is hashed where it is.
  static func of(_ address: Span<UInt8>) -> Int64? {
    guard let parts = LinkParts(address) else { return nil }
    var end = parts.host.upperBound
    while end < address.count, address[end] != question, address[end] != number { end += 1 }
    let path = pathRange(address, parts.host.upperBound..<end)
    let rest = end < address.count ? selectors(address.extracting(end..<address.count)) : []
    guard !path.isEmpty || !rest.isEmpty else { return nil }
    let host = hostHash(address.extracting(parts.host))
    var page = host &* 31 &+ ContentHash.of(address.extracting(path))
    if !rest.isEmpty { page = page &* 31 &+ ContentHash.of(rest.span) }
    // Pages on one host are neighbours in the key index, which costs an import less than scattered ones.
    return Int64(bitPattern: host << 48 | page >> 16)
  }

  private static let slash = UInt8(ascii: "/")
  private static let dot = UInt8(ascii: ".")
  private static let question = UInt8(ascii: "?")
  private static let number = UInt8(ascii: "#")

  // MARK: Host

  /// Returns the hash of a host without its user, its port and the labels for variants of a site.
  private static func hostHash(_ authority: Span<UInt8>) -> UInt64 {
    var start = 0
    for place in authority.indices {
      if authority[place].isCapitalASCII {
        let lowercased = authority.indices.map { authority[$0].lowercasedASCII }
        return hostHash(lowercased.span)
      }
      if authority[place] == UInt8(ascii: "@") { start = place + 1 }
    }
    var end = authority.count
    for port in [":80", ":443"] as [StaticString] where authority.contains(port, endingAt: end) {
      end -= port.utf8CodeUnitCount
    }
    if end > start, authority[end - 1] == dot { end -= 1 }
    while let length = copyLabel(authority, start..<end) { start += length }
    return ContentHash.of(authority.extracting(start..<end))
  }

  /// Returns the length of a host's first label with its dot, if it marks a variant of a host; else nil.
  private static func copyLabel(_ authority: Span<UInt8>, _ host: Range<Int>) -> Int? {
    for label in ["www.", "m.", "mobile.", "amp."] as [StaticString]
    where authority.contains(label, endingAt: host.lowerBound + label.utf8CodeUnitCount) {
      let rest = host.dropFirst(label.utf8CodeUnitCount)
      return rest.contains { authority[$0] == dot } ? label.utf8CodeUnitCount : nil
    }
    return nil
  }

  // MARK: Path

  /// Returns a path's range without `amp` as first or last part or extension, and without trailing slashes.
  private static func pathRange(_ address: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    if address.contains("/amp/", endingAt: start + 5) { start += 4 }
    while end > start, address[end - 1] == slash { end -= 1 }
    for ending in ["/amp", ".html", "/amp", ".amp"] as [StaticString]
    where end - start >= ending.utf8CodeUnitCount && address.contains(ending, endingAt: end) {
      end -= ending.utf8CodeUnitCount
    }
    while end > start, address[end - 1] == slash { end -= 1 }
    return start..<end
  }

  // MARK: Query and fragment

  /// Returns the parameters that may select the page, in their order, and a fragment that selects it in
  /// single-document sites, such as `#!/news/1`.
  private static func selectors(_ rest: Span<UInt8>) -> [UInt8] {
    var selectors: [UInt8] = []
    var end = 0
    while end < rest.count, rest[end] != number {
      let start = end + 1
      end = start
      while end < rest.count, rest[end] != UInt8(ascii: "&"), rest[end] != number { end += 1 }
      let parameter = (start..<end).map { rest[$0] }
      if !parameter.isEmpty, !CountingParameters.contains(parameter) {
        selectors.append(UInt8(ascii: "&"))
        selectors += parameter
      }
    }
    if rest.count > end + 2, rest[end + 1] == UInt8(ascii: "!") || rest[end + 1] == slash {
      for place in end..<rest.count { selectors.append(rest[place]) }
    }
    return selectors
  }
}

/// The address parameters that show a server where its readers come from, without selecting the page.
private enum CountingParameters {
  private static let prefixes = [
    "utm_", "mtm_", "hsa_", "at_", "ns_", "wt_", "wt.", "pk_campaign", "pk_kwd", "pk_source", "pk_medium",
    "piwik_", "_hs", "oly_", "guce", "mc_cid", "mc_eid",
  ].map { Array($0.utf8) }

  private static let names = Set(
    [
      "fbclid", "gclid", "dclid", "gbraid", "wbraid", "msclkid", "yclid", "twclid", "igshid", "_ga", "_gl",
      "mkt_tok", "vero_id", "wickedid", "ocid", "ncid", "cmpid", "cmp", "xtor", "smid", "smtyp", "sr_share",
      "spm", "s_cid", "ref_src", "rss",
    ].map { Array($0.utf8) })

  /// Parameters that only count readers if they name a feed, such as `ref=rss`, or a variant of the page.
  private static let sources = Set(
    [
      "ref", "source", "src", "from", "via", "partner", "mod", "feed", "output", "outputtype", "amp", "cid",
    ].map { Array($0.utf8) })

  private static let sourceValues = ["rss", "feed", "atom", "amp"].map { Array($0.utf8) }
  private static let flags = ["", "1", "true"].map { Array($0.utf8) }

  /// - Parameter parameter: The name and, after an equals sign, the value.
  static func contains(_ parameter: [UInt8]) -> Bool {
    let text = parameter.map(\.lowercasedASCII)
    let end = text.firstIndex(of: UInt8(ascii: "=")) ?? text.endIndex
    let name = Array(text[..<end])
    if names.contains(name) || prefixes.contains(where: { name.starts(with: $0) }) { return true }
    guard sources.contains(name) else { return false }
    let value = Array(text[end...].dropFirst())
    return sourceValues.contains { value.starts(with: $0) }
      || (name.elementsEqual("amp".utf8) && flags.contains(value))
  }
}

extension Span<UInt8> {
  /// Returns whether a text ends before a position.
  fileprivate func contains(_ text: StaticString, endingAt end: Int) -> Bool {
    let start = end - text.utf8CodeUnitCount
    guard start >= 0, end <= count else { return false }
    for place in start..<end where unsafe self[place] != text.utf8Start[place - start] { return false }
    return true
  }
}

extension ItemArena {
  /// Returns the key for an article's story: from its link, else from a guid that is an address; else nil.
  func storyKey(link: ByteSlice?, guid: ByteSlice) -> Int64? {
    if let link, let key = StoryKey.of(bytes.span.extracting(link.range)) { return key }
    return StoryKey.of(bytes.span.extracting(guid.range))
  }
}
