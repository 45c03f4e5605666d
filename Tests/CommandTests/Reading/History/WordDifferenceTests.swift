import Testing

@testable import ArticleDocuments
@testable import NewsCommand

@Suite @MainActor struct WordDifferenceTests {
  private func marked(
    _ old: String, _ new: String, in parts: WordText.Parts = .words, columns: Int = 200, context: Int = 40,
    isPlain: Bool = true
  ) -> String {
    let words = WordDifference(from: old, to: new, in: parts)
    return words.passages(context: context)
      .map { MarkedText(words, $0, isPlain: isPlain).text(columns: columns) }.joined()
  }

  @Test func `removed and added words are marked in place`() {
    #expect(
      marked("Budget : vote prévu ce soir", "Budget : le vote reporté")
        == "  Budget : {+le+} vote [-prévu ce soir-] {+reporté+}\n")
    #expect(marked("Storm closes ports", "Ferry closes") == "  [-Storm-] {+Ferry+} closes [-ports-]\n")
    #expect(marked("", "New words") == "  {+New words+}\n")
    #expect(marked("Old start here", "start here") == "  [-Old-] start here\n")
  }

  @Test func `characters of scripts without spaces are compared one by one`() {
    #expect(marked("東京で桜が開花", "東京に桜が開花") == "  東京[-で-]{+に+}桜が開花\n")
  }

  @Test func `white space does not count, and a no-break space is one`() {
    #expect(marked("one  two\nthree", "one\u{A0}two three").isEmpty)
  }

  @Test func `the same letters in another composition are a change`() {
    #expect(!marked("caf\u{E9}", "cafe\u{301}").isEmpty)
  }

  @Test func `HTML is compared by its words, and its source with the markup`() {
    let (old, new) = ("<p>Wind &amp; <b>rain</b></p>", "<p>Wind &amp; <i>rain</i></p>")
    #expect(marked(old, new, in: .wordsOfHTML).isEmpty)
    #expect(marked(old, new, in: .source) == "  <p>Wind &amp; [-<b>-]{+<i>+}rain[-</b>-]{+</i>+}</p>\n")
    #expect(marked("a b", "a\tb", in: .source) == "  a[- -]{+\\u0009+}b\n")
  }

  @Test func `the unchanged middle of a long text is left out`() {
    let words = (1...60).map { "w\($0)" }
    var new = words
    new[20] = "x"
    new[40] = "y"
    #expect(
      marked(words.joined(separator: " "), new.joined(separator: " "), context: 2) == """
          … w19 w20 [-w21-] {+x+} w22 w23 …
          … w39 w40 [-w41-] {+y+} w42 w43 …

        """)
  }

  @Test func `lines are wrapped, and each line has its own colours`() {
    let text = marked("a", "a one two three four five", columns: 12, isPlain: false)
    #expect(
      text == """
          a \u{1B}[32mone two\u{1B}[0m
          \u{1B}[32mthree four\u{1B}[0m
          \u{1B}[32mfive\u{1B}[0m

        """)
  }

  @Test func `control characters of a publisher do not reach the terminal`() {
    #expect(marked("a", "a \u{1B}[31mred", isPlain: true) == "  a {+[31mred+}\n")
  }

  @Test func `two long texts with few changes are compared quickly`() {
    let words = (0..<200_000).map { "word\($0 % 5000)" }
    var new = words
    for place in stride(from: 100, to: words.count, by: 40_000) { new[place] = "changed" }
    let difference = WordDifference(
      from: words.joined(separator: " "), to: new.joined(separator: " "), in: .wordsOfHTML)
    #expect(difference.changes.count == 5)
  }
}
