/// The difference of a text to a later one: what the two do not have in common, between a common start and a common end.
///
/// Edits change a part of a text. Unlike compressed text, a difference can be read with SQL alone, in other programs too.
struct TextDifference: Equatable {
  /// The number of bytes at the start and at the end that the two texts share.
  let start: Int
  let end: Int

  /// Fewer shared bytes save nothing.
  private static let fewest = 32

  /// Compares two texts; nil if they share too little. Shared parts end at the bounds of UTF-8 characters.
  init?(of old: Span<UInt8>, to new: Span<UInt8>) {
    let shortest = min(old.count, new.count)
    var start = 0
    while start < shortest, old[start] == new[start] { start += 1 }
    while start > 0, Self.isInside(start, old) || Self.isInside(start, new) { start -= 1 }
    var end = 0
    while end < shortest - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
    while end > 0, Self.isInside(old.count - end, old) || Self.isInside(new.count - end, new) { end -= 1 }
    guard start + end >= Self.fewest else { return nil }
    (self.start, self.end) = (start, end)
  }

  /// Reads a stored difference; nil if the text was stored whole.
  init?(start: Int64?, end: Int64?) {
    guard let start, let end else { return nil }
    (self.start, self.end) = (Int(start), Int(end))
  }

  /// Returns the old text. Numbers that another program has written are limited to the new text.
  func applied(_ difference: ArraySlice<UInt8>, to new: [UInt8]) -> [UInt8] {
    let start = min(max(0, start), new.count)
    let end = min(max(0, end), new.count)
    return [UInt8](new[..<start]) + difference + new[(new.count - end)...]
  }

  /// Returns whether a position is between the bytes of one character.
  private static func isInside(_ position: Int, _ text: Span<UInt8>) -> Bool {
    position < text.count && text[position] & 0xC0 == 0x80
  }
}
