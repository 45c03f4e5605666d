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
      guard let parts = Parts(bytes.span) else { continue }
      // Links of articles have no user.
      let authority = bytes[parts.host]
      let host = (authority.lastIndex(of: UInt8(ascii: "@")).map { authority[($0 + 1)...] } ?? authority)
        .map(Self.lowercased)
      if !hosts.contains(host) { hosts.append(host) }
    }
    ownHosts = hosts
  }

  /// Returns the hash of the common part of two addresses of one article; for other schemes, of the whole address.
  func key(_ link: Span<UInt8>) -> UInt64 {
    guard let parts = Parts(link) else { return ContentHash.of(link) }
    let start = isOwn(link.extracting(parts.host)) ? parts.host.upperBound : parts.host.lowerBound
    return ContentHash.of(link.extracting(start..<link.count))
  }

  /// Returns the other addresses with the same meaning; empty for other schemes than http and https.
  func others(_ link: Span<UInt8>) -> [[UInt8]] {
    guard let parts = Parts(link) else { return [] }
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
      return own.indices.allSatisfy { own[$0] == Self.lowercased(host[$0]) }
    }
  }

  private static func bytes(_ span: Span<UInt8>) -> [UInt8] { span.indices.map { span[$0] } }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  /// The range of the host in an http or https address, with its port.
  private struct Parts {
    let host: Range<Int>

    init?(_ link: Span<UInt8>) {
      let scheme = ["https://", "http://"].first { scheme in
        link.count > scheme.utf8.count
          && scheme.utf8.enumerated().allSatisfy { LinkIdentity.lowercased(link[$0.offset]) == $0.element }
      }
      guard let scheme else { return nil }
      let start = scheme.utf8.count
      var end = start
      while end < link.count, !"/?#".utf8.contains(link[end]) { end += 1 }
      host = start..<end
    }
  }
}
