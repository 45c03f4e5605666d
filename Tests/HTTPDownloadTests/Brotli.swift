/// Bytes in the brotli format (RFC 7932), made by hand as those of ``Gzip`` are.
enum Brotli {
  /// Bytes that are not compressed.
  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var bits = BitWriter()
    bits.write(0, count: 1)  // a window of 64 KiB
    for start in stride(from: 0, to: bytes.count, by: 1 << 16) {
      let piece = bytes[start..<min(start + 1 << 16, bytes.count)]
      bits.write(0, count: 1)  // not the last
      bits.write(0, count: 2)  // a length of 16 bits
      bits.write(piece.count - 1, count: 16)
      bits.write(1, count: 1)  // not compressed
      bits.append(piece)
    }
    bits.write(0b11, count: 2)  // the last, and empty
    return bits.bytes
  }

  /// 16 MiB of zeros in 13 bytes, so many times: one literal and a copy of all the rest at distance 1.
  static func bomb(_ times: Int) -> [UInt8] {
    let length = 1 << 24
    var bits = BitWriter()
    bits.write(0, count: 1)
    for _ in 0..<times {
      bits.write(0, count: 1)  // not the last
      bits.write(2, count: 2)  // a length of 24 bits
      bits.write(length - 1, count: 24)
      bits.write(0, count: 1)  // compressed
      bits.write(0, count: 3)  // one type of blocks of literals, commands and distances each
      bits.write(0, count: 6)  // no bits after a distance, no direct distances
      bits.write(0, count: 2)  // the context of literals
      bits.write(0, count: 2)  // one tree of literals and of distances each
      bits.writeOnly(0, bits: 8)  // the literal 0
      bits.writeOnly(399, bits: 10)  // insert 1, copy 2118 and what 24 bits add
      bits.writeOnly(16, bits: 6)  // distance 1 and what a bit adds
      bits.write(length - 1 - 2118, count: 24)
      bits.write(0, count: 1)
    }
    bits.write(0b11, count: 2)
    return bits.bytes
  }
}

extension BitWriter {
  /// A code of one symbol, which takes no bits afterwards.
  fileprivate mutating func writeOnly(_ symbol: Int, bits: Int) {
    write(1, count: 2)
    write(0, count: 2)
    write(symbol, count: bits)
  }
}
