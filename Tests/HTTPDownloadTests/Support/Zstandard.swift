/// Data in the Zstandard format (RFC 8878), built by hand like that of ``Gzip``.
enum Zstandard {
  /// Bytes that are not compressed.
  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    let starts = stride(from: 0, to: bytes.count, by: blockSize)
    return header
      + starts.flatMap { start in
        let piece = bytes[start..<min(start + blockSize, bytes.count)]
        return blockHeader(type: 0, size: piece.count) + piece
      } + end
  }

  /// A repetition of 128 KiB of zeros in 4 bytes.
  static func bomb(_ times: Int) -> [UInt8] {
    header + Array(repeatElement(blockHeader(type: 1, size: blockSize) + [0], count: times).joined()) + end
  }

  private static let blockSize = 128 << 10
  /// The magic number, a frame without its size and checksum, a window of 128 KiB.
  private static let header: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, 7 << 3]
  /// The last block, not compressed and empty.
  private static let end: [UInt8] = [1, 0, 0]

  private static func blockHeader(type: Int, size: Int) -> [UInt8] {
    let number = type << 1 | size << 3
    return (0..<3).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
