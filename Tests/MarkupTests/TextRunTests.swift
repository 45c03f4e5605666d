import Testing

@testable import Markup

@Suite struct TextRunTests {
  @Test(arguments: [
    ("text</a>", 4, false), ("text", 4, true), ("a\nb<", 3, false), ("a]>b<", 4, false),
    // libxml2 reads a possible end of CDATA outside of CDATA.
    ("a]]>b<", 1, false), ("a]]", 1, false), ("a]", 1, false), ("a]<", 2, false), ("", 0, true),
    ("<", 0, false),
  ])
  func `a run goes as far as nothing else can be meant`(text: String, end: Int, isOpen: Bool) {
    let run = TextRun(in: Array(text.utf8).span, from: 0)
    #expect(run.end == end && run.isOpen == isOpen)
  }

  @Test(arguments: [
    ("&lt;", 0x3C, 4), ("&gt;x", 0x3E, 4), ("&amp;", 0x26, 5), ("&apos;", 0x27, 6), ("&quot;", 0x22, 6),
    ("&#8217;", 0x2019, 7), ("&#x1F388;", 0x1F388, 9), ("&#xe9;", 0xE9, 6), ("&#10;", 0x0A, 5),
    ("&nbsp;", nil, 0), ("&amp", nil, 0), ("&#39", nil, 0), ("&#;", nil, 0), ("&#x;", nil, 0), ("&", nil, 0),
    ("&#", nil, 0),
    ("&#13;", nil, 0), ("&#0;", nil, 0), ("&#146;", nil, 0), ("&#xD83C;", nil, 0), ("&#xFFFE;", nil, 0),
    ("&#x110000;", nil, 0), ("&#000000039;", nil, 0), ("&#3x9;", nil, 0), ("&LT;", nil, 0),
    ("&#X27;", nil, 0),
  ])
  func `a reference is plain that means the same everywhere`(text: String, scalar: UInt32?, end: Int) {
    let expected = scalar.map { PlainReference($0, end: end) }
    #expect(PlainReference(in: Array(text.utf8).span, at: 0) == expected)
  }
}
