/// A deterministic division of an input into chunks.
struct Chunks {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325
  private let input: [UInt8]

  init(_ input: [UInt8]) {
    self.input = input
    for byte in input { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  /// True if a document type contains a `>` in quotation marks. If a chunk ends after it, libxml2 2.9 takes it for the
  /// end and reports damage, so such a document may or may not be recovered.
  var hasBracketInDoctype: Bool {
    var rest = input[...]
    while let start = rest.firstRange(of: Array("<!DOCTYPE".utf8)) {
      rest = rest[start.upperBound...]
      let declaration = rest.prefix { $0 != UInt8(ascii: ">") }
      for quote in [0x22, 0x27] as [UInt8] where declaration.count(where: { $0 == quote }) % 2 == 1 {
        return true
      }
    }
    return false
  }

  /// Returns a number below `bound`, a new one at each call.
  mutating func random(below bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(truncatingIfNeeded: (state >> 33) % UInt64(bound))
  }

  mutating func cut(largest: Int) -> [[UInt8]] {
    var chunks: [[UInt8]] = []
    var start = 0
    while start < input.count {
      let end = min(start + 1 + random(below: largest), input.count)
      chunks.append(Array(input[start..<end]))
      start = end
    }
    return chunks
  }

  /// Returns several divisions of the input: fine ones, which make the parsers remember most, and coarse ones.
  mutating func cuts() -> [[[UInt8]]] {
    [
      cut(largest: input.count > 4096 ? 64 : [1, 2, 7, 40][random(below: 4)]),
      cut(largest: max(2, input.count)),
    ]
  }
}
