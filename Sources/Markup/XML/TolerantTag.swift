/// A tag that the tolerant parser found, as ranges in its buffer.
struct TolerantTag {
  struct Name {
    var prefix: Range<Int>?
    var local: Range<Int>

    /// The maximum length of a prefix or local name. No known name is longer, so comparing and copying names
    /// stays cheap.
    private static let longest = 1024

    /// Creates an empty name.
    init() {
      local = 0..<0
    }

    /// Reads the name at `index`, and moves after it.
    init(in text: Span<UInt8>, at index: inout Int, _ end: Int) {
      let start = index
      var colon: Int?
      while index < end, !text[index].endsXMLName {
        if text[index] == UInt8(ascii: ":"), colon == nil, index > start { colon = index }
        index += 1
      }
      if let colon, colon + 1 < index {
        prefix = Self.shortened(start..<colon, text)
        local = Self.shortened((colon + 1)..<index, text)
      } else {
        local = Self.shortened(start..<(colon ?? index), text)
      }
    }

    private static func shortened(_ name: Range<Int>, _ text: Span<UInt8>) -> Range<Int> {
      guard name.count > longest else { return name }
      var end = name.lowerBound + longest
      while end > name.lowerBound, text[end] & 0xC0 == 0x80 { end -= 1 }
      return name.lowerBound..<end
    }
  }

  struct Attribute {
    var name: Name
    var value: Range<Int>
  }

  var name = Name()
  var attributes: [Attribute] = []
  var bindings: [OpenElements.Binding] = []
  var isEmpty = false

  /// The HTML elements without end tags; feeds use none of these names.
  private static let voidNames: [StaticString] = [
    "br", "img", "hr", "input", "area", "col", "embed", "wbr", "param", "meta", "track", "frame", "keygen",
  ]

  func isVoid(in text: Span<UInt8>) -> Bool {
    name.prefix == nil && text.extracting(name.local).isNamed(anyOf: Self.voidNames)
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
  /// Reads the markup with its `<` at `position`. Does not move if more bytes are needed.
  func readMarkup() {
    if isInLongTag, !dropLongTag() { return }
    let bytes = buffer
    let text = bytes.span
    // The longest beginning is `<![CDATA[`.
    if text.count - position < 9, !isLast { return }
    switch MarkupStart(in: text, at: position) {
    case .startTag: readStartTag(text)
    case .endTag: readEndTag(text)
    case .comment: skip(text, to: "-->", from: position + 4, kind: 0)
    case .characterData:
      position += 9
      isInCharacterData = true
    case .instruction: skip(text, to: "?>", from: position + 2, kind: 1)
    case .declaration: skipDoctype(text)
    case .text: takeAsText()
    }
  }

  /// Moves after `end`, or after the next `>` if `end` is too far away or missing.
  private func skip(_ text: Span<UInt8>, to end: StaticString, from start: Int, kind: Int) {
    let limit = min(text.count, position + limits.tagBytes)
    var index = max(start, searched[kind])
    while let found = text.firstIndex(of: UInt8(ascii: ">"), from: index), found < limit {
      if found + 1 - start >= end.utf8CodeUnitCount, text.ends(end, at: found) {
        position = found + 1
        return
      }
      index = found + 1
    }
    searched[kind] = max(start, limit)
    if limit == text.count, !isLast { return }
    position = min((text.firstIndex(of: UInt8(ascii: ">"), from: start) ?? text.count - 1) + 1, text.count)
  }

  private func readEndTag(_ text: Span<UInt8>) {
    let limit = min(text.count, position + limits.tagBytes)
    var index = position + 2
    let name = TolerantTag.Name(in: text, at: &index, limit)
    while index < limit, text[index] != UInt8(ascii: ">"), text[index] != UInt8(ascii: "<") { index += 1 }
    if index == text.count, !isLast { return }
    guard endElement(name, text) else { return }
    position = index < text.count && text[index] == UInt8(ascii: ">") ? index + 1 : index
  }

  private func readStartTag(_ text: Span<UInt8>) {
    guard let end = isInLongTag ? endOfLongTag(text) : endOfTag(text) else { return }
    guard end > position else {
      isInLongTag = false
      return takeAsText()
    }
    parseTag(text, to: end)
    guard startElement(text) else { return }
    isInLongTag = false
    position = text[end] == UInt8(ascii: ">") ? end + 1 : end
  }

  /// Returns the tag's end, at its `>` or before the next tag's `<`; `position` if it is not a tag. Nil if
  /// more bytes are needed, or if the tag exceeds its maximum length.
  private func endOfTag(_ span: Span<UInt8>) -> Int? {
    let limit = min(span.count, position + limits.tagBytes)
    var index = position + 1
    var quote: UInt8 = 0
    var firstEnd: Int?
    while index < limit {
      let byte = span[index]
      if quote != 0 {
        if byte == quote {
          quote = 0
          // A quotation mark is missing: the value ends at the first mark in another tag.
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
    return isInLongTag ? nil : position
  }

  /// Returns the next `>`, which ends a tag that exceeds its maximum length; `position` if no `>` follows.
  private func endOfLongTag(_ text: Span<UInt8>) -> Int {
    text.firstIndex(of: UInt8(ascii: ">"), from: position + limits.tagBytes) ?? position
  }

  /// Drops the bytes that arrive for a tag beyond its maximum length, except the last one. Returns true if
  /// the tag's end has come, or will not come.
  private func dropLongTag() -> Bool {
    if isLast || endOfLongTag(buffer.span) > position { return true }
    let limit = position + limits.tagBytes
    // The last byte may mark the element as empty. Results of the search ahead may be among the dropped
    // bytes.
    buffer.removeSubrange(limit..<max(limit, buffer.count - 1))
    ahead = TagsAhead()
    knownEndOfData = min(knownEndOfData, limit)
    searched = searched.map { min($0, limit) }
    return false
  }

  /// Returns whether a byte may follow a value's closing quotation mark.
  private static func endsValue(_ byte: UInt8) -> Bool {
    byte.isXMLSpace || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "<")
  }

  private func parseTag(_ span: Span<UInt8>, to tagEnd: Int) {
    let end = min(tagEnd, position + limits.tagBytes)
    var index = position + 1
    tag.name = TolerantTag.Name(in: span, at: &index, end)
    tag.attributes.removeAll(keepingCapacity: true)
    tag.bindings.removeAll(keepingCapacity: true)
    tag.isEmpty =
      tagEnd > index && span[tagEnd - 1] == UInt8(ascii: "/") && span[tagEnd] == UInt8(ascii: ">")
    while index < end {
      guard span[index].isXMLNameStart else {
        index += 1
        continue
      }
      let name = TolerantTag.Name(in: span, at: &index, end)
      let value = readValue(span, &index, end)
      if !declareNamespace(span, name, value), tag.attributes.count < limits.attributes {
        tag.attributes.append(TolerantTag.Attribute(name: name, value: value))
      }
    }
    // A value that the limit cuts has no meaning.
    if end < tagEnd, let last = tag.attributes.last, last.value.upperBound == end {
      tag.attributes.removeLast()
    }
  }

  /// Returns the value after `=`, with or without quotation marks; empty without a value.
  private func readValue(_ span: Span<UInt8>, _ index: inout Int, _ end: Int) -> Range<Int> {
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
        // The quotation mark found is the next attribute's first one.
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

  /// Returns the offset of the white space before an attribute name and equals sign that end a value; nil for
  /// other values.
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

  private func declareNamespace(
    _ span: Span<UInt8>, _ name: TolerantTag.Name, _ value: Range<Int>
  ) -> Bool {
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
