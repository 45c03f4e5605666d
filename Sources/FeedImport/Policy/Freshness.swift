import FeedParsing
public import Foundation
public import HTTPDownload

/// The time during which an answer stays fresh by its HTTP fields (RFC 9111, sections 4.2.1 and 5).
public enum Freshness {
  /// Returns the lifetime in seconds, at least 0; nil if the answer states no lifetime.
  ///
  /// `max-age` takes precedence over `Expires`, which counts from the server's own `Date`; `s-maxage` is for
  /// proxies. An answer that must not be kept (`no-store`, `no-cache`) has no lifetime.
  public static func lifetime(of head: ResponseHead, at now: Date) -> TimeInterval? {
    if directives(of: head).contains(where: { $0 == "no-store" || $0.hasPrefix("no-cache") }) { return nil }
    if let maxAge = maxAge(of: head) { return maxAge }
    guard let expires = head.expires.flatMap({ DateParser.seconds($0) }) else { return nil }
    let date =
      head.date.flatMap { DateParser.seconds($0) }.map(TimeInterval.init) ?? now.timeIntervalSince1970
    return max(0, TimeInterval(expires) - date)
  }

  /// Returns the lifetime in `max-age`, in seconds; nil without a readable one.
  static func maxAge(of head: ResponseHead) -> TimeInterval? {
    for directive in directives(of: head) where directive.hasPrefix("max-age") {
      let value = directive.drop { $0 != "=" }.dropFirst().trimmingCharacters(in: ["\"", " "])
      // A number too long for the type is a very long time.
      guard !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { continue }
      return TimeInterval(value)
    }
    return nil
  }

  private static func directives(of head: ResponseHead) -> [String] {
    (head.cacheControl ?? "").lowercased().split(separator: ",").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
  }
}
