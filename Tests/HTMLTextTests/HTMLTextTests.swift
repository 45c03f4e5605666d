import HTMLText
import Testing

@Suite struct HTMLTextTests {
  private func lines(_ html: String, columns: Int = 40) -> [String] { HTMLText(html).lines(columns: columns) }

  @Test func `paragraphs stand apart, and words are wrapped`() {
    #expect(
      lines("<p>One two\n  three <b>four</b>five</p><p>six</p>", columns: 12)
        == ["One two", "three", "fourfive", "", "six"])
  }

  @Test func `links and pictures have numbers, each address one`() {
    let text = HTMLText(
      """
      <p>See <a href="https://a.example/x">this</a>, <a href="https://b.example/">that</a> and
      <a href="https://a.example/x">this</a>.<img src="p.png" alt="A cat"><img src="q.png"></p>
      """)
    #expect(text.lines(columns: 80) == ["See this[1], that[2] and this[1].[image: A cat][3][image][4]"])
    #expect(text.links == ["https://a.example/x", "https://b.example/", "p.png", "q.png"])
  }

  @Test func `direction marks in an address are percent-encoded`() {
    let html = "<a href='http://a.example/\u{202E}gpj'>a</a>"
    #expect(HTMLText(html).links == ["http://a.example/%E2%80%AEgpj"])
  }

  @Test func `addresses that run programs or lead nowhere have no number`() {
    let text = HTMLText(##"<a href="javascript:x()">a</a> <a href="#top">b</a> <a>c</a> <a href="">d</a>"##)
    #expect(text.lines(columns: 80) == ["a b c d"] && text.links.isEmpty)
  }

  @Test func `lists have bullets and numbers, and lines below the text`() {
    #expect(
      lines("<ul><li>one two<li><p>three</p><ol start=9><li>nine<li>ten</ol></ul><p>end", columns: 10)
        == ["• one two", "• three", "  9. nine", "  10. ten", "", "end"])
  }

  @Test func `quotations keep their sign on every line`() {
    #expect(
      lines("a<blockquote><p>one two</p><p>three</p></blockquote>b", columns: 14)
        == ["a", "", "> one two", ">", "> three", "", "b"])
  }

  @Test func `preformatted text keeps its lines`() {
    #expect(lines("<pre>\nlet a = 1\n  b\t2\n</pre>", columns: 5) == ["let a = 1", "  b    2"])
  }

  @Test func `cells of a table stand side by side`() {
    #expect(lines("<table><tr><th>a<th>b<tr><td>1<td>2</table>") == ["a | b", "1 | 2"])
  }

  @Test func `plain text keeps its spaces and line ends`() {
    #expect(
      lines("diff a<br>\n-  if  x &lt; 1 {<br>\n+\tif y {<br>\n\t  z<br>\n<br>\n  one two three", columns: 12)
        == ["diff a", "-  if  x < 1", "{", "+    if y {", "      z", "", "  one two", "  three"])
    #expect(lines("a<br>\n  <b>b</b>") == ["a", "b"])
  }

  @Test func `a table is in columns where it fits`() {
    let table =
      "<table><thead><tr><th>Port<th>Ships</thead><tr><td>Rotterdam<td>12<tr><td>新聞<td><b>7</b></table>"
    #expect(lines(table) == ["Port      | Ships", "Rotterdam | 12", "新聞      | 7"])
    #expect(lines(table, columns: 16) == ["Port | Ships", "Rotterdam | 12", "新聞 | 7"])
    #expect(lines("<ul><li>a<table><tr><td>b<td>c</table></ul>") == ["• a", "", "  b | c"])
    #expect(lines("<table><tr><td>a<td><tr><td><td>b</table>") == ["a |", "  | b"])
  }

  @Test func `deleted text is marked in each of its lines`() {
    #expect(
      lines("a <del>b <b>c</b> </del>d<del></del> <s><p>e</p><p>f</p></s>")
        == ["a ~~b c~~ d", "", "~~e~~", "", "~~f~~"])
    #expect(lines("<table><tr><td><del>a<td>b</del></table>") == ["~~a~~ | b"])
  }

  @Test(arguments: [
    ("x<sup>2</sup>y", "x^2y"), ("5 m<sup>2</sup>", "5 m^2"), ("x<sup>(n)</sup>", "x^(n)"),
    ("a<sup>[1]</sup>", "a[1]"),
    ("A<sup>®</sup>", "A®"), ("2<sup>nd</sup>", "2nd"), ("x <sup>2</sup>", "x 2"), ("x<sub>i</sub>", "x_i"),
    ("10<sup>−3</sup>", "10^−3"), ("a<sub>i,j</sub>b", "a_(i,j)b"), ("x<sup></sup>y", "xy"),
    ("a<sup><a href='https://a.example/'>1</a></sup>", "a^1[1]"),
  ])
  func `superscripts and subscripts are marked`(html: String, expected: String) {
    #expect(lines(html) == [expected])
  }

  @Test(arguments: [
    ("<ol start=3 reversed><li>a<li>b</ol>", ["3. a", "2. b"]),
    ("<ol type=A start=26><li>a<li>b</ol>", ["Z. a", "AA. b"]),
    ("<ol type=i start=1999><li>a<li value=4000>b</ol>", ["mcmxcix. a", "4000. b"]),
    ("<ol start=-1 type=a><li>a<li>b<li>c</ol>", ["-1. a", "0. b", "a. c"]),
    ("<ol start=x type=y><li>a</ol>", ["1. a"]),
    ("<ol start=9223372036854775807><li>a<li>b</ol>", ["1. a", "2. b"]),
    ("<ol><li>a<p>b</p><ul><li>c<ol><li>d</ol></ul></ol>", ["1. a", "  b", "  • c", "    1. d"]),
    ("<dl><dt>a<dt>b<dd><p>c</p><ul><li>d</ul></dl>", ["a", "b", "", "  c", "", "  • d"]),
  ])
  func `lists are numbered and indented as browsers do`(html: String, expected: [String]) {
    #expect(lines(html) == expected)
  }

  @Test(arguments: [
    ("<img src=p.png alt=A title=A>", "[image: A][1]", ["p.png"]),
    ("<img alt=A>", "[image: A]", []), ("<img>", "", []), ("<img src='data:x' alt=A>", "[image: A]", []),
    ("<img srcset='a.png 1x, b.png 2x'>", "[image][1]", ["b.png"]),
    ("<img src='data:x' data-original=b.png>", "[image][1]", ["b.png"]),
    ("<img src='data:x' data-srcset=',c.png 300w'>", "[image][1]", ["c.png"]),
    ("<picture><source data-srcset=a.webp><source srcset=b.webp><img></picture>", "[image][1]", ["b.webp"]),
    ("<div><noscript><img src=a.png></noscript><p><img src=a.png></p></div>", "[image][1]", ["a.png"]),
    ("<img src='data:x'><noscript><img src=a.png></noscript>", "[image][1]", ["a.png"]),
    ("<img src=x.gif height=1><noscript>Read <a href=b>it</a></noscript>", "Read it[1]", ["b"]),
    ("<iframe><p>In <b>it</b><iframe>x</p></iframe>", "In it", []),
    ("<iframe data-src=https://v.example/></iframe>", "[frame][1]", ["https://v.example/"]),
    ("<video src=v.mp4 title=T><p>No</p></video>", "[video: T][1]", ["v.mp4"]),
    ("<object><embed src=f.swf></object>", "[embed][1]", ["f.swf"]),
    ("<svg><title>A</title><style>p</style><text>B</text></svg>", "A B", []),
    ("<math><semantics><mi>x</mi><annotation>tex</annotation></semantics></math>", "x", []),
    ("<a href=' http://e.org/a b\n/c '>x</a>", "x[1]", ["http://e.org/a%20b/c"]),
    ("<dialog>a</dialog><dialog open>b</dialog>", "b", []), ("<p style='DISPLAY : None'>a</p>", "", []),
    ("<p style='list-style:none'>a</p>", "a", []), ("<p style='visibility:hidden'>a</p>b", "b", []),
    ("<p style='display:nonesuch'>a</p>", "a", []), ("<p style='display:none;display:block'>a</p>", "a", []),
    ("<p style='display:/**/none!important'>a</p>", "", []),
    ("<p style='visibility: collapse'>a</p>", "", []),
    ("<p style='max-height:0;max-width:0;opacity:0;overflow:hidden'>a</p>b", "b", []),
    ("<p style='max-height:0;overflow:hidden'>a</p>", "a", []),
  ])
  func `what stands for pictures and files is shown once`(html: String, expected: String, links: [String]) {
    let text = HTMLText(html)
    #expect(text.lines(columns: 80).joined(separator: " ") == expected)
    #expect(text.links == links)
  }

  @Test func `invisible padding is left out, and characters inside words stay`() {
    let padding = String(repeating: "&zwnj;&nbsp;", count: 40) + "\u{34F} \u{AD}\u{FEFF}\u{200B}"
    #expect(
      lines("<div>a\(padding)b</div><div>\(padding)</div><p>می\u{200C}خواهم") == [
        "a b", "", "می\u{200C}خواهم",
      ])
    #expect(HTMLWords.text(of: "a\(padding)b") == "a b")
    #expect(SafeHTML.fragment(of: "<p>a\(padding)b</p>") == "<p>a b</p>")
  }

  @Test func `invisible elements are left out`() {
    #expect(
      lines(
        "<head><title>t</title></head><style>p{}</style><script>x<b></script>a<img src=t.gif width=1 height=1><!-- c -->"
      ) == ["a"])
  }

  @Test func `elements that hide themselves are left out with all in them`() {
    #expect(
      lines("<p>a</p><div hidden><p>b <a href=https://x.example/>c</a></p></div><p>d</p>") == ["a", "", "d"])
  }

  @Test func `line ends, rules and entities are what they mean`() {
    #expect(
      lines("a<br>b<br><br>c<hr>d &amp; &eacute;&#8217;") == ["a", "b", "", "c", "", "* * *", "", "d & é’"])
  }

  @Test func `nothing that moves a cursor is left`() {
    #expect(lines("a\u{1B}[31mb\u{202E}c\u{7}") == ["a[31mbc"])
    #expect(lines("<pre>a\u{1B}]0;x\u{7}b</pre>") == ["a]0;xb"])
  }

  @Test(arguments: [
    "div", "b", "span", "blockquote", "font", "ul", "custom-tag", "title-bar", "table", "li", "p", "a",
    "a><div", "ul><li><a",
  ])
  func `text in elements inside each other is whole, however many there are`(name: String) {
    let inside = (0..<600).map { "<\(name)>w\($0) " }.joined() + String(repeating: "</\(name)>", count: 600)
    let html = "<p>start</p>\(inside)<p><a href='https://a.example/?a>b'>AFTER</a></p><p>end <"
    let text = HTMLText(html)
    let words = text.lines(columns: 80).joined(separator: " ").split(separator: " ").filter {
      $0 != ">" && $0 != "•"
    }
    #expect(words == ["start"] + (0..<600).map { "w\($0)" } + ["AFTER[1]", "end", "<"])
    #expect(text.links == ["https://a.example/?a>b"])
    #expect(SafeHTML.fragment(of: html).contains("w599") && SafeHTML.fragment(of: html).contains("AFTER</a>"))
  }

  @Test func `broken, deep and empty documents are read`() {
    #expect(lines("") == [])
    #expect(lines("<p><b>a<i>b</p>c</b>") == ["ab", "", "c"])
    let deep = String(repeating: "<div>", count: 20_000) + "x"
    #expect(lines(deep) == ["x"])
    #expect(lines(String(repeating: "<blockquote>", count: 200) + "x").last?.hasSuffix("x") == true)
  }

  @Test func `words longer than a line are divided`() {
    #expect(lines("abcdefghijklmnopqrstuvwxyz no", columns: 10) == ["abcdefghij", "klmnopqrst", "uvwxyz no"])
  }

  @Test func `wide characters count for two, and lines end between them`() {
    #expect(lines("新聞網站。香港電台", columns: 10) == ["新聞網站。", "香港電台"])
    #expect(lines("ab 新聞網站香港", columns: 10) == ["ab 新聞網", "站香港"])
  }
}

