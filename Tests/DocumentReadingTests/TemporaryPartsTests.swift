import DocumentReading
import Testing

@Suite struct TemporaryPartsTests {
  private func read(_ file: TemporaryParts, _ part: Int) throws(InputFailure) -> [UInt8] {
    let source = file.bytes(of: part)
    var bytes: [UInt8] = []
    while true {
      let piece = try source.next()
      if piece.isEmpty { return bytes }
      bytes += piece
    }
  }

  @Test func `each part has its bytes in the order in which they were added`() throws {
    let file = try #require(TemporaryParts(count: 3))
    var expected: [[UInt8]] = [[], [], []]
    for number in 0..<300 {
      let bytes = Array(repeating: UInt8(truncatingIfNeeded: number), count: number * 17)
      // The last part stays empty.
      let hasRoom = file.append(bytes.span, to: number % 2)
      #expect(hasRoom)
      expected[number % 2] += bytes
    }
    for part in 0..<3 { #expect(try read(file, part) == expected[part]) }
  }
}
