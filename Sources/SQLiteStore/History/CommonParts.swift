/// A part that two texts have in common.
struct CommonPart: Equatable {
  /// Its first byte in the older text, and in the later one.
  let (old, new): (Int, Int)
  /// Its length in bytes.
  let count: Int

  /// The length from which on a part is found, in bytes. Shorter ones save too little.
  static let shortest = 64

  /// Finds parts that ranges of two texts have in common, in the order of the older one, in a time that is linear in the length of
  /// the texts. Parts end at the bounds of characters of UTF-8.
  ///
  /// Blocks of the later text are found in the older one by a hash that is moved by a byte in constant time, as in rsync.
  static func all(
    of old: Span<UInt8>, _ oldRange: Range<Int>, in new: Span<UInt8>, _ newRange: Range<Int>
  ) -> [CommonPart] {
    // In a long text, fewer and longer blocks are enough.
    let block = max(shortest / 2, newRange.count / mostBlocks)
    guard min(oldRange.count, newRange.count) >= block else { return [] }
    let places = Self.places(of: block, in: new, newRange)
    var parts: [CommonPart] = []
    var (end, place) = (oldRange.lowerBound, oldRange.lowerBound)
    var hash = BlockHash(old, place..<(place + block))
    while true {
      if let found = places[hash.value],
        let part = Self.part(
          of: old, end..<oldRange.upperBound, at: place, in: new, newRange, at: found, block)
      {
        parts.append(part)
        end = part.old + part.count
        guard end + block <= oldRange.upperBound else { break }
        place = end
        hash = BlockHash(old, place..<(place + block))
      } else {
        guard place + block < oldRange.upperBound else { break }
        hash.move(from: old[place], to: old[place + block])
        place += 1
      }
    }
    return parts
  }

  /// The largest number of blocks.
  private static let mostBlocks = 4096

  /// Returns the first place of each block of a text, by hash.
  private static func places(
    of block: Int, in text: Span<UInt8>, _ range: Range<Int>
  ) -> [UInt64: Int] {
    var places: [UInt64: Int] = [:]
    places.reserveCapacity(range.count / block)
    for place in stride(from: range.lowerBound, through: range.upperBound - block, by: block) {
      let hash = BlockHash(text, place..<(place + block)).value
      if places[hash] == nil { places[hash] = place }
    }
    return places
  }

  /// Returns the part around two blocks with the same hash; nil if they are different, or if the part is too short.
  private static func part(
    of old: Span<UInt8>, _ oldRange: Range<Int>, at oldPlace: Int, in new: Span<UInt8>,
    _ newRange: Range<Int>,
    at newPlace: Int, _ block: Int
  ) -> CommonPart? {
    guard (0..<block).allSatisfy({ old[oldPlace + $0] == new[newPlace + $0] }) else { return nil }
    var (before, after) = (0, block)
    while oldPlace - before > oldRange.lowerBound, newPlace - before > newRange.lowerBound,
      old[oldPlace - before - 1] == new[newPlace - before - 1]
    {
      before += 1
    }
    while oldPlace + after < oldRange.upperBound, newPlace + after < newRange.upperBound,
      old[oldPlace + after] == new[newPlace + after]
    {
      after += 1
    }
    while before > -after, old.isInsideCharacter(oldPlace - before) { before -= 1 }
    while after > -before, old.isInsideCharacter(oldPlace + after) { after -= 1 }
    guard before + after >= shortest else { return nil }
    return CommonPart(old: oldPlace - before, new: newPlace - before, count: before + after)
  }
}

/// The hash of a block of bytes: a polynomial, so that it can be moved on by a byte.
private struct BlockHash {
  private(set) var value: UInt64 = 0
  /// The weight of the first byte.
  private var weight: UInt64 = 1

  private static let base: UInt64 = 0x9E37_79B9_7F4A_7C15

  init(_ text: Span<UInt8>, _ range: Range<Int>) {
    for index in range { value = value &* Self.base &+ UInt64(text[index]) }
    for _ in range.dropFirst() { weight = weight &* Self.base }
  }

  /// Moves the block on by a byte.
  mutating func move(from first: UInt8, to next: UInt8) {
    value = (value &- UInt64(first) &* weight) &* Self.base &+ UInt64(next)
  }
}

extension Span<UInt8> {
  /// Returns whether a position is between the bytes of one character.
  func isInsideCharacter(_ position: Int) -> Bool { position < count && self[position] & 0xC0 == 0x80 }
}
