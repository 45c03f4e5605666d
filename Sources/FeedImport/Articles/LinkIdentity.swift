/// Determines which addresses mean the same article when a feed moves: they differ only in http and https, in
/// the scheme's default port, or in the host if both hosts are the feed's own.
///
/// It works on bytes: the separators are ASCII, and article links never become a `String`.
struct LinkIdentity: Sendable {
  /// The hosts, with ports, from the feed's present and former addresses, in lower case.
  private let ownHosts: [[UInt8]]

  /// - Parameter addresses: The feed's address, its document's address, and its former addresses. Schemes
  ///   other than http and https are skipped.
  init(ofFeedAt addresses: [String] = []) {
    var hosts: [[UInt8]] = []
    for address in addresses {
      let bytes = Array(address.utf8)
      guard let parts = LinkParts(bytes.span) else { continue }
      // Article links have no user.
      let authority = bytes[parts.host.lowerBound..<parts.hostEnd]
      let host = (authority.lastIndex(of: UInt8(ascii: "@")).map { authority[($0 + 1)...] } ?? authority)
        .map(\.lowercasedASCII)
      if !hosts.contains(host) { hosts.append(host) }
    }
    ownHosts = hosts
  }

  /// Returns a hash that an article's addresses share; for other schemes, the hash of the whole address.
  func key(_ link: Span<UInt8>) -> UInt64 {
    guard let parts = LinkParts(link) else { return ContentHash.of(link) }
    let host = parts.host.lowerBound..<parts.hostEnd
    if isOwn(link.extracting(host)) {
      return ContentHash.of(link.extracting(parts.host.upperBound..<link.count))
    }
    guard parts.hostEnd < parts.host.upperBound else {
      return ContentHash.of(link.extracting(host.lowerBound..<link.count))
    }
    let path = link.extracting(parts.host.upperBound..<link.count)
    return ContentHash.of((Self.bytes(link.extracting(host)) + Self.bytes(path)).span)
  }

  /// Returns the other addresses with the same meaning; empty for schemes other than http and https.
  func others(_ link: Span<UInt8>) -> [[UInt8]] {
    guard let parts = LinkParts(link) else { return [] }
    let host = Self.bytes(link.extracting(parts.host.lowerBound..<parts.hostEnd))
    let hosts = isOwn(host.span) ? ownHosts : [host]
    let path = Self.bytes(link.extracting(parts.host.upperBound..<link.count))
    let schemes = [("https://", ":443"), ("http://", ":80")].map { (Array($0.utf8), Array($1.utf8)) }
    let own = Self.bytes(link)
    let plain = schemes.flatMap { scheme, _ in hosts.map { scheme + $0 + path } }
    let ported = schemes.flatMap { scheme, port in
      hosts.filter { !$0.contains(UInt8(ascii: ":")) }.map { scheme + $0 + port + path }
    }
    return (plain + ported).filter { $0 != own }
  }

  private func isOwn(_ host: Span<UInt8>) -> Bool {
    ownHosts.contains { own in
      guard own.count == host.count else { return false }
      return own.indices.allSatisfy { own[$0] == host[$0].lowercasedASCII }
    }
  }

  private static func bytes(_ span: Span<UInt8>) -> [UInt8] { span.indices.map { span[$0] } }
}
