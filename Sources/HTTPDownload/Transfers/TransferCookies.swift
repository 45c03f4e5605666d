import WebAddress

/// The cookies for one transfer (RFC 6265), which some servers' redirects require.
///
/// They are sent only to the host that set them, whatever their Domain says. They end with the transfer, so
/// that no server recognizes a client by them.
struct TransferCookies {
  private struct Cookie {
    let host: String
    let name: [UInt8]
    let pair: [UInt8]
    let isSecure: Bool
  }

  private var cookies: [Cookie] = []

  /// The largest cookie, in bytes, and the largest cookie count (RFC 6265, section 6.1).
  private static let (mostBytes, mostCookies) = (4096, 50)

  /// Takes the values from an answer's Set-Cookie fields.
  mutating func take(_ values: [[UInt8]], from address: WebAddress) {
    guard let host = address.host else { return }
    for value in values {
      let parts = value.split(separator: UInt8(ascii: ";")).map(Self.trimmed)
      guard let pair = parts.first, let equals = pair.firstIndex(of: UInt8(ascii: "=")), equals > 0,
        pair.count <= Self.mostBytes, HeaderBytes.isClean(pair)
      else { continue }
      let name = Self.trimmed(pair[..<equals])
      cookies.removeAll { $0.host == host && $0.name == name }
      let attributes = parts.dropFirst().map { String(decoding: $0, as: UTF8.self).lowercased() }
      if attributes.contains(where: Self.isDeletion) || cookies.count >= Self.mostCookies { continue }
      cookies.append(Cookie(host: host, name: name, pair: pair, isSecure: attributes.contains("secure")))
    }
  }

  /// Returns the cookies for a request, as the value of the Cookie field; nil for none.
  func value(for address: WebAddress) -> [UInt8]? {
    let pairs = cookies.filter { $0.host == address.host && (!$0.isSecure || address.isEncrypted) }.map(
      \.pair)
    return pairs.isEmpty ? nil : Array(pairs.joined(separator: "; ".utf8))
  }

  /// Returns whether an attribute removes its cookie. Only dates in 1970 count as expired, because no
  /// transfer lasts long enough for other dates to matter.
  private static func isDeletion(_ attribute: String) -> Bool {
    if attribute.hasPrefix("max-age=") {
      return Int(attribute.dropFirst("max-age=".count)).map { $0 <= 0 } ?? false
    }
    guard attribute.hasPrefix("expires=") else { return false }
    return attribute.contains("1970") || attribute.contains("jan-70")
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    let start = bytes.drop(while: HeaderBytes.isBlank)
    guard let end = start.lastIndex(where: { !HeaderBytes.isBlank($0) }) else { return [] }
    return Array(start[...end])
  }
}
