/// Decides which network addresses are public, for programs that fetch addresses from untrusted sources.
///
/// Each connection is checked after name resolution, because a public name may have a private address.
enum AddressPolicy {
  /// Returns whether a 4-byte IPv4 address or a 16-byte IPv6 address is public.
  static func isPublic(_ address: [UInt8]) -> Bool {
    switch address.count {
    case 4: !privateV4.contains { $0.contains(address) }
    case 16: isPublicV6(address)
    default: false
    }
  }

  private static func isPublicV6(_ address: [UInt8]) -> Bool {
    // For addresses that lead to an IPv4 address (mapped ones, NAT64 and 6to4), the IPv4 address decides.
    if mapped.contains(address) || nat64.contains(address) { return isPublic(Array(address[12...])) }
    if sixToFour.contains(address) { return isPublic(Array(address[2..<6])) }
    return !privateV6.contains { $0.contains(address) }
  }

  private struct Block {
    let prefix: [UInt8]
    let bits: Int

    init(_ prefix: [UInt8], _ bits: Int) {
      self.prefix = prefix
      self.bits = bits
    }

    func contains(_ address: [UInt8]) -> Bool {
      (0..<bits).allSatisfy { bit in
        let mask = UInt8(0x80) >> (bit % 8)
        let expected = bit / 8 < prefix.count ? prefix[bit / 8] : 0
        return address[bit / 8] & mask == expected & mask
      }
    }
  }

  /// Multicast, and the blocks in IANA's special-purpose registry that are not global.
  private static let privateV4: [Block] = [
    Block([0], 8), Block([10], 8), Block([100, 64], 10), Block([127], 8), Block([169, 254], 16),
    Block([172, 16], 12), Block([192, 0, 0], 24), Block([192, 0, 2], 24), Block([192, 168], 16),
    Block([198, 18], 15), Block([198, 51, 100], 24), Block([203, 0, 113], 24), Block([224], 3),
  ]

  private static let mapped = Block([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 96)
  private static let nat64 = Block([0, 0x64, 0xFF, 0x9B], 96)
  private static let sixToFour = Block([0x20, 0x02], 16)

  /// The IPv6 counterpart to `privateV4`. ::/8 contains the loopback address, the unspecified address, and
  /// NAT64's local form.
  private static let privateV6: [Block] = [
    Block([0], 8), Block([0x01, 0], 64), Block([0x20, 0x01, 0], 23), Block([0x20, 0x01, 0x0D, 0xB8], 32),
    Block([0x3F, 0xFF, 0], 20), Block([0x5F, 0], 16), Block([0xFC], 7), Block([0xFE, 0x80], 10),
    Block([0xFE, 0xC0], 10), Block([0xFF], 8),
  ]
}
