/// Decides whether bytes with another label are UTF-8.
///
/// Text in another encoding is hardly ever valid UTF-8: its first character beyond ASCII decides in most cases. The
/// result depends only on the bytes, not on their division into chunks.
struct UTF8Evidence {
  /// The possible results.
  enum Verdict {
    case utf8
    /// Some bytes are not UTF-8.
    case other
    /// The bytes are UTF-8, but too few to exclude other encodings.
    case open
  }

  /// The weight that suffices: eight characters of two bytes, or four of three.
  private static let enough = 8
  /// The most bytes that are examined, so that no item waits longer.
  private static let longest = 16 << 10

  /// The evidence for UTF-8: one for a character of two bytes, two for three, four for four.
  private(set) var weight = 0
  /// The number of bytes that were examined.
  private(set) var byteCount = 0

  /// Examines the bytes so far.
  ///
  /// - Parameter bytes: All bytes since the first that is not plain ASCII: those of the last call, and more.
  /// - Returns: Nil while more bytes are needed; never nil for the last bytes.
  mutating func verdict(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) -> Verdict? {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return isLast ? .open : nil }
    // The bytes begin with an escape, which UTF-8 does not contain.
    if unsafe base[0] < 0x80 { return .other }
    while byteCount < bytes.count {
      if unsafe base[byteCount] < 0x80 {
        byteCount += 1
      } else {
        let length = unsafe UTF8Scanner.sequenceLength(
          base + byteCount, available: bytes.count - byteCount)
        if length == 0 {
          guard unsafe UTF8Scanner.isCut(bytes, at: byteCount) else { return .other }
          return isLast ? .open : nil
        }
        byteCount += length
        weight += length < 4 ? length - 1 : 4
        if weight >= Self.enough { return .utf8 }
      }
      if byteCount >= Self.longest { return .open }
    }
    return isLast ? .open : nil
  }
}
