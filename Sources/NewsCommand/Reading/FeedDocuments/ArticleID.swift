/// What an article is called in a feed of several: always the same, whatever other articles stand in it.
enum ArticleID {
  /// The id of an article.
  ///
  /// Publishers number their articles each for themselves, and readers take two with one number for the same: what is no
  /// address of all the world gets its feed's before it. Feeds that share an address share the article.
  ///
  /// - Parameter feedURL: Its feed's address, as others may see it; nil where that is no more.
  static func text(guid: String, feedURL: String?) -> String {
    guard let feedURL, !isAddress(guid) else { return guid }
    return "\(feedURL)#\(guid)"
  }

  /// Whether a guid means one article in all the world: `scheme://` with something behind it, or a name of RFC 4151 or
  /// RFC 8141 (`tag:`, `urn:`).
  static func isAddress(_ guid: String) -> Bool {
    guard let colon = guid.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
    let scheme = guid[..<colon].lowercased()
    let rest = guid.utf8[colon...].dropFirst()
    if scheme == "tag" || scheme == "urn" { return !rest.isEmpty }
    // RFC 3986, 3.1.
    guard scheme.utf8.first.map(isLetter) == true,
      scheme.utf8.allSatisfy({ isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) })
    else { return false }
    return rest.starts(with: "//".utf8) && rest.dropFirst(2).first.map { $0 != UInt8(ascii: "/") } == true
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
}
