/// The text of a CDATA section, in pieces: how far it goes, up to the `]]>` that ends it (XML 1.0, section 2.7).
struct SectionText {
  /// What a piece has of the section.
  struct Part: Equatable {
    /// How many brackets from the end of the pieces before turn out to be text, to be taken first.
    var heldBrackets = 0
    /// How many bytes of the piece are text, from its beginning.
    var count: Int
    /// Where the piece goes on behind `]]>`; nil where the section does.
    var end: Int?
  }

  /// Brackets at the end of the last piece that may belong to `]]>`: at most two.
  private(set) var heldBrackets = 0

  /// Looks for the end in the next piece.
  mutating func look(in bytes: Span<UInt8>) -> Part {
    let before = heldBrackets
    heldBrackets = 0
    var start = 0
    // Each run of brackets is looked at once, with those that were held before the first.
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

  /// The text of the first `bytes` bytes and the brackets `before` them, but for the last brackets.
  private func part(bytes: Int, before: Int, without brackets: Int) -> Part {
    let total = before + bytes - brackets
    let held = min(before, total)
    return Part(heldBrackets: held, count: total - held)
  }
}
