import TestSupport
import Testing

@testable import Markup

@Suite struct SectionTextTests {
  @Test(arguments: 0..<200 as Range<UInt64>)
  func `text goes up to the first end, however it is cut`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let text = (0..<Int.random(in: 0...24, using: &random))
      .map { _ in ["]", "]", "]", ">", "a"].randomElement(using: &random) ?? "" }.joined()
    let bytes = Array(text.utf8)
    let end = (0..<max(0, bytes.count - 2)).first { Array(bytes[$0..<($0 + 3)]) == Array("]]>".utf8) }

    var section = SectionText()
    var (found, start): ([UInt8], Int) = ([], 0)
    var foundEnd: Int?
    while foundEnd == nil, start < bytes.count {
      let piece = Array(bytes[start..<Int.random(in: (start + 1)...bytes.count, using: &random)])
      let part = section.look(in: piece.span)
      found += Array(repeating: UInt8(ascii: "]"), count: part.heldBrackets) + piece[..<part.count]
      foundEnd = part.end.map { start + $0 }
      start += piece.count
    }
    #expect(foundEnd == end.map { $0 + 3 })
    let waiting = Array(repeating: UInt8(ascii: "]"), count: section.heldBrackets)
    #expect(
      String(decoding: found + waiting, as: UTF8.self)
        == String(decoding: bytes[..<(end ?? bytes.count)], as: UTF8.self))
  }
}
