import HTMLText
import Testing

@Suite struct HTMLWordsTests {
  private func words(_ html: String) -> String {
    HTMLWords.text(of: html).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test(arguments: [
    ("plain text", "plain text"),
    ("<p>One</p><p>two</p>", "One two"),
    ("a<b>b</b>c<br>d", "abc d"),
    ("R&amp;D &eacute;t&eacute; &#233; &#xE9; &nosuch; & x", "R&D été é é &nosuch; & x"),
    ("a<script>var x = '<p>';</script>b<STYLE>p{}</STYLE>c", "a b c"),
    ("a<!-- <p>hidden</p> -->b", "ab"), ("a<!-- never closed", "a"),
    ("1 < 2 <3 a<", "1 < 2 <3 a<"),
    ("<a title=\"x > y\" href='z'>in</a>", "in"), ("<a href=\"never closed>in</a> out", "in out"),
    ("<p don't>x</p>", "x"), ("<p", ""), ("&#0; &#xD800; &#99999999;", "&#0; &#xD800; &#99999999;"),
  ])
  func `the words stay and the markup goes`(html: String, expected: String) {
    #expect(words(html) == expected)
  }
}
