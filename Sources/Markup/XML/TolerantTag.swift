/// A tag that the tolerant parser found: ranges of its buffer.
struct TolerantTag {
  struct Name {
    var prefix: Range<Int>?
    var local: Range<Int>
  }

  struct Attribute {
    var name: Name
    var value: Range<Int>
  }

  var name = Name(prefix: nil, local: 0..<0)
  var attributes: [Attribute] = []
  var bindings: [OpenElements.Binding] = []
  var isEmpty = false

  /// The HTML elements without end tags; feeds use none of these names.
  private static let voidNames: [StaticString] = [
    "br", "img", "hr", "input", "area", "col", "embed", "wbr", "param", "meta", "track", "frame", "keygen",
  ]

  func isVoid(in buffer: [UInt8]) -> Bool {
    name.prefix == nil
      && Self.voidNames.contains { buffer.span.extracting(name.local).equalsIgnoringCase($0) }
  }
}

/// The kind of markup at a `<` in a document that may be damaged.
enum MarkupStart {
  case startTag, endTag, comment, characterData, instruction, declaration
  /// No markup: the `<` is text.
  case text

  init(in text: Span<UInt8>, at start: Int) {
    let rest = text.extracting((start + 1)...)
    if rest.isEmpty {
      self = .text
    } else if rest[0] == UInt8(ascii: "/") {
      self = rest.count > 1 && rest[1].isXMLNameStart ? .endTag : .text
    } else if rest[0] == UInt8(ascii: "?") {
      self = .instruction
    } else if rest[0] != UInt8(ascii: "!") {
      self = rest[0].isXMLNameStart ? .startTag : .text
    } else if rest.hasPrefix("!--") {
      self = .comment
    } else if rest.hasPrefixIgnoringCase("![cdata[") {
      self = .characterData
    } else {
      let isName = rest.count > 1 && (rest[1].isASCIILetter || rest[1] == UInt8(ascii: "["))
      self = isName ? .declaration : .text
    }
  }
}

extension TolerantParser {
  /// Reads the markup that begins with the `<` at `position`. Does not move if more bytes are needed.
  func readMarkup() {
    let bytes = buffer
    let span = bytes.span
    // The longest beginning is that of CDATA.
    if span.count - position < 9, !isLast { return }
    switch MarkupStart(in: span, at: position) {
    case .startTag: readStartTag()
    case .endTag: readEndTag()
    case .comment: skip(to: "-->", from: position + 4, kind: 0)
    case .characterData:
      position += 9
      isInCharacterData = true
    case .instruction: skip(to: "?>", from: position + 2, kind: 1)
    case .declaration: skipDoctype()
    case .text: takeAsText()
    }
  }

  /// Moves after `end`, or after the next `>` if `end` is too far away or missing.
  private func skip(to end: StaticString, from start: Int, kind: Int) {
    let bytes = buffer
    let span = bytes.span
    let limit = min(span.count, position + limits.tagBytes)
    var index = max(start, searched[kind])
    while let found = span.firstIndex(of: UInt8(ascii: ">"), from: index), found < limit {
      if found + 1 - start >= end.utf8CodeUnitCount, span.ends(end, at: found) {
        position = found + 1
        return
      }
      index = found + 1
    }
    searched[kind] = max(start, limit)
    if limit == span.count, !isLast { return }
    position = min((span.firstIndex(of: UInt8(ascii: ">"), from: start) ?? span.count - 1) + 1, span.count)
  }

  private func readEndTag() {
    let bytes = buffer
    let span = bytes.span
    let limit = min(span.count, position + limits.tagBytes)
    var index = position + 2
    let name = readName(&index, limit)
    while index < limit, span[index] != UInt8(ascii: ">"), span[index] != UInt8(ascii: "<") { index += 1 }
    if index == span.count, !isLast { return }
    guard endElement(name) else { return }
    position = index < span.count && span[index] == UInt8(ascii: ">") ? index + 1 : index
  }

  private func readStartTag() {
    guard let end = tagEnd() else { return }
    guard end > position else {
      isInLongTag = false
      return takeAsText()
    }
    parseTag(to: end)
    guard startElement() else { return }
    isInLongTag = false
    let isClosed = buffer[end] == UInt8(ascii: ">")
    position = isClosed ? end + 1 : end
  }

  /// Returns the end of the tag, at its `>` or before the `<` of the next one; `position` if it is not a tag, nil if
  /// more bytes are needed.
  private func tagEnd() -> Int? {
    if isInLongTag { return endOfLongTag() }
    let bytes = buffer
    let span = bytes.span
    let limit = min(span.count, position + limits.tagBytes)
    var index = position + 1
    var quote: UInt8 = 0
    var firstEnd: Int?
    while index < limit {
      let byte = span[index]
      if quote != 0 {
        if byte == quote {
          quote = 0
          // A quotation mark is missing: the value ends at the first mark of another tag.
          if let firstEnd {
            if index + 1 == limit, limit == span.count, !isLast { return nil }
            if index + 1 < limit, !Self.endsValue(span[index + 1]) { return firstEnd }
          }
        }
        if byte == UInt8(ascii: ">"), firstEnd == nil { firstEnd = index }
      } else if byte == 0x22 || byte == 0x27 {
        if span[index - 1] == UInt8(ascii: "=") || span[index - 1].isXMLSpace { quote = byte }
      } else if byte == UInt8(ascii: ">") || byte == UInt8(ascii: "<") {
        return index
      }
      index += 1
    }
    if limit == span.count, !isLast { return nil }
    // A quotation mark has no counterpart: the tag ends at the first `>`.
    if let firstEnd { return firstEnd }
    isInLongTag = index == position + limits.tagBytes
    return isInLongTag ? endOfLongTag() : position
  }

