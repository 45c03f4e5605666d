/// Data in the gzip and zlib formats, built by hand so that tests need no other library.
enum Gzip {
  /// A gzip member whose deflate blocks are stored, not compressed (RFC 1952).
  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    header + storedBlocks(bytes) + littleEndian(crc32(bytes))
      + littleEndian(UInt32(truncatingIfNeeded: bytes.count))
  }

  /// The zlib format (RFC 1950), which HTTP calls deflate.
  static func zlibStored(_ bytes: [UInt8]) -> [UInt8] {
    [0x78, 0x01] + storedBlocks(bytes) + littleEndian(adler32(bytes)).reversed()
  }

  /// The bare format (RFC 1951), which some servers call deflate.
  static func bareStored(_ bytes: [UInt8]) -> [UInt8] { storedBlocks(bytes) }

  static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]

  /// A gzip bomb of 1032 zeros in about a byte each time: the front of a member, and a piece to repeat.
  ///
  /// A fixed-Huffman block has one literal zero and then matches of length 258 at distance 1. A match takes 8 + 5 bits,
  /// so eight of them take 13 bytes and end at a byte boundary.
  static let bomb: (front: [UInt8], piece: [UInt8]) = {
    var bits = BitWriter()
    bits.write(0b1, count: 1)  // the last block
    bits.write(0b01, count: 2)  // fixed Huffman codes
    bits.writeCode(0x30, count: 8)  // literal 0
    // Matches up to the next byte boundary, after 11 bits.
    while bits.count % 8 != 0 { bits.writeLongestMatch() }
    var piece = BitWriter()
    for _ in 0..<8 { piece.writeLongestMatch() }
    return (header + bits.bytes, piece.bytes)
  }()

  private static func storedBlocks(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var start = 0
    repeat {
      let end = min(bytes.count, start + 0xFFFF)
      let count = UInt16(end - start)
      result.append(end == bytes.count ? 1 : 0)
      result += [UInt8(count & 0xFF), UInt8(count >> 8), UInt8(~count & 0xFF), UInt8(~count >> 8)]
      result += bytes[start..<end]
      start = end
    } while start < bytes.count
    return result
  }

  private static func littleEndian(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
  }

  private static func crc32(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { crc, byte in crcTable[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ (crc >> 8)
    }
  }

  private static let crcTable: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { crc, _ in crc & 1 == 1 ? 0xEDB8_8320 ^ (crc >> 1) : crc >> 1 }
  }

  private static func adler32(_ bytes: [UInt8]) -> UInt32 {
    var (a, b) = (UInt32(1), UInt32(0))
    for byte in bytes {
      a = (a + UInt32(byte)) % 65521
      b = (b + a) % 65521
    }
    return b << 16 | a
  }
}

extension BitWriter {
  /// Length 258 (code 285: 8 bits, no extra bits) at distance 1 (code 0: 5 bits).
  fileprivate mutating func writeLongestMatch() {
    writeCode(0b1100_0101, count: 8)
    writeCode(0, count: 5)
  }
}
