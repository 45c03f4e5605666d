import HTMLText
import Testing

@testable import NewsCommand

@Suite struct WrappedTextTests {
  @Test func `a long line is wrapped at words and continues with an indent of two columns`() {
    #expect(
      wrapped("newsimport: world: no such region; did you mean word?\nshort\n", to: 30) == """
        newsimport: world: no such
          region; did you mean word?
        short

        """)
  }

  @Test func `a line with a term continues below the text of the term`() {
    #expect(
      wrapped("  last      200 304 304   newest first, of today\n", to: 30) == """
          last      200 304 304
                    newest first, of
                    today

        """)
  }

  @Test func `a row of a table is wrapped between cells`() {
    #expect(
      wrapped("failed    2026-11-29 01:10   https://a.example/feed   HTTP 500 (server error)", to: 45) == """
        failed    2026-11-29 01:10
                  https://a.example/feed
                  HTTP 500 (server error)
        """)
  }

  @Test func `the gap after a sentence does not make it a term`() {
    #expect(wrapped("nothing.   Next: newsimport help", to: 30) == "nothing.   Next: newsimport\n  help")
  }

  @Test func `addresses and paths are never split`() {
    let address = "https://example.org/" + String(repeating: "a", count: 80) + "/feed.xml"
    let lines = wrapped("newsimport: \(address): gone; add another one", to: 40)
    #expect(lines == "newsimport:\n  \(address):\n  gone; add another one")
  }

  @Test func `an address without room below its term has a line of its own`() {
    let path = "/" + String(repeating: "a", count: 30)
    #expect(wrapped("store     \(path)   default", to: 40) == "store\n  \(path)\n  default")
    #expect(wrapped("store     \(path)   default", to: 30) == "store     \(path)\n          default")
  }

  @Test func `without a terminal nothing is wrapped`() {
    let line = String(repeating: "word ", count: 100)
    #expect(wrapped(line, to: nil) == line)
  }

  @Test(arguments: 1...100) func `no line is wider than the terminal, and no word is lost`(columns: Int) {
    let text = "newsimport: one or two 報告 words: of more; than  three   columns\n    in a b c d e f\n"
    let lines = wrapped(text, to: columns)
    for line in lines.split(separator: "\n") where line.contains(#/\S\s+\S/#) {
      #expect(DisplayWidth.columns(of: line) <= columns)
    }
    #expect(lines.filter { !$0.isWhitespace } == text.filter { !$0.isWhitespace })
  }
}
