internal import Markup

/// Finds the ends of tags and comments in a text.
///
/// It remembers that a text has no more ends of one kind, so a text with nothing but tag beginnings takes
/// linear time.
struct TagScanner {
  private var hasCommentEnd = true
  private var hasTagEnd = true
  private let textStart: Int

  init(textStart: Int) {
    self.textStart = textStart
  }

  /// Returns the end of the tag or comment at `start`, and whether it separates words; nil if no tag begins
  /// there.
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
    if markup == .maybe, isBare, isMentioned(name, in: text, at: start, end: end) { return nil }
    return (end, isBreak)
  }

  /// The farthest distance to an end tag, in bytes.
  private static let farthestEnd = 1024

  /// Returns whether a text that may be HTML only mentions a tag, as in "How to use <select>".
  ///
  /// Such a tag has no attributes, and its end tag is missing, or it has no meaning without attributes. A tag
  /// that changes letters at the text's start is not a mention, because the text may have been cut.
  private func isMentioned(_ name: Span<UInt8>, in text: Span<UInt8>, at start: Int, end: Int) -> Bool {
    if HTMLTag.mayStandAlone(name) || (start == textStart && HTMLTag.changesLetters(name)) { return false }
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

  /// Returns the index after the `>` that ends a tag; a `>` in quotation marks does not count.
  private mutating func endOfTag(_ text: Span<UInt8>, from start: Int) -> Int? {
    guard hasTagEnd else { return nil }
    let end = text.endOutsideQuotes(from: start) ?? text.firstIndex(of: UInt8(ascii: ">"), from: start)
    hasTagEnd = end != nil
    return end.map { $0 + 1 }
  }
}

/// The properties of HTML tags.
enum HTMLTag {
  /// Returns whether the tag begins or ends a line.
  static func separates(_ name: Span<UInt8>) -> Bool { breaks.contains(name.hashIgnoringCase) }

  /// Returns whether the tag exists in HTML.
  static func isKnown(_ name: Span<UInt8>) -> Bool {
    others.contains(name.hashIgnoringCase) || breaks.contains(name.hashIgnoringCase)
  }

  /// Returns whether the tag has no end tag.
  static func isVoid(_ name: Span<UInt8>) -> Bool { voids.contains(name.hashIgnoringCase) }

  /// Returns whether the tag has a meaning without attributes and without an end tag.
  static func mayStandAlone(_ name: Span<UInt8>) -> Bool { alone.contains(name.hashIgnoringCase) }

  /// Returns whether the tag changes how letters appear.
  static func changesLetters(_ name: Span<UInt8>) -> Bool { letters.contains(name.hashIgnoringCase) }

  /// Returns whether two names are equal, ignoring case.
  static func isSame(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    for index in 0..<one.count where one[index].asciiLowercased != other[index].asciiLowercased {
      return false
    }
    return true
  }

  private static let alone = table("br dd dt hr li option p td th tr wbr")

  private static let letters = table(
    "a b big blink center em font i marquee s small span strike strong sub sup tt u")

  private static let breaks = table(
    """
    address article aside blockquote br center dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 \
    h6 header hr li main nav ol p pre section table tbody td tfoot th thead tr ul
    """)

  private static let others = table(
    """
    a abbr acronym applet area audio b base basefont bdi bdo big body button canvas caption cite code col colgroup \
    data datalist del details dfn dialog em embed font frame frameset head html i iframe img input ins kbd label \
    legend link map mark meta meter noscript object optgroup option output param picture progress q rp rt ruby s \
    samp script select small source span strike strong style sub summary sup svg template textarea time title \
    track tt u var video wbr blink marquee
    """)

  private static let voids = table(
    "area base br col embed hr img input link meta param source track wbr")

  private static func table(_ words: String) -> Set<UInt64> {
    Set(words.split(separator: " ").map { Array($0.utf8).span.hashIgnoringCase })
  }
}