  /// Returns the end of a tag that exceeds its maximum length: the next `>`. The bytes between the limit and the end
  /// are dropped as they come.
  private func endOfLongTag() -> Int? {
    let limit = position + limits.tagBytes
    if let end = buffer.span.firstIndex(of: UInt8(ascii: ">"), from: limit) { return end }
    if isLast { return position }
    // The last byte may state that the element is empty. Results of the search ahead may be among the dropped bytes.
    buffer.removeSubrange(limit..<max(limit, buffer.count - 1))
    ahead = TagsAhead()
    knownEndOfData = min(knownEndOfData, limit)
    searched = searched.map { min($0, limit) }
    return nil
  }

  /// Returns whether a byte may follow the quotation mark after a value.
  private static func endsValue(_ byte: UInt8) -> Bool {
    byte.isXMLSpace || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "<")
  }

  private func parseTag(to tagEnd: Int) {
    let bytes = buffer
    let span = bytes.span
    let end = min(tagEnd, position + limits.tagBytes)
    var index = position + 1
    tag.name = readName(&index, end)
    tag.attributes.removeAll(keepingCapacity: true)
    tag.bindings.removeAll(keepingCapacity: true)
    tag.isEmpty =
      tagEnd > index && span[tagEnd - 1] == UInt8(ascii: "/") && span[tagEnd] == UInt8(ascii: ">")
    while index < end {
      guard span[index].isXMLNameStart else {
        index += 1
        continue
      }
      let name = readName(&index, end)
      let value = readValue(&index, end)
      if !declareNamespace(name, value), tag.attributes.count < limits.attributes {
        tag.attributes.append(TolerantTag.Attribute(name: name, value: value))
      }
    }
    // A value that the limit cuts has no meaning.
    if end < tagEnd, let last = tag.attributes.last, last.value.upperBound == end {
      tag.attributes.removeLast()
    }
  }

  private func readName(_ index: inout Int, _ end: Int) -> TolerantTag.Name {
    let bytes = buffer
    let span = bytes.span
    let start = index
    var colon: Int?
    while index < end, !span[index].endsXMLName {
      if span[index] == UInt8(ascii: ":"), colon == nil, index > start { colon = index }
      index += 1
    }
    guard let colon, colon + 1 < index else {
      return TolerantTag.Name(prefix: nil, local: shortened(start..<(colon ?? index)))
    }
    return TolerantTag.Name(
      prefix: shortened(start..<colon), local: shortened((colon + 1)..<index))
  }

  /// The maximum length of a name. No known name is longer, so that comparing and copying names stays cheap.
  private func shortened(_ name: Range<Int>) -> Range<Int> {
    guard name.count > 1024 else { return name }
    var end = name.lowerBound + 1024
    while end > name.lowerBound, buffer[end] & 0xC0 == 0x80 { end -= 1 }
    return name.lowerBound..<end
  }

  /// Returns the value after `=`, with or without quotation marks; empty without a value.
  private func readValue(_ index: inout Int, _ end: Int) -> Range<Int> {
    let bytes = buffer
    let span = bytes.span
    var next = index
    while next < end, span[next].isXMLSpace { next += 1 }
    guard next < end, span[next] == UInt8(ascii: "=") else { return index..<index }
    next += 1
    while next < end, span[next].isXMLSpace { next += 1 }
    guard next < end else {
      index = end
      return end..<end
    }
    let start: Int
    if span[next] == 0x22 || span[next] == 0x27 {
      start = next + 1
      let close = span.firstIndex(of: span[next], from: start) ?? end
      if close + 1 < end, !Self.endsValue(span[close + 1]),
        let cut = Self.startOfNextName(span.extracting(start..<close))
      {
        // The missing mark is the first one of the next attribute.
        index = start + cut
        return start..<index
      }
      index = min(close + 1, end)
      return start..<min(close, end)
    }
    start = next
    while next < end, !span[next].isXMLSpace { next += 1 }
    index = next
    if next == end, tag.isEmpty, next > start { next -= 1 }
    return start..<next
  }

  /// Returns the offset of the white space before the name of an attribute and its equals sign, with which a value
  /// ends; nil for other values.
  private static func startOfNextName(_ value: Span<UInt8>) -> Int? {
    guard value.count > 2, value[value.count - 1] == UInt8(ascii: "=") else { return nil }
    var index = value.count - 1
    while index > 0, value[index - 1].isASCIIAlphanumeric || value[index - 1] == UInt8(ascii: ":") {
      index -= 1
    }
    guard index < value.count - 1, value[index].isXMLNameStart, index > 0, value[index - 1].isXMLSpace else {
      return nil
    }
    while index > 0, value[index - 1].isXMLSpace { index -= 1 }
    return index
  }

  private func declareNamespace(_ name: TolerantTag.Name, _ value: Range<Int>) -> Bool {
    let bytes = buffer
    let span = bytes.span
    let local = span.extracting(name.local)
    if name.prefix == nil, local.equalsIgnoringCase("xmlns") {
      unsafe tag.bindings.append(
        OpenElements.Binding(prefix: nil, namespace: names.intern(span.extracting(value))))
      return true
    }
    guard let prefix = name.prefix, span.extracting(prefix).equalsIgnoringCase("xmlns") else { return false }
    unsafe tag.bindings.append(
      OpenElements.Binding(prefix: names.intern(local), namespace: names.intern(span.extracting(value))))
    return true
  }
}
