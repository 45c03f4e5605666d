extension [UInt8] {
  /// Returns the bytes themselves for seed 0, and otherwise with some changed, doubled, moved or removed.
  public func mutated(seed: UInt64) -> [UInt8] {
    guard seed > 0, !isEmpty else { return self }
    var random = SeededGenerator(seed: seed)
    var bytes = self
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let start = Int.random(in: 0..<Swift.max(1, bytes.count), using: &random)
      let range = start..<Swift.min(bytes.count, start + Int.random(in: 0...20, using: &random))
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes.replaceSubrange(range, with: [UInt8.random(in: 0...255, using: &random)])
      case 1: bytes.insert(contentsOf: Array(bytes[range]), at: start)
      case 2: bytes.removeSubrange(range)
      default: bytes += Array(bytes[range])
      }
    }
    return bytes
  }
}
