/// Numbers that only look random: the same seed gives the same ones.
struct SeededNumbers {
  private var state: UInt64

  init(_ seed: Int) { state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 | 1 }

  /// Returns a number below another one.
  mutating func next(_ count: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(max(1, count)))
  }

  mutating func one<Element>(of elements: [Element]) -> Element { elements[next(elements.count)] }
}

/// Documents of random tags and texts.
enum RandomHTML {
  static let simple = [
    "p", "div", "b", "i", "a", "span", "ul", "ol", "li", "h1", "h2", "br", "hr", "blockquote", "em", "code",
    "dl", "dt",
    "dd", "pre", "p-x", "figure", "figcaption", "img", "sup", "q",
  ]
  static let all =
    simple + [
      "table", "tr", "td", "th", "tbody", "caption", "colgroup", "col", "form", "button", "select", "option",
      "font",
      "nobr", "object", "svg", "math", "mtext", "mi", "foreignObject", "title", "ruby", "rt", "rp", "del",
      "details",
      "body", "html", "head", "frameset", "input", "custom-tag", "annotation-xml", "center", "address",
      "marquee",
      "picture", "source", "video",
    ]
  /// Elements with content that is not shown, or read in another way.
  static let hiding = [
    "template", "script", "style", "noscript", "textarea", "iframe", "xmp", "noembed", "noframes",
    "plaintext",
  ]

  /// Returns a document of random elements, mostly well nested.
  static func nested(_ numbers: inout SeededNumbers, of names: [String], depth: Int = 0) -> String {
    var html = ""
    for _ in 0..<(1 + numbers.next(5)) {
      let name = numbers.one(of: names)
      switch numbers.next(12) {
      case 0...3: html += text(&numbers)
      case 4: html += "<\(name)>"
      case 5 where numbers.next(4) == 0: html += "</\(name)>"
      case 6:
        html += numbers.one(of: [
          "<!-- x -->", "<!-->", "<!--a--!>", " < ", "&amp;", "&eacute", "&nbsp;", "<br/>",
        ])
      default:
        html += "<\(name)\(attributes(&numbers))>"
        html += depth < 4 ? nested(&numbers, of: names, depth: depth + 1) : text(&numbers)
        if numbers.next(8) > 0 { html += "</\(name)>" }
      }
    }
    return html
  }

  /// Returns tags in any order.
  static func tags(_ numbers: inout SeededNumbers, of names: [String], count: Int) -> String {
    (0..<count).map { _ in
      switch numbers.next(4) {
      case 0: text(&numbers)
      case 1: "</\(numbers.one(of: names))>"
      default: "<\(numbers.one(of: names))\(attributes(&numbers))>"
      }
    }.joined()
  }

  private static func text(_ numbers: inout SeededNumbers) -> String {
    "w\(numbers.next(1000))" + (numbers.next(3) == 0 ? " " : "")
  }

  private static func attributes(_ numbers: inout SeededNumbers) -> String {
    guard numbers.next(3) == 0 else { return "" }
    return numbers.one(of: [
      " class='c d'", " alt=\"a &amp; b\" src=x", " title='t'", " width=1", " width=\"640\"",
      " href='https://a.example/?a&b'",
      " x=y/", " alt=é title=é", " data-src=\"https://a.example/\"", " \"", " =", " style='color:red'",
      " alt='&copy=1'", " alt='' alt=x",
    ])
  }
}
