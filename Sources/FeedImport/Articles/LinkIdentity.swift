/// Determines which addresses mean the same article when a feed moves: those that differ only in http and https, or in
/// the host if both hosts are the feed's own.
///
/// It works on bytes: the separators of an address are ASCII, and links of articles never become a `String`.
struct LinkIdentity: Sendable {
  /// The hosts, with their ports, of the feed's present and former addresses, in lower case.
  private let ownHosts: [[UInt8]]

  /// - Parameter addresses: The feed's address, the address of its document, and its former addresses. Other schemes
  /// than http and https are skipped.
  init(ofFeedAt addresses: [String] = []) {
    var hosts: [[UInt8]] = []
    for address in addresses {
      let bytes = Array(address.utf8)
      guard let parts = LinkParts(bytes.span) else { continue }
      // Links of articles have no user.
      let authority = bytes[parts.host]
      let host = (authority.lastIndex(of: UInt8(ascii: "@")).map { authority[($0 + 1)...] } ?? authority)
        .map(\.lowercasedASCII)
      if !hosts.contains(host) { hosts.append(host) }
    }
    ownHosts = hosts
  }

  /// Returns the hash of the common part of two addresses of one article; for other schemes, of the whole address.
  func key(_ link: Span<UInt8>) -> UInt64 {
    guard let parts = LinkParts(link) else { return ContentHash.of(link) }
    let start = isOwn(link.extracting(parts.host)) ? parts.host.upperBound : parts.host.lowerBound
    return ContentHash.of(link.extracting(start..<link.count))
  }

  /// Returns the other addresses with the same meaning; empty for other schemes than http and https.
  func others(_ link: Span<UInt8>) -> [[UInt8]] {
    guard let parts = LinkParts(link) else { return [] }
    let host = Self.bytes(link.extracting(parts.host))
    let hosts = isOwn(link.extracting(parts.host)) ? ownHosts : [host]
    let path = Self.bytes(link.extracting(parts.host.upperBound..<link.count))
    let schemes = ["https://", "http://"].map { Array($0.utf8) }
    let own = Self.bytes(link)
    return schemes.flatMap { scheme in hosts.map { scheme + $0 + path } }.filter { $0 != own }
  }

  private func isOwn(_ host: Span<UInt8>) -> Bool {
    ownHosts.contains { own in
      guard own.count == host.count else { return false }
      return own.indices.allSatisfy { own[$0] == host[$0].lowercasedASCII }
    }
  }

  private static func bytes(_ span: Span<UInt8>) -> [UInt8] { span.indices.map { span[$0] } }
}
