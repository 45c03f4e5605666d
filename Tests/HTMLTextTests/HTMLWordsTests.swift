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
    ("<img src=a alt='A &amp; b' title=c>d", "A & b c d"),
    ("<figure><img alt=a><figcaption>b</figcaption></figure>", "a b"),
    ("a<img width=1 height=1 alt=b>c", "a c"), ("<p hidden>a</p>b", "b"),
    ("<p style=display:none>a</p>b", "b"),
    ("<template>a</template>b", "b"), ("<math alttext='x^2'><mi>x</mi></math>", "x^2"),
    ("<td>a</td><td>b", "ab"), ("<table><td>a<td>b</table>", "a b"), ("a<code>b</code>c", "abc"),
    ("a<p-x>b", "ab"), ("<bdi>Name</bdi>s <label>la</label>bel <ins>in</ins>s", "Names label ins"),
    ("<svg><text>Dia</text><text>gramm</text></svg>", "Dia gramm"),
    ("<math><mphantom><mi>hid</mi></mphantom><maction><mi>one</mi><mi>two</mi></maction></math>", "one"),
    ("<ruby>東<rt>とう</rt>京<rt>きょう</rt></ruby>都<p>x", "東京都 とう きょう x"),
    ("word<sup>1</sup>, word<sup><a>[2]</a></sup> km<sup>2</sup> x<sup>3</sup>", "word 1, word[2] km2 x3"),
    ("<p>Zeit<sup><b>12</b></sup>en 1<sup>st</sup>", "Zeit 12en 1st"),
    ("<p don't>x</p>", "x"), ("<p", ""), ("&#0; &#xD800; &#99999999;", "\u{FFFD} \u{FFFD} \u{FFFD}"),
  ])
  func `the words stay and the markup goes`(html: String, expected: String) {
    #expect(words(html) == expected)
  }

  @Test(arguments: [
    ("", "a", true), ("<p>a</p>", "<p>b<!-- <i> --></p>", true), ("<p>a", "<p class=x>a", false),
    ("<a href='1'>a</a>", "<a href='2'>a</a>", false), ("<b>a</b>", "a", false), ("1 < 2", "2", true),
  ])
  func `texts are compared by their tags`(one: String, other: String, isSame: Bool) {
    #expect(HTMLWords.haveSameTags(one, other) == isSame)
    #expect(HTMLWords.haveSameTags(other, one) == isSame)
  }

  @Test(arguments: [
    ("", "", true), ("a b", " a\n b ", true), ("<p>a</p><p>b</p>", "a b", true), ("a<b>b</b>", "ab", true),
    ("a&nbsp;b", "a b", true), ("R&amp;D", "R&#38;D", true), ("a b", "ab", false), ("a b", "a b c", false),
    ("a", "", false), ("", "<img src='x'>", true), ("a<!-- b -->", "a", true), ("A", "a", false),
    ("é", "e\u{301}", false), ("<p>a", "a<script>b</script>", true),
  ])
  func `texts are compared by their words`(one: String, other: String, isSame: Bool) {
    #expect(HTMLWords.areSame(Array(one.utf8)[...], Array(other.utf8)[...]) == isSame)
    #expect(HTMLWords.areSame(Array(other.utf8)[...], Array(one.utf8)[...]) == isSame)
  }
}
