/// Elements without end tags: the following tags show whether an open element has one.
extension TolerantParser {
  /// The length of the longest tag name that is recorded.
  private static let longestName = 64

  /// Returns how many open elements end where an element `name` begins; nil if more bytes are needed.
  func countEnded(by name: XMLName) -> Int? {
    let ended = handler.elementsEnded(by: name)
    let certain = max(ended.certain, countEndedInText(by: name))
    let doubtful = min(ended.doubtful, open.depth)
    guard doubtful > certain, let outermost = open.name(fromTop: doubtful) else { return certain }
    ahead.drop(before: passed + position)
    guard lookAhead() else { return nil }
    return outermost.withLocalBytes { ahead.closes($0) } ? certain : doubtful
  }

  /// Returns how many open elements an end tag ends. 0 if it is misplaced inside a part with a later end tag,
  /// nil if more bytes are needed.
  func countEnded(byEndOf name: XMLName) -> Int? {
    let count = open.countClosed(byEndOf: name)
    guard count > 1, hasPart(inTop: count - 1) else { return count }
    ahead.drop(before: passed + position)
    guard lookAhead() else { return nil }
    return ahead.isClosed ? 0 : count
  }

  private func hasPart(inTop count: Int) -> Bool {
    for place in 1...count {
      if let name = open.name(fromTop: place), isPart(name) { return true }
    }
    return false
  }

  /// Returns how many open elements end where `name` begins in a text. In HTML, paragraphs, list items and
  /// table parts need no end tags (HTML Standard, section 13.1.2.4).
  private func countEndedInText(by name: XMLName) -> Int {
    guard let rule = name.withLocalBytes(Self.optionalEnd), handler.state.isInText else { return 0 }
    for count in 1...Self.farthestEnd {
      guard let open = open.name(fromTop: count), !open.isNamed(anyOf: rule.outside) else { return 0 }
      if open.isNamed(anyOf: rule.ended) { return count }
    }
    return 0
  }

  private static func optionalEnd(of name: Span<UInt8>) -> (ended: [StaticString], outside: [StaticString])? {
    // Most names need no search.
    switch name.isEmpty ? 0 : name[0].asciiLowercased {
    case UInt8(ascii: "p"), UInt8(ascii: "l"), UInt8(ascii: "d"), UInt8(ascii: "t"), UInt8(ascii: "o"):
      optionalEnds.first { name.isNamed(anyOf: $0.ended) }
    default: nil
    }
  }

  /// For each rule, the elements that end where another one begins, and the elements beyond which nothing
  /// ends.
  private static let optionalEnds: [(ended: [StaticString], outside: [StaticString])] = [
    (["p"], ["li", "td", "th", "dd", "dt", "div", "table", "blockquote", "object", "section"]),
    (["li"], ["ul", "ol", "menu", "table"]), (["dt", "dd"], ["dl", "table"]),
    (["td", "th"], ["tr", "table"]),
    (["tr"], ["table"]), (["option"], ["select"]),
  ]

  /// The maximum number of nested elements to examine.
  private static let farthestEnd = 15

  /// Examines the tags up to the end of the part around this position, or up to the maximum tag length.
  /// Returns false if more bytes are needed.
  func lookAhead() -> Bool {
    let bytes = buffer
    let span = bytes.span
    let limit = min(span.count, position + limits.tagBytes)
    var index = ahead.scanned - passed
    while ahead.end == nil, index < limit {
      let byte = span[index]
      if byte == UInt8(ascii: ">") {
        endMarkup(span, at: index)
      } else if byte == UInt8(ascii: "<"), ahead.inside == .content {
        guard span.count - index > Self.longestName + 2 || isLast else { break }
        beginMarkup(span, at: index)
      }
      index += 1
    }
    ahead.advance(to: passed + index)
    return ahead.end != nil || index >= position + limits.tagBytes || isLast
  }

  private func endMarkup(_ text: Span<UInt8>, at index: Int) {
    switch ahead.inside {
    case .content: ahead.endTag(isEmpty: index > 0 && text[index - 1] == UInt8(ascii: "/"))
    case .characterData: if text.ends("]]>", at: index) { ahead.inside = .content }
    case .comment: if text.ends("-->", at: index) { ahead.inside = .content }
    }
  }

  private func beginMarkup(_ text: Span<UInt8>, at start: Int) {
    ahead.endTag(isEmpty: false)
    switch MarkupStart(in: text, at: start) {
    case .startTag: noteTag(text, at: start, nameStart: start + 1, isEnd: false)
    case .endTag: noteTag(text, at: start, nameStart: start + 2, isEnd: true)
    case .characterData: ahead.inside = .characterData
    case .comment: ahead.inside = .comment
    case .instruction, .declaration, .text: break
    }
  }

  private func noteTag(_ text: Span<UInt8>, at start: Int, nameStart: Int, isEnd: Bool) {
    let limit = min(text.count, nameStart + Self.longestName)
    var (first, last) = (nameStart, nameStart)
    while last < limit, !text[last].endsXMLName {
      if text[last] == UInt8(ascii: ":") { first = last + 1 }
      last += 1
    }
    let name = text.extracting(min(first, last)..<last)
    if name.isNamed(anyOf: parts) { return ahead.finish(at: passed + start, isClosed: isEnd) }
    if isEnd { ahead.addEnd(name, at: passed + start) } else { ahead.addStart(name, at: passed + start) }
  }
}
