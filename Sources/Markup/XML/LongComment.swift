/// A comment that is too long to be kept: what comes of it is looked at only for its end.
struct LongComment {
  /// How much was kept to be read again before it was known to be so long.
  let keptBytes: Int
  /// How many hyphens came last, as far as they can be of the end.
  private var hyphens: Int
  /// Whether no more of it has come since.
  private var isNew = true

  /// Where the comment goes on.
  enum Place: Equatable {
    /// Behind these bytes.
    case beyond
    /// It ends in these bytes and began to end in those before, so that nothing of it was passed over.
    case nowhere
    /// It ends before this place.
    case end(Int)
  }

  /// - Parameter text: What came last of the comment.
  init(keptBytes: Int, after text: UnsafeBufferPointer<UInt8>) {
    self.keptBytes = keptBytes
    hyphens = unsafe text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "-") }.count
  }

  /// Looks for the end in what comes next.
  mutating func look(in text: UnsafeBufferPointer<UInt8>) -> Place {
    for index in 0..<text.count {
      let byte = unsafe text[index]
      if byte == UInt8(ascii: ">"), hyphens == 2 { return isNew && index < 2 ? .nowhere : .end(index + 1) }
      hyphens = byte == UInt8(ascii: "-") ? min(2, hyphens + 1) : 0
    }
    if !text.isEmpty { isNew = false }
    return .beyond
  }
}
