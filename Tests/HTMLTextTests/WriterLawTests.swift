import Testing

@testable import HTMLText

@Suite struct WriterLawTests {
  private func words(_ text: String) -> [Substring] { text.split { $0.isWhitespace || $0 == "\u{A0}" } }

  private func wordsOfTree(_ html: String) -> [Substring] {
    var writer = WordsWriter()
    HTMLTree(html).visit(&writer)
    return words(String(decoding: writer.result, as: UTF8.self))
  }

  @Test(arguments: 0..<100)
  func `simple documents have the same words without a tree`(seed: Int) {
    var numbers = SeededNumbers(seed)
    var simple = 0
    for _ in 0..<50 {
      let html = RandomHTML.nested(&numbers, of: RandomHTML.simple)
      var found: [UInt8] = []
      guard SimpleWords.append(Array(html.utf8).span, to: &found) else {
        #expect(found.isEmpty)
        continue
      }
      simple += 1
      #expect(words(String(decoding: found, as: UTF8.self)) == wordsOfTree(html), "\(html)")
    }
    #expect(simple > 0)
  }
}
