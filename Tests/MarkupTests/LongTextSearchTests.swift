import Testing

@testable import Markup

@Suite struct LongTextSearchTests {
  private static let long = String(repeating: "long ", count: 40)

  @Test(
    arguments: [
      ("<a><![CDATA[short]]></a>", []), ("<a><![CDATA[cut", [.section(12)]),
      ("<![CDATA[\(long)]]>", [.section(9)]), ("<![CDATA[]]><![CDATA[\(long)", [.section(21)]),
      ("[CDATA[<![CDATA[\(long)", [.section(16)]), ("[[[", []), ("", []),
      ("<a>short</a>", []), ("<a>\(long)</a>", [.run(3)]), ("<a>\(long)", [.run(3)]), ("\(long)<a>b</a>", []),
      ("<a b='\(long)'>short</a>", []), ("<a b='\(long)'>\(long)</a>", [.run(208)]),
      ("<a><b/></a><c><d>\(long)</d><e>\(long)</e>", [.run(17), .run(224)]),
      ("<a>\(long)<![CDATA[\(long)]]>\(long)", [.run(3), .section(212)]),
      ("<a>\(long)<![CDATA[b]]>c</a><![CDATA[\(long)", [.run(3), .section(230)]),
    ] as [(String, [LongTextSearch.Text])])
  func `text is found that is worth a call`(document: String, expected: [LongTextSearch.Text]) {
    let bytes = Array(document.utf8)
    var search = LongTextSearch()
    var found: [LongTextSearch.Text] = []
    var start = 0
    while let text = search.next(in: bytes.span, from: start) {
      found.append(text)
      start = text.start
    }
    #expect(found == expected)
  }
}
