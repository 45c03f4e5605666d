import FeedParsing
import TextOutput

/// The law of HTML: titles become one line without surrounding white space, and resolved addresses do not change again.
enum HTMLLaw {
  static func check(_ input: [UInt8]) throws(Law.Violation) -> Bool {
    let text = String(decoding: input, as: UTF8.self)
    guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 || $0.value == 0x0A || $0.value == 0x09 }) else {
      return false
    }
    let first = try item(text)
    if let title = first?.title {
      try expect(!title.utf8.contains(0x0A) && !title.utf8.contains(0x09), "a title is one line")
      try expect(!title.hasPrefix(" ") && !title.hasSuffix(" "), "a title has no space around it")
      try expect(!title.utf8.elementsEqual(" ".utf8), "a title is not white space")
    }
    guard let content = first?.contentHTML else { return true }
    let again = try item(content)?.contentHTML
    try expect(again == content, "a resolved address does not change:\n\(content)\n\(again ?? "")")
    return true
  }

  /// Returns an item with `html` as title and content.
  private static func item(_ html: String) throws(Law.Violation) -> FeedItem? {
    let escaped = XMLText.escaped(html, keepsLines: true)
    let document = """
      <feed xmlns="http://www.w3.org/2005/Atom"><title>t</title><entry><id>1</id>\
      <title type="html">\(escaped)</title><content type="html">\(escaped)</content></entry></feed>
      """
    let source = DocumentSource(url: "http://example.org/a/b?c#d")
    do throws(FeedError) {
      return try ParsedFeed.parse(Array(document.utf8), source: source).items.first
    } catch { throw Law.Violation("an entry with HTML is read: \(error)") }
  }
}
