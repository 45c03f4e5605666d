import Foundation
import HTMLText
import Testing

/// The text that `show` prints for each element; `docs/reading-html.md` is written from these examples.
///
/// `NEWSIMPORT_GOLDEN=1 swift test --filter ShownElementsTests` writes the page again.
@Suite struct ShownElementsTests {
  struct Example: Sendable, CustomTestStringConvertible {
    let elements: String
    let html: String
    let lines: [String]

    init(_ elements: String, _ html: String, _ lines: String...) {
      (self.elements, self.html, self.lines) = (elements, html, lines)
    }

    var testDescription: String { "\(elements): \(html)" }
  }

  @Test(arguments: examples)
  func `an element is shown as its example says`(example: Example) {
    #expect(HTMLText(example.html).lines(columns: 60) == example.lines)
  }

  @Test func `the page shows the examples`() throws {
    let page = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "docs/reading-html.md")
    let rows = Self.examples.map { example in
      let lines = example.lines.isEmpty ? "(nothing)" : example.lines.map(Self.code).joined(separator: "<br>")
      return "| \(example.elements) | \(Self.code(example.html)) | \(lines) |\n"
    }
    let text = Self.introduction + rows.joined()
    if ProcessInfo.processInfo.environment["NEWSIMPORT_GOLDEN"] != nil { try Data(text.utf8).write(to: page) }
    #expect(try String(contentsOf: page, encoding: .utf8) == text)
  }

  /// Returns a text as code in a cell of a table.
  private static func code(_ text: String) -> String {
    guard !text.isEmpty else { return "" }
    let line = text.replacing("\n", with: "⏎").replacing("|", with: "\\|")
    return line.contains("`") ? "`` \(line) ``" : "`\(line)`"
  }

  private static let introduction = """
    # How articles are read

    `newsimport show` and mail folders print the text of an article. HTML is read as browsers read it (HTML 5), with scripts
    turned off. Exports to HTML and the search index know the same texts: what is hidden here is in none of them.

    A number in brackets refers to the list of addresses below the text. In the column *HTML*, ⏎ is a line end.

    | elements | HTML | text |
    |---|---|---|

    """

  private static let examples: [Example] = [
    Example("`p`, `div`, headings", "<h2>Title</h2><p>One</p><p>Two</p>", "Title", "", "One", "", "Two"),
    Example("`br`, `hr`", "a<br>b<hr>c", "a", "b", "", "* * *", "", "c"),
    Example("`a` to a place in the text", "a<a href='#n'>1</a> <b id=n>n</b>", "a1 n"),
    Example("`a`", "<a href='https://a.example/'>text </a>after", "text[1] after"),
    Example(
      "`sup`", "10<sup>-3</sup>, x<sup>2</sup>, e<sup>n+1</sup>, 1<sup>st</sup>", "10^-3, x^2, e^(n+1), 1st"),
    Example("`sub`", "H<sub>2</sub>O", "H_2O"),
    Example("digits after `sup`", "10<sup>2</sup>3", "10^2 3"),
    Example("`sup` at the end of a line", "x<sup>2</sup><br>abc<b>d</b>", "x^2", "abcd"),
    Example("separators of lines", "a&#x2028;b", "a b"),
    Example("lines of space", "<p>a</p><p>&nbsp;</p><p>b</p>", "a", "", "b"),
    Example("`q`", "<q>One <q>two</q></q>", "“One ‘two’”"),
    Example("`del`, `s`, `strike`", "<del>old</del> <ins>new</ins>", "~~old~~ new"),
    Example("`ruby`", "<ruby>漢字<rp>(</rp><rt>kanji</rt><rp>)</rp></ruby>", "漢字(kanji)"),
    Example("`b`, `i`, `code` and others", "<b>bold</b>, <code>code</code>", "bold, code"),
    Example("`ul`", "<ul><li>one<ul><li>two</ul><li>three</ul>", "• one", "  • two", "• three"),
    Example("`ol`", "<ol start=9><li>nine<li>ten</ol>", "9. nine", "10. ten"),
    Example("`ol reversed`", "<ol reversed><li>one<li>two</ol>", "2. one", "1. two"),
    Example("`ol type`", "<ol type=a><li>one</ol><ol type=I start=4><li>two</ol>", "a. one", "", "IV. two"),
    Example("`li value`", "<ol><li value=5>five<li>six</ol>", "5. five", "6. six"),
    Example(
      "tasks", "<ul><li><input type=checkbox checked> done<li><input type=checkbox> open</ul>", "• [x] done",
      "• [ ] open"),
    Example("`dl`", "<dl><dt>term<dd>description</dl>", "term", "  description"),
    Example("lists in `blockquote`", "<blockquote><ul><li>one</ul></blockquote>", "> • one"),
    Example(
      "`blockquote` in lists", "<ul><li><blockquote><p>one<p>two</blockquote></ul>", "• > one", "  > two"),
    Example("`blockquote`", "<blockquote><p>One</p><p>Two</p></blockquote>", "> One", ">", "> Two"),
    Example("`pre`", "<pre>if a {\n    b()\n}</pre>", "if a {", "    b()", "}"),
    Example(
      "`table`", "<table><tr><th>Port<th>Ships<tr><td>Rotterdam<td>12</table>", "Port      | Ships",
      "Rotterdam | 12"),
    Example(
      "`colspan`, `rowspan`",
      "<table><tr><th rowspan=2>Port<th colspan=2>Ships<tr><td>in<td>out<tr><td>Rotterdam<td>12<td>9</table>",
      "Port      | Ships", "          | in | out", "Rotterdam | 12 | 9"),
    Example(
      "a title in a `table`", "<table><tr><th colspan=2>Ports and ships<tr><td>a<td>b</table>",
      "Ports and ships", "a | b"),
    Example("`caption`", "<table><caption>Ports</caption><tr><td>a<td>b</table>", "Ports", "a | b"),
    Example(
      "`table` for layout", "<table><tr><td><ul><li>one</ul><td><p>two</p></table>", "• one", "", "two"),
    Example(
      "`figure`", "<figure><img src=p.png alt=Port><figcaption>A port</figcaption></figure>",
      "[image: Port][1]", "A port"),
    Example("`img`", "<img src=p.png alt=Port title='At night'>", "[image: Port – At night][1]"),
    Example("lazy pictures", "<img src='data:image/gif;base64,R0' data-src=p.png>", "[image][1]"),
    Example("`picture`", "<picture><source srcset='p.webp 2x'><img alt=Port></picture>", "[image: Port][1]"),
    Example("`noscript`", "<img data-src=p.png><noscript><img src=p.png></noscript>", "[image][1]"),
    Example("`noscript` alone", "<noscript><img src=p.png></noscript>", "[image][1]"),
    Example(
      "a lazy picture in the place of another", "<img src=blank.gif data-src=p.png alt=Port>",
      "[image: Port][1]"),
    Example("parts of a picture", "<map><area href=/north alt=North></map>", "[link: North][1]"),
    Example("counters of readers", "<img src=c.gif width=1 height=1>"),
    Example("`video`, `audio`", "<video><source src=v.mp4>No video.</video>", "[video][1]"),
    Example("without an address", "<video>No video.</video>", "No video."),
    Example("`iframe`", "<iframe src='https://v.example/' title=Film></iframe>", "[frame: Film][1]"),
    Example("`object`", "<object data=c.svg><p>A chart</p></object>", "[file][1]", "", "A chart"),
    Example("`math`", "<math alttext='x^2'><msup><mi>x</mi><mn>2</mn></msup></math>", "x^2"),
    Example(
      "`math` without a text",
      "<math><msup><mi>x</mi><mn>2</mn></msup><mo>=</mo><mfrac><mn>1</mn><mn>4</mn></mfrac></math>", "x^2=1/4"
    ),
    Example(
      "fractions", "<math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mi>c</mi></mfrac></math>",
      "(a+b)/c"),
    Example(
      "mixed fractions", "<math><mn>2</mn><mfrac><mn>1</mn><mn>2</mn></mfrac></math>", "2 1/2"),
    Example("words of drawings", "<svg><text>North</text><text>South</text></svg>", "North South"),
    Example(
      "roots", "<math><msqrt><mi>x</mi></msqrt><mo>+</mo><mroot><mi>y</mi><mn>3</mn></mroot></math>",
      "√x+y^(1/3)"),
    Example(
      "limits of sums",
      "<math><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover></math>",
      "∑_(i=1)^n"),
    Example("both indices", "<math><msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup></math>", "x_i^2"),
    Example(
      "matrices",
      "<math><mo>(</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mn>0</mn></mtd><mtd><mn>1</mn></mtd></mtr></mtable><mo>)</mo></math>",
      "(1 0; 0 1)"),
    Example("`mfenced`", "<math><mi>f</mi><mfenced><mi>x</mi><mi>y</mi></mfenced></math>", "f(x, y)"),
    Example("`script`, `style`, `template`", "<style>p {}</style><script>x()</script><template>t</template>"),
    Example("`hidden`, hiding styles", "<p hidden>a</p><p style='display: none'>b</p><p>c</p>", "c"),
    Example("plain text with an indented first line", "    b()<br>\n}", "    b()", "}"),
    Example("plain text", "if a {<br>\n    b()<br>\n}", "if a {", "    b()", "}"),
    Example("padding of previews", "a&zwnj;&nbsp;&zwnj;&nbsp;&zwnj;&nbsp;b", "a b"),
  ]
}
