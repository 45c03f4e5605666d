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

  /// The brackets at the end of the last piece that may belong to `]]>`: at most two.
  private(set) var heldBrackets = 0

  /// Searches the next piece for the end.
  mutating func look(in bytes: Span<UInt8>) -> Part {
    let before = heldBrackets
    heldBrackets = 0
    var start = 0
    // Each run of brackets is examined once, with the held brackets before the first run.
    while let first = before > 0 && start == 0 ? 0 : bytes.firstIndex(of: UInt8(ascii: "]"), from: start) {
      var next = first
      while next < bytes.count, bytes[next] == UInt8(ascii: "]") { next += 1 }
      let brackets = next - first + (start == 0 && first == 0 ? before : 0)
      if next == bytes.count {
        heldBrackets = min(brackets, 2)
        return part(bytes: next, before: before, without: heldBrackets)
      }
      if brackets >= 2, bytes[next] == UInt8(ascii: ">") {
        var part = part(bytes: next, before: before, without: 2)
        part.end = next + 1
        return part
      }
      start = next + 1
    }
    return Part(heldBrackets: before, count: bytes.count)
  }

  /// Returns the text of the first `bytes` bytes and the brackets `before` them, except for the last brackets.
  private func part(bytes: Int, before: Int, without brackets: Int) -> Part {
    let total = before + bytes - brackets
    let held = min(before, total)
    return Part(heldBrackets: held, count: total - held)
  }
}
