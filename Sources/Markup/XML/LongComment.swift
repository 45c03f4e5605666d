/// A comment that is too long to keep: the rest is only searched for its end.
struct LongComment {
  /// The number of bytes kept for another reading before the comment was known to be long.
  let keptBytes: Int
  private var mark = RunEnd(byte: UInt8(ascii: "-"))
  /// True until more comment bytes have arrived.
  private var isNew = true

  /// The position at which the comment continues or ends.
  enum Place: Equatable {
    /// After these bytes.
    case beyond
    /// In these bytes, but the end mark began in the previous ones, so nothing was skipped.
    case nowhere
    /// Before this offset.
    case end(Int)
  }

  /// - Parameter text: The last comment bytes so far.
  init(keptBytes: Int, after text: Span<UInt8>) {
    self.keptBytes = keptBytes
    _ = mark.end(in: text.extracting(last: 2))
  }

  /// Searches the next bytes for the comment's end.
  mutating func look(in text: Span<UInt8>) -> Place {
    if let end = mark.end(in: text) { return isNew && end <= 2 ? .nowhere : .end(end) }
    if !text.isEmpty { isNew = false }
    return .beyond
  }
}