@Suite struct DisplayWidthTests {
  @Test(arguments: [
    ("abc", 3), ("é", 1), ("e\u{301}", 1), ("新聞", 4), ("👩‍👩‍👧", 2), ("🇪🇺", 2), ("한글", 4),
    ("\u{1112}\u{1161}\u{11AB}", 2), ("", 0), ("\u{7}", 0), ("עברית", 5),
  ])
  func `a text takes as many columns as a terminal gives it`(_ text: String, _ columns: Int) {
    #expect(DisplayWidth.columns(of: text) == columns)
  }

  /// Measured in tmux 3.3a by the position of the cursor; wcwidth(3) agrees for all texts without U+200D.
  @Test(arguments: [
    ("\u{1F44D}\u{1F3FD}", 4), ("\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", 2),
    ("\u{1F469}\u{1F3FD}\u{200D}\u{1F4BB}", 4), ("\u{1F1E9}\u{1F1EA}\u{1F1EB}", 3), ("\u{2764}\u{FE0F}", 1),
    ("1\u{FE0F}\u{20E3}", 1), ("\u{231A}\u{FE0E}", 2), ("\u{1F3F3}\u{FE0F}\u{200D}\u{1F308}", 1),
    ("\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", 2), ("क्षि", 3), ("मन्त्री", 5),
    ("राष्ट्रीय", 7), ("น้ำ", 2), ("ที่", 1), ("مُحَمَّد", 4), ("a\u{200B}b\u{2060}c\u{FEFF}d", 4), ("க்ஷௌ", 3), ("ক্ষ্মী", 4),
    ("ස්\u{200D}ත්\u{200D}රී", 3), ("z\u{300}\u{301}\u{302}", 1), ("葛\u{E0100}", 2),
  ])
  func `marks and joined pictures take what terminals give them`(_ text: String, _ columns: Int) {
    #expect(DisplayWidth.columns(of: text) == columns)
  }

  @Test func `text that does not fit is cut with an ellipsis`() {
    #expect(
      DisplayWidth.cut("a\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}b", to: 3) == "a…",
      "a family stays together")
    #expect(DisplayWidth.cut("aक्षिb", to: 4) == "a…")
    #expect(DisplayWidth.cut("e\u{301}e\u{301}e\u{301}", to: 2) == "e\u{301}…")
    #expect(DisplayWidth.cut("Storm closes ports", to: 12) == "Storm close…")
    #expect(DisplayWidth.cut("Storm", to: 5) == "Storm")
    #expect(DisplayWidth.cut("\u{2068}Storm\u{2069} closes", to: 4) == "\u{2068}Sto…\u{2069}")
    #expect(DisplayWidth.cutMiddle(of: "\u{2068}Storm\u{2069} closes", to: 5) == "\u{2068}St…\u{2069}es")
    #expect(DisplayWidth.cut("新聞網站", to: 6) == "新聞…")
    #expect(DisplayWidth.padded("新", to: 4) == "新  ")
  }
}
