/// Parts of the document that ended where another one began in them, although their end tags may still come.
struct EndedParts {
  /// The name of the last.
  var name: XMLName?
  /// How many elements were open around them.
  var depth = 0
  /// How many they are.
  var count = 0
}

/// What stands behind a part inside of another one belongs to neither what is around them nor the inner one.
extension TolerantParser {
  /// Whether the element that begins belongs to a part that has ended: another end or beginning of a part comes behind
  /// it. Behind the last one it belongs to what is around. Nil when more must be seen first.
  func endedPart(around name: XMLName) -> Bool? {
    guard endedParts.count > 0, open.depth == endedParts.depth, !isPart(name) else { return false }
    ahead.drop(before: passed + position)
    guard lookAhead() else { return nil }
    return ahead.end != nil
  }

  /// Goes on in the part that has ended, up to its end tag.
  func reopenPart() {
    guard let name = endedParts.name else { return }
    endedParts.count -= 1
    open.push(name, declaring: 0)
    handler.recover(.reopenPart)
  }

  /// Remembers the parts among the elements that end where another part begins.
  func noteEndedParts(by name: XMLName, inTop count: Int) {
    guard count > 0, isPart(name) else { return }
    for place in 1...count {
      guard let ended = open.name(fromTop: place), isPart(ended) else { continue }
      let depth = open.depth - place
      if depth != endedParts.depth { endedParts.count = 0 }
      endedParts = EndedParts(name: ended, depth: depth, count: endedParts.count + 1)
    }
  }

  /// An end tag without an open element may be that of a part that has ended.
  func closeEndedPart(_ name: XMLName) {
    if endedParts.count > 0, isPart(name) { endedParts.count -= 1 }
  }

  func isPart(_ name: XMLName) -> Bool { name.withLocalBytes { isPart($0) } }

  func isPart(_ localName: Span<UInt8>) -> Bool {
    for part in parts where localName.equalsIgnoringCase(part) { return true }
    return false
  }
}
