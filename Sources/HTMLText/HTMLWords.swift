internal import Markup

/// Extracts the words in HTML for a search index: visible text, with decoded references, and picture
/// descriptions.
///
/// Every tag becomes a space, except tags that may occur inside a word. Simple documents are read without a
/// tree, many times as fast as by ``HTMLText``.
public enum HTMLWords {
  /// Returns the words without HTML markup; plain text is returned unchanged.
  public static func text(of html: String) -> String {
    guard html.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else {
      return html
    }
    var html = html
    var words: [UInt8] = []
    html.withUTF8 { unsafe append(wordsOf: $0.span, to: &words) }
    return String(decoding: words, as: UTF8.self)
  }

  /// Appends the words in HTML that is UTF-8, as ``text(of:)`` returns them.
  public static func append(wordsOf html: Span<UInt8>, to words: inout [UInt8]) {
    let start = words.count
    words.reserveCapacity(start + html.count)
    if !SimpleWords.append(html, to: &words) {
      var writer = WordsWriter()
      swap(&writer.result, &words)
      HTMLTree(html).visit(&writer)
      writer.endReadings()
      swap(&writer.result, &words)
    }
    removePadding(from: start, of: &words)
  }

  private static func removePadding(from start: Int, of words: inout [UInt8]) {
    guard InvisiblePadding.isPart(of: words.span.extracting(start...)) else { return }
    var kept = Array(words[..<start])
    InvisiblePadding.split(words.span.extracting(start...)) { kept.append($0) }
    words = kept
  }

  /// Returns whether two HTML texts in UTF-8 have the same words, ignoring markup and white space between
  /// them.
  public static func areSame(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
    var (left, right): ([UInt8], [UInt8]) = ([], [])
    append(wordsOf: one.span, to: &left)
    append(wordsOf: other.span, to: &right)
    var (index, place) = (left.firstWord(from: 0), right.firstWord(from: 0))
    while index < left.count, place < right.count {
      let endsWord = left.isSpace(at: index)
      guard endsWord == right.isSpace(at: place) else { return false }
      if endsWord {
        (index, place) = (left.firstWord(from: index), right.firstWord(from: place))
        // White space ends one text.
        if (index == left.count) != (place == right.count) { return false }
      } else {
        guard left[index] == right[place] else { return false }
        (index, place) = (index + 1, place + 1)
      }
    }
    return left.firstWord(from: index) == left.count && right.firstWord(from: place) == right.count
  }

  /// Returns whether two HTML texts have the same tags in the same order, ignoring the words between them.
  public static func haveSameTags(_ one: String, _ other: String) -> Bool { tags(of: one) == tags(of: other) }

  private static func tags(of html: String) -> [[UInt8]] {
    let bytes = Array(html.utf8)
    var tokenizer = HTMLTokenizer(size: bytes.count)
    var tags: [[UInt8]] = []
    while true {
      switch tokenizer.next(bytes.span) {
      case .start(let tag):
        tags.append(Array(bytes[tokenizer.tagRange]))
        if let content = HTMLTokenizer.Content(of: tag.tag) { tokenizer.read(content, of: tag) }
      case .end, .doctype: tags.append(Array(bytes[tokenizer.tagRange]))
      case .text: break
      case .endOfDocument: return tags
      }
    }
  }
}

/// Writes a document's words, and a space for each tag that ends a word.
struct WordsWriter: HTMLWriter {
  var result: [UInt8] = []
  var isFallback = false
  /// The readings above ideographs. They follow their block, because a word may go on after its reading.
  private var readings: [UInt8] = []
  /// The number of open reading elements.
  private var openReadings = 0
  /// The position of the open superscript, if it may be a footnote number.
  private var footnote: Int?

  mutating func take(_ text: HTMLTree.Slice, of tree: HTMLTree) {
    if openReadings > 0 {
      readings.append(tree.text.span.extracting(text.range))
    } else {
      result.append(tree.text.span.extracting(text.range))
    }
  }

  mutating func enter(_ element: HTMLTree.Index, _ tag: HTMLTag, of tree: HTMLTree) -> Bool {
    if !isInline(element, tag, tree) { addSpace() }
    if tag == .sup { footnote = result.placeOfFootnote }
    switch tree.meaning(of: element, tag) {
    case .hidden, .checkbox: return false
    case .content:
      if tag == .rt || tag == .rtc {
        if openReadings == 0, !readings.isEmpty { readings.append(UInt8(ascii: " ")) }
        openReadings += 1
      }
      return true
    case .text(let slice):
      take(slice, of: tree)
      addSpace()
      return false
    case .fallback(let slice):
      visit(fallback: slice, of: tree)
      addSpace()
      return false
    case .reference(let reference, let showsContent):
      for words in reference.words {
        take(words, of: tree)
        addSpace()
      }
      return showsContent
    }
  }

  mutating func leave(_ element: HTMLTree.Index, _ tag: HTMLTag, of tree: HTMLTree) {
    if tag == .rt || tag == .rtc { openReadings -= 1 }
    if tag == .sup { result.separateFootnote(at: &footnote) }
    if !isInline(element, tag, tree) { addSpace() }
  }

  /// Returns whether an element may begin or end inside a word, as unknown elements may.
  private func isInline(_ element: HTMLTree.Index, _ tag: HTMLTag, _ tree: HTMLTree) -> Bool {
    Self.inline.contains(tag) || tag == .other && tree.nodes[Int(element)].namespace == .html
  }

  /// Ends a word.
  private mutating func addSpace() {
    if openReadings > 0 {
      readings.append(UInt8(ascii: " "))
    } else {
      endReadings()
    }
  }

  /// Ends a word, and adds the readings above the previous words.
  mutating func endReadings() {
    result.append(UInt8(ascii: " "))
    guard !readings.isEmpty else { return }
    result += readings
    result.append(UInt8(ascii: " "))
    readings.removeAll(keepingCapacity: true)
  }

  /// Elements that may begin or end inside a word.
  static let inline: TagSet = [
    .a, .abbr, .acronym, .b, .bdi, .bdo, .big, .cite, .code, .data, .dfn, .em, .font, .i, .ins, .kbd, .mark,
    .nobr, .q, .rb, .rt, .rtc, .ruby, .s, .samp, .small, .span, .strike, .strong, .sub, .sup, .time, .tt, .u,
    .var, .wbr,
  ]
}

/// Footnote numbers in superscripts, which do not belong to the word before them. Units and powers follow
/// shorter words, such as `km`.
extension [UInt8] {
  /// The position for a final superscript that may be a footnote number; nil after a short word.
  var placeOfFootnote: Int? {
    count >= 3 && suffix(3).allSatisfy { $0.isASCIILetter || $0 >= 0x80 } ? count : nil
  }

  /// Inserts a space before the superscript that began at `start` and ends here, if it is a short number.
  mutating func separateFootnote(at start: inout Int?) {
    guard let place = start.take(), (place + 1...place + 8).contains(count), self[place].isASCIIDigit else {
      return
    }
    insert(UInt8(ascii: " "), at: place)
  }
}

extension [UInt8] {
  /// Returns whether white space is at an index: ASCII, or the first byte of a no-break space.
  fileprivate func isSpace(at index: Int) -> Bool {
    self[index] <= 0x20 || (self[index] == 0xC2 && index + 1 < count && self[index + 1] == 0xA0)
  }

  /// Returns the first index from `start` on that is not white space; the byte count without one.
  fileprivate func firstWord(from start: Int) -> Int {
    var index = start
    while index < count, isSpace(at: index) { index += self[index] == 0xC2 ? 2 : 1 }
    return index
  }
}
