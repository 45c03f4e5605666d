/// Document types in damaged documents: only entities that are declared as text are used.
extension TolerantParser {
  /// Skips a document type and its internal subset, which can only come before the first element.
  func skipDoctype(_ span: Span<UInt8>) {
    let limit = min(span.count, position + 64 << 10)
    var depth = 0
    var isInComment = false
    var index = position
    var declarations: [(name: Range<Int>, value: Range<Int>)] = []
    while index < limit {
      if depth > 0, span[index] == UInt8(ascii: "<") {
        let mayGrow = limit == span.count && !isLast
        if mayGrow, limit - index < 8 { return }
        if index + 1 < limit, span[index + 1].isXMLNameStart, !isInComment {
          // Only the root element begins like this, not a declaration: the subset was not closed.
          finishDoctype(span, declarations, at: index)
          return
        }
        if span.hasPrefix("<!--", at: index) { isInComment = true }
        if let declaration = Self.entityDeclaration(in: span, at: index, limit) {
          declarations.append(declaration)
          index = declaration.value.upperBound + 1
          continue
        }
        if mayGrow, span.hasPrefix("<!ENTITY", at: index),
          span.extracting(..<limit).endOutsideQuotes(from: index) == nil
        {
          return
        }
      }
      switch span[index] {
      case UInt8(ascii: "["): depth += open.depth == 0 ? 1 : 0
      case UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ">") where depth <= 0:
        finishDoctype(span, declarations, at: index + 1)
        return
      case UInt8(ascii: ">") where isInComment: isInComment = !span.ends("-->", at: index)
      default: break
      }
      index += 1
    }
    if limit == span.count, !isLast { return }
    position = limit
  }

  private func finishDoctype(
    _ text: Span<UInt8>, _ declarations: [(name: Range<Int>, value: Range<Int>)], at end: Int
  ) {
    for entity in declarations {
      entities.declare(text.extracting(entity.name), value: text.extracting(entity.value))
    }
    position = end
  }

  /// Returns the name and value of the internal entity declared at `start`; nil for other declarations.
  private static func entityDeclaration(
    in span: Span<UInt8>, at start: Int, _ limit: Int
  ) -> (name: Range<Int>, value: Range<Int>)? {
    guard span.hasPrefix("<!ENTITY", at: start) else { return nil }
    var index = start + 8
    while index < limit, span[index].isXMLSpace { index += 1 }
    let nameStart = index
    while index < limit, !span[index].endsXMLName { index += 1 }
    let name = nameStart..<index
    while index < limit, span[index].isXMLSpace { index += 1 }
    guard !name.isEmpty, index < limit, span[index] == 0x22 || span[index] == 0x27,
      let close = span.firstIndex(of: span[index], from: index + 1), close < limit
    else { return nil }
    return (name, (index + 1)..<close)
  }
}
