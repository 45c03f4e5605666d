import Testing

@testable import HTMLText
@testable import Markup

@Suite struct ReferenceTests {
  /// The names that need no semicolon (HTML Standard, section 13.5).
  private static let old = """
    AElig AMP Aacute Acirc Agrave Aring Atilde Auml COPY Ccedil ETH Eacute Ecirc Egrave Euml GT Iacute
    Icirc Igrave Iuml LT Ntilde Oacute Ocirc Ograve Oslash Otilde Ouml QUOT REG THORN Uacute Ucirc
    Ugrave Uuml Yacute aacute acirc acute aelig agrave amp aring atilde auml brvbar ccedil cedil cent
    copy curren deg divide eacute ecirc egrave eth euml frac12 frac14 frac34 gt iacute icirc iexcl
    igrave iquest iuml laquo lt macr micro middot nbsp not ntilde oacute ocirc ograve ordf ordm oslash
    otilde ouml para plusmn pound quot raquo reg sect shy sup1 sup2 sup3 szlig thorn times uacute ucirc
    ugrave uml uuml yacute yen yuml
    """.split(whereSeparator: \.isWhitespace).map(String.init)

  private func text(_ html: String) -> String { String(decoding: HTMLTree(html).text, as: UTF8.self) }

  private func characters(of name: String) -> String? {
    guard let (first, second) = HTMLEntity.characters(named: Array(name.utf8).span) else { return nil }
    return [first, second ?? 0].filter { $0 > 0 }.compactMap(Unicode.Scalar.init).map(String.init).joined()
  }

  @Test func `all names of characters are decoded, in texts and attributes`() {
    #expect(HTMLNames.table.count == 1873)
    for (name, (first, second)) in HTMLNames.table {
      let expected = [first, second ?? 0].filter { $0 > 0 }.compactMap(Unicode.Scalar.init).map(String.init)
        .joined()
      #expect(text("&\(name);x") == expected + "x")
      #expect(text("<img alt='&\(name);x'>") == expected + "x")
    }
  }

  @Test func `old names need no semicolon, but in addresses they must not be part of a word`() {
    #expect(Self.old.count == 106)
    for name in Self.old {
      guard let expected = characters(of: name) else {
        Issue.record("\(name) is unknown")
        continue
      }
      #expect(text("&\(name)") == expected)
      #expect(text("&\(name) x") == expected + " x")
      #expect(text("&\(name)0x") == expected + "0x")
      #expect(text("<img alt='&\(name) x'>") == expected + " x")
      #expect(text("<img alt='&\(name)=x'>") == "&\(name)=x")
      #expect(text("<img alt='&\(name)0'>") == "&\(name)0")
    }
  }

  @Test(arguments: [
    ("&notit;", "¬it;"), ("&notin;", "∉"), ("&nosuch;", "&nosuch;"), ("&", "&"), ("&;", "&;"), ("&#;", "&#;"),
    ("&#146;&#x92", "’’"), ("&#0;&#xD800;&#1114112;", "\u{FFFD}\u{FFFD}\u{FFFD}"), ("&lang;&rang;", "⟨⟩"),
    ("&NotEqualTilde;", "\u{2242}\u{338}"), ("&AMP;&amp&ampx", "&&&x"),
  ])
  func `other references are what browsers make of them`(html: String, expected: String) {
    #expect(text(html) == expected)
  }
}
