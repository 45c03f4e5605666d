/// The end of a CDATA section or a comment in pieces: two bytes of one kind, or more, and a `>`.
struct RunEnd {
  /// The byte before the `>`: `]` or `-`.
  let byte: UInt8
  /// The number of these bytes at the end of the last piece that may belong to the end: at most two.
  var held = 0

  /// Returns the offset after the end in the next piece; nil if it is not in this piece.
  mutating func end(in bytes: Span<UInt8>) -> Int? {
    var (index, run) = (0, held)
    held = 0
    // Each run is examined once, with the held bytes before the first one.
    while let first = run > 0 ? index : bytes.firstIndex(of: byte, from: index) {
      index = first
      while index < bytes.count, bytes[index] == byte { index += 1 }
      run += index - first
      if index == bytes.count {
        held = min(run, 2)
        return nil
      }
      if run >= 2, bytes[index] == UInt8(ascii: ">") { return index + 1 }
      index += 1
      run = 0
    }
    return nil
  }
}

/// The extent of a CDATA section's text in pieces, up to the `]]>` that ends it (XML 1.0, section 2.7).
struct SectionText {
  /// The section's part of a piece.
  struct Part: Equatable {
    /// The number of brackets at the end of the previous pieces that are text, and come first.
    var heldBrackets = 0
    /// The number of bytes of text at the beginning of the piece.
    var count: Int
    /// The offset after `]]>`; nil if the section continues.
    var end: Int?
  }

  private var mark = RunEnd(byte: UInt8(ascii: "]"))

  /// The number of brackets at the end of the last piece that may belong to `]]>`: at most two.
  var heldBrackets: Int { mark.held }

  /// Searches the next piece for the end.
  mutating func look(in bytes: Span<UInt8>) -> Part {
    let before = mark.held
    let end = mark.end(in: bytes)
    let text = before + (end.map { $0 - "]]>".utf8.count } ?? bytes.count - mark.held)
    let held = min(before, text)
    return Part(heldBrackets: held, count: text - held, end: end)
  }
}
