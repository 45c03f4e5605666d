/// Parts of the document that ended where another part began inside them, although their end tags may follow.
struct EndedParts {
  /// The last part's name.
  var name: XMLName?
  /// The number of open elements around the parts.
  var depth = 0
  var count = 0
}

/// Elements after a nested part belong neither to the elements around both parts nor to the inner part.
extension TolerantParser {
  /// Returns whether a new element belongs to an ended part: another part's end or beginning follows. After
  /// the last part, the element belongs to the elements around it. Nil if more bytes are needed.
  func endedPart(around name: XMLName) -> Bool? {
    guard endedParts.count > 0, open.depth == endedParts.depth, !isPart(name) else { return false }
    ahead.drop(before: passed + position)
    guard lookAhead() else { return nil }
    return ahead.end != nil
  }

  /// Continues the ended part, up to its end tag.
  func reopenPart() {
    guard let name = endedParts.name else { return }
    endedParts.count -= 1
    open.push(name, declaring: 0)
    handler.recover(.reopenPart)
  }

  /// Records the parts among the elements that end where another part begins.
  func noteEndedParts(by name: XMLName, inTop count: Int) {
    guard count > 0, isPart(name) else { return }
    for place in 1...count {
      guard let ended = open.name(fromTop: place), isPart(ended) else { continue }
      let depth = open.depth - place
      if depth != endedParts.depth { endedParts.count = 0 }
      endedParts = EndedParts(name: ended, depth: depth, count: endedParts.count + 1)
    }
  }

  /// Handles an end tag without an open element, which may belong to an ended part.
  func closeEndedPart(_ name: XMLName) {
    if endedParts.count > 0, isPart(name) { endedParts.count -= 1 }
  }

  func isPart(_ name: XMLName) -> Bool { name.isNamed(anyOf: parts) }
}
