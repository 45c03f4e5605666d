/// CDATA in damaged documents that is closed too early, or not at all.
extension TolerantParser {
  private enum Mark {
    case end, begin, endTag
  }

  /// Delivers CDATA content up to its end.
  ///
  /// A `]]>` is text if another one follows before the element ends. If the next CDATA begins before any
  /// `]]>`, or no `]]>` follows, the element's end tag ends the CDATA.
  func readCharacterData() {
    let bytes = buffer
    let span = bytes.span
    var index = position
    let longestMark = longestMark()
    decoded.removeAll(keepingCapacity: true)
    while index < span.count {
      let byte = span[index]
      if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "<") {
        if span.count - index < longestMark, !isLast { break }
        // This bracket may be the missing one.
        let brackets = span.hasPrefix("]]</", at: index) ? 2 : 0
        if let mark = mark(span, at: index + brackets) {
          guard let closes = closes(mark, span, at: index + brackets, longestMark) else { break }
          if closes {
            isInCharacterData = false
            index += mark == .end ? 3 : brackets
            break
          }
        }
      }
      decoded.append(byte)
      index += 1
    }
    position = index
    emitText()
  }

  /// The number of bytes needed to recognize any mark and two brackets before it.
  private func longestMark() -> Int {
    let name = open.top.map { name in name.withLocalBytes { $0.count } + name.withPrefixBytes { $0.count } }
    return max(9, 4 + (name ?? 0)) + 2
  }

  private func mark(_ text: Span<UInt8>, at index: Int) -> Mark? {
    if text.hasPrefix("]]>", at: index) { return .end }
    if text.hasPrefixIgnoringCase("<![cdata[", at: index) { return .begin }
    guard text.hasPrefix("</", at: index), let name = open.top else { return nil }
    var start = index + 2
    let hasPrefix = name.withPrefixBytes { prefix in
      guard prefix.count > 0 else { return true }
      let isThere =
        text.count - start > prefix.count
        && text.extracting(start..<(start + prefix.count)).elementsEqual(prefix)
      start += prefix.count + 1
      return isThere
    }
    let hasName = name.withLocalBytes { local in
      start + local.count <= text.count
        && text.extracting(start..<(start + local.count)).elementsEqual(local)
        && (start + local.count == text.count || !text[start + local.count].isASCIIAlphanumeric)
    }
    return hasPrefix && hasName ? .endTag : nil
  }

  /// Returns whether CDATA ends at a mark; nil if more bytes are needed.
  private func closes(_ mark: Mark, _ text: Span<UInt8>, at index: Int, _ longestMark: Int) -> Bool? {
    if mark == .begin || (mark == .endTag && index < knownEndOfData) { return false }
    let limit = min(text.count, index + limits.tagBytes)
    var next = index + 2
    while next < limit {
      if text[next] == UInt8(ascii: "]") || text[next] == UInt8(ascii: "<") {
        if limit - next < longestMark, limit == text.count, !isLast { return nil }
        switch self.mark(text, at: next) {
        case .end:
          if mark == .endTag { knownEndOfData = next }
          return false
        case .begin: return true
        case .endTag: if mark == .end { return true }
        case nil: break
        }
      }
      next += 1
    }
    return limit == text.count && !isLast ? nil : true
  }
}
