/// Which addresses mean the same article when a feed moves: those that differ in http and https alone, or in the host
/// where both hosts are the feed's own.
///
/// Works on bytes: what divides an address is ASCII, and links of articles never become a `String`.
struct LinkIdentity: Sendable {
  /// The hosts, with their ports, at which the feed is or was, in lower case.
  private let ownHosts: [[UInt8]]

  /// - Parameter addresses: Where the feed is, where its document came from, and where it was before. What is no http or
  ///   https address is left out.
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

  /// The hash of what two addresses of one article have in common; of what is no http or https address, of all of it.
  func key(_ link: Span<UInt8>) -> UInt64 {
    guard let parts = Parts(link) else { return ContentHash.of(link) }
    let start = isOwn(link.extracting(parts.host)) ? parts.host.upperBound : parts.host.lowerBound
    return ContentHash.of(link.extracting(start..<link.count))
  }

  /// The other addresses that mean the same article; empty for what is no http or https address.
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

  /// Where the host of an http or https address is in it, with its port.
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
