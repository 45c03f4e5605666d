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

  /// Scheme, host and port, such as `https://example.org`, the scheme's own port left out; of what is no address, itself
  /// without its password.
  public static func origin(_ text: String) -> String {
    (try? DownloadURL.validate(text).shortOrigin) ?? printable(text)
  }

  /// What is the same for two addresses that are one request of one user, whatever else they are written like: scheme and
  /// host in any case, the scheme's own port or none, any fragment, any password. A text that is no address is itself.
  public static func identity(_ text: String) -> String {
    guard let url = try? DownloadURL.validate(text) else { return text }
    return "\(url.target)\n\(url.userInformation.prefix { $0 != ":" })"
  }

  /// Whether an address says who asks, with or without a password.
  public static func hasUser(_ text: String) -> Bool {
    text.utf8.contains(UInt8(ascii: "@"))
      && (try? DownloadURL.validate(text))?.userInformation.isEmpty == false
  }

  /// `target` with the user and the password that `home` has, where it has none itself and is of the same scheme, host
  /// and port: a server that sends on to itself leaves them out, and wants them there.
  static func keepingUser(of home: String, at target: String) -> String {
    guard hasUser(home), !hasUser(target), isSameOrigin(home, target),
      let user = try? DownloadURL.validate(home).userInformation, let place = target.firstRange(of: "://")
    else { return target }
    return target[..<place.upperBound] + user + "@" + target[place.upperBound...]
  }

  /// Whether an address begins with a scheme and its colon, in any case.
  static func begins(_ text: String, with scheme: String) -> Bool {
    text.utf8.lazy.map { $0 | 0x20 }.starts(with: scheme.utf8)
  }

  /// The address without its password, for people.
  public static func printable(_ text: String) -> String {
    DownloadURL.withoutPassword(text)
  }
}
