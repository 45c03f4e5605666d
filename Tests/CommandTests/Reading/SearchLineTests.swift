import Testing
import TextSearch

@testable import NewsCommand

@Suite struct SearchLineTests {
  private let hits = SearchHighlight(marked: "a \u{1}storm\u{2} in \u{1}ports\u{2} of\u{1b} old")

  private func mark(_ text: String) -> String { "[\(text)]" }

  @Test func `the hits are highlighted in their line`() {
    #expect(
      SearchLine.text(hits, columns: nil, mark: mark)
        == String(repeating: " ", count: 20) + "a [storm] in [ports] of\\u001b old\n")
    #expect(SearchLine.text(nil, columns: 80, mark: mark) == nil)
    #expect(SearchLine.text(SearchHighlight(marked: "no hit"), columns: 80, mark: mark) == nil)
  }

  @Test func `a line fits into the terminal even if a hit is cut`() {
    let long = SearchHighlight(marked: "some text before it: \u{1}storm-tossed ships\u{2} at sea")
    let indent = String(repeating: " ", count: 20)
    #expect(
      SearchLine.text(long, columns: 70, mark: mark)
        == "\(indent)some text before it: [storm-tossed ships] at sea\n")
    #expect(SearchLine.text(long, columns: 34, mark: mark) == "    some text before it: [storm-to…]\n")
    #expect(
      SearchLine.text(long, columns: 36, marks: 2, mark: mark) == "    some text before it: [storm-to…]\n")
  }

  @Test(arguments: [
    ("a storm in ports of\\u001b old   ", "a [storm] in [ports] of\\u001b old   "),
    ("a sto…", "a [sto…]"), ("another text", "another text"), ("", ""),
  ])
  func `cut or padded titles keep their hits, and other titles have none`(shown: String, expected: String) {
    #expect(SearchLine.marked(shown, hits, mark) == expected)
  }
}
