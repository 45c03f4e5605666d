/// A comment that is too long to be kept: the rest of it is only searched for its end.
struct LongComment {
  /// The number of bytes that were kept, to be read again, before the comment was known to be long.
  let keptBytes: Int
  private var mark = RunEnd(byte: UInt8(ascii: "-"))
  /// True if nothing more of the comment has come since.
  private var isNew = true

  /// The position at which the comment continues or ends.
  enum Place: Equatable {
    /// After these bytes.
    case beyond
    /// It ends in these bytes and began to end in the previous ones, so that nothing was skipped.
    case nowhere
    /// It ends before this offset.
    case end(Int)
  }

  /// - Parameter text: The last bytes of the comment.
  init(keptBytes: Int, after text: Span<UInt8>) {
    self.keptBytes = keptBytes
    _ = mark.end(in: text.extracting(last: 2))
  }

  /// Searches the next bytes for the end.
  mutating func look(in text: Span<UInt8>) -> Place {
    if let end = mark.end(in: text) { return isNew && end <= 2 ? .nowhere : .end(end) }
    if !text.isEmpty { isNew = false }
    return .beyond
  }
}
