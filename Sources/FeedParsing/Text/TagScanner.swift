internal import Markup

/// Finds where the tags and comments of a text end. Remembers that there is no more end of a kind, so that a text of
/// beginnings alone takes no longer than any other.
struct TagScanner {
  private var hasCommentEnd = true
  private var hasTagEnd = true
  /// Where the text begins.
  private let textStart: Int

  init(textStart: Int) {
    self.textStart = textStart
  }

  /// The tag or comment at `start`: where it ends, and whether it separates words; nil when there is none.
  mutating func tag(
    in text: Span<UInt8>, at start: Int, _ markup: PlainText.Markup
  ) -> (end: Int, isBreak: Bool)? {
    var index = start + 1
    guard index < text.count else { return nil }
    if text.hasPrefix("<!--", at: start) { return endOfComment(text, from: start + 4).map { ($0, false) } }
    let isEnd = text[index] == UInt8(ascii: "/")
    if isEnd { index += 1 }
    let nameStart = index
    while index < text.count, text[index].isASCIIAlphanumeric { index += 1 }
    guard index > nameStart, text[nameStart].isASCIILetter else { return nil }
    let name = text.extracting(nameStart..<index)
    let isBreak = HTMLTag.separates(name)
    guard markup == .html || isBreak || HTMLTag.isKnown(name) else { return nil }
    guard index < text.count, text[index].isXMLSpace || text[index] == 0x2F || text[index] == 0x3E,
      let end = endOfTag(text, from: index)
    else { return nil }
    let isBare = !isEnd && end == index + 1
    if markup == .maybe, isBare, isSpokenOf(name, in: text, at: start, end: end) { return nil }
    return (end, isBreak)
  }

  /// How far the end tag is looked for, in bytes.
  private static let farthestEnd = 1024

  /// Whether a text that may be HTML speaks of a tag, as in "How to use <select>": it has no attributes, and its end tag
  /// is missing, although it wants one or would mean nothing without attributes. Letters that were to be bold to the end
  /// may begin a text that was cut.
  private func isSpokenOf(_ name: Span<UInt8>, in text: Span<UInt8>, at start: Int, end: Int) -> Bool {
    if HTMLTag.mayStandAlone(name) || (start == textStart && HTMLTag.isOfLetters(name)) { return false }
    if HTMLTag.isVoid(name) { return true }
    let limit = min(text.count, end + Self.farthestEnd)
    var index = end
    while let open = text.firstIndex(of: UInt8(ascii: "<"), from: index), open < limit {
      index = open + 1
      let isOfName =
        text.hasPrefix("</", at: open) && text.count - open > name.count + 2
        && HTMLTag.isSame(text.extracting((open + 2)..<(open + 2 + name.count)), name)
      if isOfName, !text[open + 2 + name.count].isASCIIAlphanumeric { return false }
    }
    return true
  }

  private mutating func endOfComment(_ text: Span<UInt8>, from start: Int) -> Int? {
    guard hasCommentEnd else { return nil }
    var end = start
    while end < text.count, !text.hasPrefix("-->", at: end) { end += 1 }
    hasCommentEnd = end < text.count
    return hasCommentEnd ? end + 3 : nil
  }

  /// Behind the `>` that ends a tag; quotation marks hide it.
  private mutating func endOfTag(_ text: Span<UInt8>, from start: Int) -> Int? {
    guard hasTagEnd else { return nil }
    var quote: UInt8 = 0
    for index in start..<text.count {
      let byte = text[index]
      if quote != 0 {
        if byte == quote { quote = 0 }
      } else if byte == 0x22 || byte == 0x27 {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        return index + 1
      }
    }
    let end = text.firstIndex(of: UInt8(ascii: ">"), from: start)
    hasTagEnd = end != nil
    return end.map { $0 + 1 }
  }
}
