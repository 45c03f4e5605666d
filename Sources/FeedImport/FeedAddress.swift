import HTTPDownload

/// Addresses of feeds as users give them.
public enum FeedAddress {
  /// Why an address is not accepted.
  public struct Refusal: Error, Sendable {
    /// In words.
    public let cause: String
  }

  /// Checks an address without asking the network.
  ///
  /// - Returns: The address to store.
  /// - Throws: ``Refusal`` for what is not http or https, has no host, or holds spaces or control characters.
  public static func check(_ text: String) throws(Refusal) -> String {
    do throws(DownloadError) {
      return try DownloadURL.validate(text).text
    } catch {
      throw Refusal(cause: error.description)
    }
  }

  /// Whether two addresses have the same scheme, host and port: what must not leave one may go to the other.
  public static func isSameOrigin(_ one: String, _ other: String) -> Bool {
    guard let origin = try? DownloadURL.validate(one).origin else { return false }
    return origin == (try? DownloadURL.validate(other).origin)
  }

  /// The address without its password, for people.
  public static func printable(_ text: String) -> String {
    DownloadURL.withoutPassword(text)
  }
}
