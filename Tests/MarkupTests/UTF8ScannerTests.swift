import TestSupport
import Testing

@testable import Markup

@Suite struct UTF8ScannerTests {
  /// The expected end, determined character by character with the standard library.
  private static func validEnd(of bytes: [UInt8], from start: Int) -> Int {
    var index = start
    while index < bytes.count {
      let lead = bytes[index]
      let length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
      guard index + length <= bytes.count,
        let text = String(validating: bytes[index..<(index + length)], as: UTF8.self),
        text.unicodeScalars.count == 1, let scalar = text.unicodeScalars.first, isAllowed(scalar.value)
      else { return index }
      index += length
    }
    return index
  }

  private static func isAllowed(_ scalar: UInt32) -> Bool {
    if scalar < 0x20 { return scalar == 0x09 || scalar == 0x0A || scalar == 0x0D }
    return !(0x80..<0xA0).contains(scalar) && scalar != 0xFFFE && scalar != 0xFFFF
  }

  private static let good = [
    "a", "<p> ", "\n", "\r\n\t", "é", "я", "слово ", "ÿ", "—", "東京", "🎉", "\u{7FF}", "\u{E000}",
  ]
  private static let bad: [[UInt8]] = [
    [0x00], [0x0B], [0x1F], [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2, 0x85], [0xC3], [0xC3, 0x20],
    [0xDF, 0xC3],
    [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0xEF, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
    [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x9F, 0x8E], [0xFF],
  ]

  /// Returns the end that is found, and checks the result for foreign characters before it.
  private static func found(in bytes: [UInt8], upTo count: Int? = nil, from start: Int) -> Int {
    var hasForeign = false
    let end = unsafe bytes.withUnsafeBufferPointer {
      unsafe UTF8Scanner.validEnd(
        of: UnsafeBufferPointer(rebasing: $0[..<(count ?? bytes.count)]), from: start, hasForeign: &hasForeign
      )
    }
    #expect(hasForeign == (start < end && bytes[start..<end].contains { $0 >= 0x80 }))
    return end
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `good characters are found up to the first bad one, wherever they stand`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 0...120, using: &random) {
        let word = Self.good.randomElement(using: &random) ?? ""
        for _ in 0..<Int.random(in: 1...8, using: &random) { bytes.append(contentsOf: word.utf8) }
      }
      if Bool.random(using: &random), let bad = Self.bad.randomElement(using: &random) {
        let place = Int.random(in: 0...bytes.count, using: &random)
        bytes.insert(contentsOf: bad, at: place)
      }
      var start = 0
      repeat {
        let expected = Self.validEnd(of: bytes, from: start)
        #expect(Self.found(in: bytes, from: start) == expected)
        start = max(expected, start) + 1
      } while start < bytes.count
    }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `bytes without any order are good up to the same place`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let bytes: [UInt8] = [
      0x61, 0x61, 0x61, 0x20, 0x0A, 0x01, 0xC2, 0x85, 0xC3, 0xA9, 0xD0, 0xBF, 0xE2, 0x80, 0xF0,
    ]
    for _ in 0..<500 {
      let input = (0..<Int.random(in: 1...80, using: &random)).map { _ in
        bytes.randomElement(using: &random) ?? 0
      }
      for start in 0...min(input.count, 20) {
        #expect(Self.found(in: input, from: start) == Self.validEnd(of: input, from: start))
      }
    }
  }

  @Test(arguments: ["a", "é", "—", "\n"])
  func `a text of one character is good to its end, however long it is`(character: String) {
    for count in 0...200 {
      // Bytes after the end must not be read, or they would count as text.
      let bytes = Array(String(repeating: character, count: count).utf8)
      #expect(Self.found(in: bytes + [0x61, 0x61], upTo: bytes.count, from: 0) == bytes.count)
    }
  }
}
