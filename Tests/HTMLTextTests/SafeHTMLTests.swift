import HTMLText
import TestSupport
import Testing

@Suite struct SafeHTMLTests {
  @Test(arguments: [
    ("<p>One <b>bold</b> &amp; <i>it</i></p>", "<p>One <b>bold</b> &amp; <i>it</i></p>"),
    ("plain < text & more", "<p>plain &lt; text &amp; more</p>"),
    ("<h1>A</h1><h3>B</h3>", "<h4>A</h4><h5>B</h5>"),
    (
      "<a href=\"https://x.example/?a=1&amp;b='\" onclick=\"x()\" style=\"color:red\" class=c id=d target=_top>l</a>",
      "<a href=\"https://x.example/?a=1&amp;b=&#39;\" rel=\"noopener noreferrer nofollow\">l</a>"
    ),
    (
      "<img src=\"https://x.example/p.png\" alt=\"A 'p'\">",
      "<a class=\"media\" href=\"https://x.example/p.png\" rel=\"noopener noreferrer nofollow\">image: A &#39;p&#39;</a>"
    ),
    (
      "<a href=\"https://x.example/\"><img src=\"https://x.example/p.png\"></a>",
      "<a href=\"https://x.example/\" rel=\"noopener noreferrer nofollow\"><span class=\"media\">image</span></a>"
    ),
    ("<img src=\"https://x.example/1.gif\" width=1 height=1>", ""),
    (
      "<iframe src=\"https://x.example/f\"><p>in</p></iframe>",
      "<a class=\"media\" href=\"https://x.example/f\" rel=\"noopener noreferrer nofollow\">embedded page</a>"
    ),
    ("<p lang=\"fr\" dir=\"RTL\">x</p>", "<p lang=\"fr\" dir=\"rtl\">x</p>"),
    ("<p lang=\"fr' x\" dir=\"up\">x</p>", "<p>x</p>"),
    (
      "<table><tr><td colspan=2 rowspan=x>c</td></tr></table>",
      "<table><tr><td colspan=\"2\">c</td></tr></table>"
    ),
    ("<ol start=3><li value=4>x</ol>", "<ol start=\"3\"><li value=\"4\">x</li></ol>"),
    ("<ol reversed type=a><li type=x>x</ol>", "<ol reversed type=\"a\"><li>x</li></ol>"),
    ("<p id=a>x <a href='#a'>y</a></p>", "<p>x <a>y</a></p>"),
    ("<form action=x><input value=y><button>b</button>text</form>", "btext"),
    ("<div hidden>x</div><br>y<hr>", "<br>y<hr>"),
    ("<table><tbody><tr><td>a</tbody></table>", "<table><tbody><tr><td>a</td></tr></tbody></table>"),
    ("<pre>\n\n a</pre>", "<pre>\n\n a</pre>"), ("<li><input type=checkbox checked>a", "<li>[x] a</li>"),
    (
      "<img data-src=\"https://x.example/p\" title=t>",
      "<a class=\"media\" href=\"https://x.example/p\" rel=\"noopener noreferrer nofollow\">image: t</a>"
    ),
    ("<math alttext=\"x^2\"><mi>x</mi></math><template>t</template>", "x^2"),
    ("<object><p>a</p></object><video><p>b</p></video>", "<p>a</p><p>b</p>"),
    ("<p style=\"display:none\">x</p>y", "y"), ("<p>a<button><p>b</button></p>c", "<p>ab</p>c"),
    ("<p lang=\"de_AT\">x</p>", "<p lang=\"de-AT\">x</p>"), ("<p lang=german>x</p>", "<p>x</p>"),
    (
      "<a href=' https://x.example/a b\n'>x</a><a href='java\nscript:x'>y</a>",
      "<a href=\"https://x.example/a%20b\" rel=\"noopener noreferrer nofollow\">x</a><a>y</a>"
    ),
    (
      "<img src='https://x.example/a b'>",
      "<a class=\"media\" href=\"https://x.example/a%20b\" rel=\"noopener noreferrer nofollow\">image</a>"
    ),
    ("", ""),
  ])
  func `structure stays, and nothing that acts or loads`(html: String, expected: String) {
    let safe = SafeHTML.fragment(of: html)
    #expect(safe == expected || safe == "<p>\(expected)</p>" || "<p>\(safe)</p>" == expected, "\(safe)")
  }

  @Test(arguments: [
    ("<a href=#n>1</a><p id=n>2</p>", "<a href=\"#p-n\">1</a><p id=\"p-n\">2</p>"),
    (
      "<a href='#%C3%A4'>1</a><a name=ä id=ä>2</a>", "<a href=\"#p-~c3~~a4~\">1</a><a id=\"p-~c3~~a4~\">2</a>"
    ),
    ("<a href='https://x.example/a#n'>1</a><b id=n>2</b>", "<a href=\"#p-n\">1</a><b id=\"p-n\">2</b>"),
    (
      "<a href=#n>1</a><b id=m>2</b>",
      "<a href=\"https://x.example/a#n\" rel=\"noopener noreferrer nofollow\">1</a><b>2</b>"
    ),
    ("<a href=#>1</a><a name=n>2</a>", "<a>1</a><a>2</a>"),
    ("<a href='#\"x'>1</a><i id='\"x'>2</i>", "<a href=\"#p-~22~x\">1</a><i id=\"p-~22~x\">2</i>"),
  ])
  func `a link inside of a text leads to its place, or to the text's page`(html: String, expected: String) {
    #expect(SafeHTML.fragment(of: html, anchorPrefix: "p-", page: "https://x.example/a#top") == expected)
  }

