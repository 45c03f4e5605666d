import HTTPDownload

extension FeedAddress {
  /// As ``check(_:)``, for an address that becomes a feed's: with white space around it as lists have it, or of the scheme
  /// `feed`, which browsers hand to readers of feeds (`feed://host/x`, `feed:https://host/x`) and which stands for http
  /// or https.
  ///
  /// - Returns: The address, however it is spelled, as most write it: scheme and host in lower case, without
  ///   the scheme's own port, with a path and without a fragment. A feed is there once.
  /// - Throws: ``Refusal`` as ``check(_:)`` does.
  public static func checkListed(_ text: String) throws(Refusal) -> String {
    // Most addresses are as they should be, and lists are long.
    guard let first = text.utf8.first, let last = text.utf8.last else { return try check(text) }
    let isPlain = first | 0x20 == UInt8(ascii: "h") && last > 0x20 && last < 0x7F
    do throws(DownloadError) {
      return try DownloadURL.validate(isPlain ? text : withoutFeedScheme(trimmed(text))).normalized
    } catch {
      throw Refusal(cause: error.description)
    }
  }

  private static func trimmed(_ text: String) -> Substring {
    let start = text.drop(while: \.isWhitespace)
    let end = start.lastIndex { !$0.isWhitespace }
    return end.map { start[...$0] } ?? start
  }

  private static func withoutFeedScheme(_ text: Substring) -> String {
    let scheme = "feed:"
    guard begins(String(text), with: scheme) else { return String(text) }
    let rest = String(text.dropFirst(scheme.count))
    let inner = rest.hasPrefix("//") ? String(rest.dropFirst(2)) : rest
    if begins(inner, with: "http://") || begins(inner, with: "https://") { return inner }
    return rest.hasPrefix("//") ? "http:" + rest : String(text)
  }
}
