import Testing

@testable import HTMLText

@Suite struct WriterLawTests {
  private func words(_ text: String) -> [Substring] { text.split { $0.isWhitespace || $0 == "\u{A0}" } }

  private func wordsOfTree(_ html: String) -> [Substring] {
    var writer = WordsWriter()
    HTMLTree(html).visit(&writer)
    return words(String(decoding: writer.result, as: UTF8.self))
  }

  @Test(arguments: 0..<40)
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

  // MARK: Texts

  /// Collects the tokens of a document outside of hidden elements.
  private struct Tokens: HTMLVisitor {
    var text = ""

    mutating func enter(_ element: HTMLTree.Index, _ tag: HTMLTag, of tree: HTMLTree) -> Bool {
      switch tree.meaning(of: element, tag) {
      case .content: true
      case .reference(_, let showsContent): showsContent
      default: false
      }
    }
    mutating func leave(_ element: HTMLTree.Index, _ tag: HTMLTag, of tree: HTMLTree) {}
    mutating func take(_ slice: HTMLTree.Slice, of tree: HTMLTree) {
      text += String(decoding: tree.text[slice.range], as: UTF8.self)
    }
  }

  private func tokens(_ text: String) -> [String] {
    text.matches(of: #/w[0-9]+/#).map { String($0.output) }.sorted()
  }

  @Test(arguments: 0..<40)
  func `all texts outside of hidden elements are shown`(seed: Int) {
    var numbers = SeededNumbers(seed)
    let names = RandomHTML.all + (seed % 2 == 0 ? RandomHTML.hiding : [])
    for round in 0..<10 {
      let html =
        round % 2 == 0
        ? RandomHTML.nested(&numbers, of: names) : RandomHTML.tags(&numbers, of: names, count: 60)
      var expected = Tokens()
      HTMLTree(html).visit(&expected)
      // The frames that HTML stands for have tokens of their own.
      guard !html.contains("<iframe") else { continue }
      let found = HTMLText(html).lines(columns: 1000).joined(separator: "\n")
      #expect(tokens(found) == tokens(expected.text), "\(html)")
      #expect(tokens(SafeHTML.fragment(of: html)) == tokens(expected.text), "\(html)")
    }
  }

  @Test(arguments: 0..<40)
  func `safe HTML of random documents is not changed`(seed: Int) {
    var numbers = SeededNumbers(seed)
    // Headings are moved below those of the page each time. Parts of ruby end items of lists around them.
    let names = RandomHTML.all.filter { !["h1", "h2", "ruby", "rt", "rp"].contains($0) }
    for round in 0..<10 {
      let html =
        round % 2 == 0
        ? RandomHTML.nested(&numbers, of: names) : RandomHTML.tags(&numbers, of: names, count: 60)
      let safe = SafeHTML.fragment(of: html)
      // A parser drops white space at the beginning.
      let start = safe.drop { $0 == " " }
      #expect(SafeHTML.fragment(of: safe) == start, "\(html)")
    }
  }
}
