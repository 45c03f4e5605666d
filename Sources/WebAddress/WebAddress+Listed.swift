extension WebAddress {
  /// Parses an address that a user or a list gives for a feed.
  ///
  /// It may have white space around it, and a scheme that opens a feed reader instead of http or https
  /// (`feed://host/x`, `pcast:https://host/x`). The result has the usual spelling, so that a feed is stored
  /// once.
  public init(listed text: String) throws(Problem) {
    // Most addresses need no change, and lists are long.
    guard let first = text.utf8.first, let last = text.utf8.last else { throw .invalid("it is empty") }
    let isPlain = first | 0x20 == UInt8(ascii: "h") && last > 0x20 && last < 0x7F
    self = try WebAddress(checking: isPlain ? text : Self.withoutFeedScheme(Self.trimmed(text))).normalized
  }

  private static func trimmed(_ text: String) -> Substring {
    let start = text.drop(while: \.isWhitespace)
    let end = start.lastIndex { !$0.isWhitespace }
    return end.map { start[...$0] } ?? start
  }

  /// The schemes that feed readers, iTunes and other podcast programs use.
  private static let feedSchemes = ["feed:", "rss:", "pcast:", "podcast:", "itpc:"]

  private static func withoutFeedScheme(_ text: Substring) -> String {
    guard let scheme = feedSchemes.first(where: { begins(text, with: $0) }) else { return String(text) }
    let rest = String(text.dropFirst(scheme.count))
    let inner = rest.hasPrefix("//") ? String(rest.dropFirst(2)) : rest
    if begins(inner, with: "http://") || begins(inner, with: "https://") { return inner }
    return rest.hasPrefix("//") ? "http:" + rest : String(text)
  }
}