  @Test(arguments: [
    ("<a href=#h>1</a><hr id=h>", "<a href=\"#p-h\">1</a><span id=\"p-h\"></span><hr>"),
    ("<a href=#h>1</a><p hidden id=h>x</p>", "<a>1</a>"),
    (
      "<a href=#i>1</a><p><img id=i src=https://x.example/ alt=x></p>",
      "<a href=\"#p-i\">1</a><p><span id=\"p-i\"></span><a class=\"media\" href=\"https://x.example/\" rel=\"noopener noreferrer nofollow\">image: x</a></p>"
    ),
    (
      "<a href=#l>1</a><label id=l>x</label><p id=l>y</p>",
      "<a href=\"#p-l\">1</a><span id=\"p-l\"></span>x<p>y</p>"
    ),
  ])
  func `a link inside of a document leads to the first element with the name that is shown`(
    html: String, expected: String
  ) {
    #expect(SafeHTML.fragment(of: html, anchorPrefix: "p-") == expected)
  }

  @Test(arguments: [
    ("http:\\\\x.example\\a\\b?c\\d", "http://x.example/a/b?c%5Cd"),
    ("https:\\\\x.example\\a b", "https://x.example/a%20b"),
    ("java\\script:x", nil), ("mailto:a\\b@x.example", nil),
  ])
  func `a backslash in the path of a link is a slash`(address: String, expected: String?) {
    let link = expected.map { "<a href=\"\($0)\" rel=\"noopener noreferrer nofollow\">x</a>" } ?? "<a>x</a>"
    #expect(SafeHTML.fragment(of: "<a href='\(address)'>x</a>") == link)
  }

  @Test func `lines of plain text keep their indentation`() {
    #expect(SafeHTML.fragment(of: "  a<br>\n\tb  c") == "&nbsp;&nbsp;a<br>\n&nbsp;&nbsp;&nbsp;&nbsp;b  c")
  }

