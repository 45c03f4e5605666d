/// Data in the brotli format (RFC 7932), built by hand like that of ``Gzip``.
enum Brotli {
  /// Bytes that are not compressed.
  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var bits = BitWriter()
    bits.write(0, count: 1)  // the window is 64 KiB
    for start in stride(from: 0, to: bytes.count, by: 1 << 16) {
      let piece = bytes[start..<min(start + 1 << 16, bytes.count)]
      bits.write(0, count: 1)  // not the last block
      bits.write(0, count: 2)  // the length has 16 bits
      bits.write(piece.count - 1, count: 16)
      bits.write(1, count: 1)  // not compressed
      bits.append(piece)
    }
    bits.write(0b11, count: 2)  // the last block, empty
    return bits.bytes
  }

  /// A repetition of 16 MiB of zeros in 13 bytes: one literal and a copy of the rest at distance 1.
  static func bomb(_ times: Int) -> [UInt8] {
    let length = 1 << 24
    var bits = BitWriter()
    bits.write(0, count: 1)
    for _ in 0..<times {
      bits.write(0, count: 1)  // not the last block
      bits.write(2, count: 2)  // the length has 24 bits
      bits.write(length - 1, count: 24)
      bits.write(0, count: 1)  // compressed
      bits.write(0, count: 3)  // one type of blocks of literals, commands and distances each
      bits.write(0, count: 6)  // no bits after a distance, no direct distances
      bits.write(0, count: 2)  // the context of literals
      bits.write(0, count: 2)  // one tree of literals and one of distances
      bits.writeOnly(0, bits: 8)  // the literal 0
      bits.writeOnly(399, bits: 10)  // insert 1, copy 2118 plus 24 extra bits
      bits.writeOnly(16, bits: 6)  // distance 1 plus an extra bit
      bits.write(length - 1 - 2118, count: 24)
      bits.write(0, count: 1)
    }
    bits.write(0b11, count: 2)
    return bits.bytes
  }
}

extension BitWriter {
  /// Writes a code with one symbol, whose uses need no bits.
  fileprivate mutating func writeOnly(_ symbol: Int, bits: Int) {
    write(1, count: 2)
    write(0, count: 2)
    write(symbol, count: bits)
  }
}
