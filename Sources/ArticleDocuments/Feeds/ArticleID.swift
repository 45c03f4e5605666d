/// An article's identifier in a feed with several feeds' articles, independent of the other articles.
enum ArticleID {
  /// Returns an article's identifier.
  ///
  /// Publishers number articles independently, but readers treat two articles with the same number as one. So
  /// an identifier that is not globally unique is prefixed with its feed's address. Feeds with the same
  /// address share the article.
  ///
  /// - Parameter feedURL: The feed's address without its password; nil if the feed no longer exists.
  static func text(guid: String, feedURL: String?) -> String {
    guard let feedURL, !isAddress(guid) else { return guid }
    return "\(feedURL)#\(guid)"
  }

  /// Returns true if a guid is globally unique: `scheme://` with text after it, or a name from RFC 4151 or
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