  @Test func `no character that controls a terminal is written as it is`() {
    #expect(SafeHTML.escaped("a\u{202E}b\u{1B}[2Jc\u{9B}d\re\u{7F}") == "a&#8238;b[2Jcd&#13;e")
    let plain = "é ÿ ж ‑ 日本 \u{FFFD} 🚢 \u{10FFFD}\t\n"
    #expect(SafeHTML.escaped(plain) == plain)
    #expect(
      SafeHTML.escaped("\u{FFFE}<\u{2028}é\u{61C}\u{1FFFF}'\u{85}\u{FEFF}`🚢")
        == "&lt;&#8232;é&#1564;&#39;&#65279;&#96;🚢")
  }

  /// Texts that break careless sanitisers: other namespaces, raw text, comments, references, damaged tags.
  static let hostile = [
    "<script>alert(1)</script>", "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</script>",
    "<img src=x onerror=alert(1)>", "<img src=\"javascript:alert(1)\">", "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>", "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<svg></p><style><a id=\"</style><img src=1 onerror=alert(1)>\">",
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
    "<noembed><img title=\"</noembed><img src onerror=alert(1)>\"></noembed>",
    "<template><script>alert(1)</script></template>", "<textarea></textarea><script>alert(1)</script>",
    "<title></title><img src=x onerror=alert(1)>", "<xmp><img src=x onerror=alert(1)></xmp>",
    "<plaintext><script>alert(1)", "<!--><img src=x onerror=alert(1)>-->",
    "<!-- --!><img src=x onerror=alert(1)> -->",
    "<![CDATA[<img src=x onerror=alert(1)>]]>", "<?php <img src=x onerror=alert(1)> ?>",
    "<!-- never closed <p>",
    "<a href=\"javascript:alert(1)\">x</a>", "<a href=\"JaVaScRiPt:alert(1)\">x</a>",
    "<a href=\" javascript:alert(1)\">x</a>", "<a href=\"java\tscript:alert(1)\">x</a>",
    "<a href=\"java\nscript:alert(1)\">x</a>", "<a href=\"&#106;avascript:alert(1)\">x</a>",
    "<a href=\"&#x6A&#x61vascript:alert(1)\">x</a>", "<a href=\"\u{1}javascript:alert(1)\">x</a>",
    "<a href=\"data:text/html,<script>alert(1)</script>\">x</a>", "<a href=\"vbscript:x\">x</a>",
    "<a href=\"https://x.example/\" onmouseover=\"alert(1)\">x</a>",
    "<p style=\"background:url(//evil.example)\">x</p>",
    "<link rel=stylesheet href=//evil.example>", "<style>@import '//evil.example'</style>",
    "<meta http-equiv=refresh content=\"0;url=javascript:alert(1)\">", "<base href=\"//evil.example/\">",
    "<iframe srcdoc=\"<script>alert(1)</script>\"></iframe>",
    "<object data=\"javascript:alert(1)\"></object>",
    "<embed src=\"javascript:alert(1)\">", "<video><source onerror=alert(1)></video>",
    "<form action=\"javascript:alert(1)\"><button>x</button></form>", "<isindex action=javascript:alert(1)>",
    "<a name=getElementById id=body>x</a>", "<img src=\"`\" alt=\"`onerror=alert(1)\">",
    "<div id=\"x\" class=\"y\">z</div>", "</div></article></main></body><script>alert(1)</script>",
    "<p title='\"><script>alert(1)</script>'>x</p>", "<abbr title='\"><script>alert(1)</script>'>x</abbr>",
    "<b <script>alert(1)</script>0", "<a/href=javascript&colon;alert(1)>x</a>", "<x onclick=alert(1)>y</x>",
    "<a href=https://x.example/\"onclick=alert(1)>x</a>", "\u{FEFF}<script>alert(1)</script>",
    "<p>\u{0}<scr\u{0}ipt>alert(1)</script>", "<a href=\"https:\\\\evil.example\">x</a>",
    "<math><annotation-xml encoding=\"text/html\"><script>alert(1)</script></annotation-xml></math>",
    "<select><option><style></option></select><b><img src=1 onerror=alert(1)></style></option></select>",
    String(repeating: "<div>", count: 5000) + "deep<script>alert(1)</script>",
    String(repeating: "<b><i>", count: 300) + "x", "<table><a href=javascript:alert(1)><td>x",
  ]

  /// A tag as the writer writes it.
  private static var tag: Regex<(Substring, Substring, Substring, Substring)> {
    #/<(\/?)([a-z0-9]+)((?: (?:href|rel|class|lang|dir|colspan|rowspan|start|value|span|scope|title)="[^"<>]*")*)>/#
  }
  private static let names: Set<Substring> = [
    "a", "abbr", "b", "bdi", "bdo", "blockquote", "br", "caption", "cite", "code", "col", "colgroup", "dd",
    "del", "dfn",
    "div", "dl", "dt", "em", "figcaption", "figure", "h4", "h5", "h6", "hr", "i", "ins", "kbd", "li", "mark",
    "ol", "p",
    "pre", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strong", "sub", "sup", "table", "tbody",
    "td", "tfoot",
    "th", "thead", "time", "tr", "u", "ul", "var", "wbr",
  ]

  private static func check(_ html: String) {
    let safe = SafeHTML.fragment(of: html)
    var open: [Substring] = []
    for match in safe.matches(of: tag) {
      let (_, end, name, attributes) = match.output
      #expect(names.contains(name), "\(html) -> \(safe)")
      for address in attributes.matches(of: #/href="([^"]*)"/#).map(\.output.1) {
        #expect(address.hasPrefix("http://") || address.hasPrefix("https://") || address.hasPrefix("mailto:"))
      }
      if ["br", "hr", "wbr"].contains(name) { continue }
      if end.isEmpty { open.append(name) } else { #expect(open.popLast() == name, "\(html) -> \(safe)") }
    }
    #expect(open.isEmpty, "\(html) -> \(safe)")
    // The rest has no character that could begin a tag or a comment.
    let rest = safe.replacing(tag, with: "")
    #expect(!rest.contains("<") && !rest.contains(">"), "\(html) -> \(safe)")
  }

  @Test(arguments: hostile)
  func `nothing hostile comes through`(html: String) {
    Self.check(html)
    Self.check("<p>" + html + "</p>")
    Self.check("<svg>" + html + "<math>" + html)
  }

  @Test(arguments: hostile)
  func `safe HTML is not changed`(html: String) {
    let safe = SafeHTML.fragment(of: html)
    let again = SafeHTML.fragment(of: safe)
    let names = again.matches(of: Self.tag).map(\.output.2)
    #expect(Set(names).isSubset(of: Self.names))
    #expect(SafeHTML.fragment(of: again) == again)
  }

  @Test(arguments: seeds(200))
  func `broken pieces in any order make nothing hostile`(seed: Int) {
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
    func next(_ count: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % UInt64(count))
    }
    var html = ""
    for _ in 0..<(2 + next(6)) {
      let piece = Array(Self.hostile[next(Self.hostile.count)].prefix(400))
      let start = next(max(1, piece.count))
      html += String(piece[start..<min(piece.count, start + 1 + next(60))])
    }
    Self.check(html)
  }

  @Test func `an address is one of the web or of mail, as browsers read it`() {
    for address in ["https://x.example/", "HTTP://x.example", "mailto:a@x.example"] {
      #expect(SafeHTML.isSafe(address))
    }
    for address in [
      "javascript:x", "java\tscript:x", "//x.example", "/x", "", "https:x", "ht\ntps://x", "data:,x",
      "ftp://x",
    ] {
      #expect(!SafeHTML.isSafe(address))
    }
  }
}
