/// The header of a Zstandard frame (RFC 8878, section 3.1.1.1).
struct ZstdFrame {
  /// The bytes that the decoder must keep, because later ones may refer to them.
  private let window: UInt64
  private let hasDictionary: Bool

  /// The largest window that the decoder allows.
  private static let largestWindow: UInt64 = 128 << 20

  /// - Parameter head: The first bytes of a document.
  /// - Returns: Nil for another format.
  init?(_ head: ArraySlice<UInt8>) {
    let bytes = Array(head.prefix(13))
    guard bytes.count > 5, bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) else { return nil }
    hasDictionary = bytes[4] & 3 != 0
    if bytes[4] & 0x20 == 0 {
      let base: UInt64 = 1 << (10 + UInt64(bytes[5] >> 3))
      window = base + base / 8 * UInt64(bytes[5] & 7)
    } else {
      // The window is the whole content, whose size follows.
      window = bytes[5...].prefix(1 << Int(bytes[4] >> 6)).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  /// The reason why the frame cannot be decoded; nil if it can.
  var refusal: InputFailure? {
    if hasDictionary {
      return InputFailure(
        .refused, "it was compressed with a dictionary; decompress it with zstd -d -D DICTIONARY")
    }
    guard window > Self.largestWindow else { return nil }
    return InputFailure(
      .refused, "its compression refers back by more than 128 MiB; decompress it with zstd -d --long=31")
  }
}
