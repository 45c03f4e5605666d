/// Whether bytes that somebody calls something else are UTF-8.
///
/// Text in another encoding is hardly ever good UTF-8: its first character beyond ASCII tells in most cases. What is
/// found depends on the bytes alone, not on the pieces in which they come.
struct UTF8Evidence {
  /// What the bytes are.
  enum Verdict {
    case utf8
    /// Some of them are no UTF-8.
    case other
    /// They are UTF-8, but so few that they may be anything.
    case open
  }

  /// So much is enough, whatever follows: eight characters of two bytes, or four of three.
  private static let enough = 8
  /// How far is looked, in bytes: no item waits longer.
  private static let longest = 16 << 10

  /// How much speaks for UTF-8: one for a character of two bytes, two for three, four for four.
  private(set) var weight = 0
  /// How many bytes were looked at.
  private(set) var byteCount = 0

  /// Looks at what has come.
  ///
  /// - Parameter bytes: All bytes since the first that is not plain ASCII: those of the last call, and more.
  /// - Returns: Nil while more bytes are wanted; never for the last.
  mutating func verdict(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) -> Verdict? {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return isLast ? .open : nil }
    // It begins with an escape: no UTF-8 does.
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
