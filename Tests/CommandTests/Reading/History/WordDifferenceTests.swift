import Testing

@testable import ArticleDocuments

@Suite struct WordDifferenceTests {
  private func changed(
    _ old: String, _ new: String, in parts: WordText.Parts = .words, context: Int = 40
  ) -> String {
    let words = WordDifference(from: old, to: new, in: parts)
    return words.passages(context: context).map { passage in
      let texts = words.texts(of: passage)
      return (texts.old.map { "- \($0)\n" } ?? "") + (texts.new.map { "+ \($0)\n" } ?? "")
    }.joined()
  }

  @Test func `the old and the new words are compared`() {
    #expect(
      changed("Budget : vote prévu ce soir", "Budget : le vote reporté")
        == "- Budget : vote prévu ce soir\n+ Budget : le vote reporté\n")
    #expect(changed("", "New words") == "+ New words\n")
    #expect(changed("Old start here", "start here", context: 1) == "- Old start …\n+ start …\n")
  }

  @Test func `characters of scripts without spaces are compared one by one`() {
    #expect(changed("東京で桜が開花", "東京に桜が開花", context: 1) == "- … 京で桜 …\n+ … 京に桜 …\n")
  }

  @Test func `white space does not count, and a no-break space is one`() {
    #expect(changed("one  two\nthree", "one\u{A0}two three").isEmpty)
  }

  @Test func `the same letters in another composition are a change`() {
    #expect(!changed("caf\u{E9}", "cafe\u{301}").isEmpty)
  }

  @Test func `HTML is compared by its words, and its source with the markup`() {
    let (old, new) = ("<p>Wind &amp; <b>rain</b></p>", "<p>Wind &amp; <i>rain</i></p>")
    #expect(changed(old, new, in: .wordsOfHTML).isEmpty)
    #expect(changed(old, new, in: .source) == "- \(old)\n+ \(new)\n")
    #expect(changed("a b", "a\tb", in: .source) == "- a b\n+ a\tb\n")
  }

  @Test func `the unchanged middle of a long text is left out`() {
    let words = (1...60).map { "w\($0)" }
    var new = words
    new[20] = "x"
    new[40] = "y"
    #expect(
      changed(words.joined(separator: " "), new.joined(separator: " "), context: 2) == """
        - … w19 w20 w21 w22 w23 …
        + … w19 w20 x w22 w23 …
        - … w39 w40 w41 w42 w43 …
        + … w39 w40 y w42 w43 …

        """)
  }

  @Test func `two long texts with few changes are compared quickly`() {
    let words = (0..<200_000).map { "word\($0)" }
    var new = words
    for place in stride(from: 100, to: words.count, by: 40_000) { new[place] = "changed" }
    let difference = WordDifference(
      from: words.joined(separator: " "), to: new.joined(separator: " "), in: .wordsOfHTML)
    #expect(difference.changes.count == 5)
  }
}
