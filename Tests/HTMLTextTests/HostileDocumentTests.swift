import TestSupport
import Testing

@testable import HTMLText

/// Documents that would take too much time or memory. Nodes are counted, because a clock depends on the machine.
@Suite struct HostileDocumentTests {
  private static let size = 20_000

  private static func storm(_ piece: (Int) -> String) -> String {
    var html = ""
    var number = 0
    while html.utf8.count < size {
      html += piece(number)
      number += 1
    }
    return html
  }

  private static let storms: [String] = [
    "<p>", "</p>", "<b>", "<b><p>", "<font color=N>", "<font color=N><p>x", "<table>", "<table><tr><td>",
    "<a>", "<a><div>",
    "<a href=N><b><i><div>", "</a></b><p>", "<div>", "<template>", "<select>", "<svg>", "<svg><title>",
    "<math><mi>",
    "<object>", "<object><a>", "<li>", "<ul><li>", "<nobr>", "<button>", "<form>", "<script>", "<iframe>",
    "<td>x",
    "<table><b>x", "<table>x", "</x>", "<!--", "<!", "<", "<a b=\"", "<a b='>", "&", "&nosuchname", "&amp",
    "<noscript>",
    "<h1>", "<dd>", "<rt>", "<option>", "<frameset>", "<head>", "<body>", "<html a=N>", "<x N=N>", "<q>",
    "<sup>x",
    "<i></b></i></b>", "<p><i></b>", "<blockquote>", "<pre>", "<ol type=i reversed>", "&nbsp;",
    "<script><!--<", "\u{200C}&nbsp;",
  ]

  @Test(arguments: storms)
  func `the number of nodes grows only with the size of the document`(piece: String) {
    let html = Self.storm { piece.replacing("N", with: "\($0)") }
    let tree = HTMLTree(html)
    #expect(tree.nodes.count < 1000 + html.utf8.count, "\(tree.nodes.count)")
    #expect(tree.text.count < 1000 + 3 * html.utf8.count)
    #expect(tree.depth < 20_000, "\(tree.depth)")
  }

  @Test(arguments: [
    ("div", 20_000), ("b", 2_000), ("span", 2_000), ("table", 2_000), ("ul", 2_000), ("blockquote", 2_000),
    ("q", 2_000),
    ("x-y", 2_000), ("font", 2_000), ("object", 2_000), ("select", 2_000), ("svg", 2_000), ("math", 2_000),
  ])
  func `deep documents keep their text`(name: String, depth: Int) {
    let html =
      String(repeating: "<\(name)>", count: depth) + "text" + String(repeating: "</\(name)>", count: depth)
    #expect(HTMLText(html).lines(columns: 80).joined().contains("text"), "\(name)")
    #expect(SafeHTML.fragment(of: html).contains("text"), "\(name)")
    #expect(HTMLWords.text(of: html).contains("text"), "\(name)")
  }

  @Test(arguments: seeds(40))
  func `random bytes and tags are read`(seed: Int) {
    var numbers = SeededNumbers(seed)
    let pieces = [
      "<", ">", "/", "!", "-", "&", "#", "x", ";", "\"", "'", "=", " ", "\0", "\r", "é", "]]>", "<![CDATA[",
      "<!--", "</",
    ]
    for _ in 0..<3 {
      var html = ""
      for _ in 0..<100 {
        switch numbers.next(3) {
        case 0: html += "<\(numbers.one(of: RandomHTML.all + RandomHTML.hiding))"
        case 1: html += numbers.one(of: HTMLTag.allCases).name
        default: html += numbers.one(of: pieces)
        }
      }
      let tree = HTMLTree(html)
      #expect(tree.nodes.count < 1000 + html.utf8.count)
      _ = HTMLText(html).lines(columns: 20)
      _ = HTMLWords.text(of: SafeHTML.fragment(of: html))
      let bytes = (0..<200).map { _ in UInt8(numbers.next(256)) }
      var words: [UInt8] = []
      HTMLWords.append(wordsOf: bytes.span, to: &words)
    }
  }
}

extension HTMLTree {
  /// The number of levels.
  fileprivate var depth: Int {
    struct Depth: HTMLVisitor {
      var (depth, deepest) = (0, 0)

      mutating func enter(_ element: HTMLTree.Index, _ tag: HTMLTag, of tree: HTMLTree) -> Bool {
        depth += 1
        deepest = max(deepest, depth)
        return true
      }
      mutating func leave(_ element: HTMLTree.Index, _ tag: HTMLTag, of tree: HTMLTree) { depth -= 1 }
      mutating func take(_ text: HTMLTree.Slice, of tree: HTMLTree) {}
    }
    var visitor = Depth()
    visit(&visitor)
    return visitor.deepest
  }
}
