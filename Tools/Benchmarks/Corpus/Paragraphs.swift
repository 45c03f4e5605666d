import TextOutput

/// Paragraphs of HTML that bodies are composed of. They are created once, so that a corpus of a gigabyte is written
/// at the speed of the disk.
struct Paragraphs: Sendable {
  /// A piece of a body, unescaped and escaped.
  struct Piece: Sendable {
    /// The HTML. It is well-formed XML too, so that XHTML may contain it.
    var html: [UInt8]
    var escaped: [UInt8]
  }

  let language: Language
  private let pieces: [Piece]

  init(_ language: Language, seed: UInt64) {
    self.language = language
    var dice = Dice(seed: seed, language.words.count, 7)
    pieces = (0..<400).map { _ in
      let html = Self.paragraph(language, &dice)
      return Piece(html: Array(html.utf8), escaped: Array(XMLText.escaped(html, keepsLines: true).utf8))
    }
  }

  /// Returns pieces with at least a total size in bytes of HTML; none for 0.
  func body(bytes: Int, _ dice: inout Dice) -> [Piece] {
    var body: [Piece] = []
    var size = 0
    while size < bytes {
      let piece = pieces[dice.roll(pieces.count)]
      size += piece.html.count
      body.append(piece)
    }
    return body
  }

  func words(_ count: Int, _ dice: inout Dice) -> String {
    (0..<count).map { _ in dice.pick(language.words) }.joined(separator: " ")
  }

  private static func paragraph(_ language: Language, _ dice: inout Dice) -> String {
    let text = (0..<(8 + dice.roll(70))).map { _ in word(language, &dice) }.joined(separator: " ")
    switch dice.roll(20) {
    case 0, 1:
      let number = dice.roll(1_000_000)
      return """
        <figure class="wp-block-image size-large"><img loading="lazy" width="1024" height="683" \
        src="https://images.example.org/2024/05/photo-\(number)-1024x683.jpg" alt="\(dice.pick(language.words))" \
        /></figure>\n<p>\(text)</p>\n
        """
    case 2:
      let entries = (0..<4).map { _ in "<li>\(word(language, &dice)) \(word(language, &dice))</li>\n" }
      return "<p>\(text)</p>\n<ul>\n\(entries.joined())</ul>\n"
    case 3: return "<blockquote class=\"quote\"><p>\(text)</p></blockquote>\n"
    case 4: return "<h2 id=\"part-\(dice.roll(99))\">\(dice.pick(language.words))</h2>\n<p>\(text)</p>\n"
    default: return "<p>\(text)</p>\n"
    }
  }

  private static func word(_ language: Language, _ dice: inout Dice) -> String {
    let word = dice.pick(language.words)
    switch dice.roll(100) {
    case 0, 1:
      let path = "\(dice.roll(1_000_000))/\(dice.roll(99))"
      return "<a href=\"https://www.example.org/\(path)?from=feed&amp;n=2\" rel=\"nofollow\">\(word)</a>"
    case 2: return "<strong>\(word)</strong>"
    case 3: return "<em>\(word)</em>"
    case 4: return dice.pick(["&amp;", "&#8217;", "&#160;", "&lt;b&gt;", "&quot;\(word)&quot;"])
    case 5...10: return word + dice.pick([",", ".", ";", "!"])
    default: return word
    }
  }
}
