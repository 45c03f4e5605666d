internal import XMLStream

/// Authors, of items and of the feed.
extension FeedBuilder {
  /// Begins an author; a better source than the ones so far replaces them, a worse one is ignored.
  mutating func startPerson(rank: UInt8) -> Role {
    guard rank <= (isInItem ? item.authorRank : ranks.authors) else { return .skipped }
    person = PersonInProgress(rank: rank, start: batch.bytes.count)
    return startCapture(.personText, .plain, rank: rank)
  }

  /// Begins a person who is no author.
  mutating func startPerson(as purpose: PersonInProgress.Purpose) -> Role {
    person = PersonInProgress(purpose: purpose, start: batch.bytes.count)
    return startCapture(.personText, .plain)
  }

  mutating func startInPerson(_ meaning: ElementName) -> Role {
    switch meaning.local {
    case .name: startCapture(.personName, .plain)
    case .email: startCapture(.personEmail, .plain)
    case .uri, .url, .homepage: startCapture(.personURL, .plain)
    default: .skipped
    }
  }

  mutating func finishPersonCapture() {
    let start = capture.start
    switch capture.field {
    case .personName:
      PlainText.make(&batch.bytes, from: start, .maybe)
      person.name = trimmedSlice(from: start) ?? person.name
    case .personEmail: person.email = trimmedSlice(from: start) ?? person.email
    case .personURL:
      resolveAddress(from: start)
      person.url = trimmedSlice(from: start) ?? person.url
    default:
      PlainText.make(&batch.bytes, from: start, .maybe)
      splitPerson(from: start)
      finishPerson()
    }
  }

  /// `me@example.com (Name)`, `Name <me@example.com>`, `Name (me@example.com)`, a name, or an address alone.
  private mutating func splitPerson(from start: Int) {
    guard let all = trimmedSlice(from: start) else { return }
    let range = all.moved(by: itemStart).range
    guard let parts = Self.parts(batch.bytes.span.extracting(range)) else {
      person.name = all
      return
    }
    func slice(_ part: Range<Int>) -> ByteSlice {
      ByteSlice(
        offset: UInt32(truncatingIfNeeded: range.lowerBound + part.lowerBound - itemStart),
        count: UInt32(truncatingIfNeeded: part.count))
    }
    person.email = slice(parts.email)
    if !parts.name.isEmpty { person.name = slice(parts.name) }
  }

  /// Where the address and the name stand; nil without an address.
  private static func parts(_ text: Span<UInt8>) -> (email: Range<Int>, name: Range<Int>)? {
    guard let at = text.firstIndex(of: UInt8(ascii: "@")) else { return nil }
    var first = at
    var last = at + 1
    while first > 0, isPartOfAddress(text[first - 1]) { first -= 1 }
    while last < text.count, isPartOfAddress(text[last]) { last += 1 }
    guard first < at, last > at + 1 else { return nil }
    // The name is what is left on either side, without the brackets.
    let before = trimmed(text, 0, first)
    return (first..<last, before.isEmpty ? trimmed(text, last, text.count) : before)
  }

  private static func isPartOfAddress(_ byte: UInt8) -> Bool {
    if byte.isASCIIAlphanumeric || byte >= 0x80 { return true }
    switch byte {
    case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "%"),
      UInt8(ascii: "@"), UInt8(ascii: "="), UInt8(ascii: "'"), UInt8(ascii: "&"):
      return true
    default: return false
    }
  }

  private static func trimmed(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> Range<Int> {
    var (first, last) = (start, end)
    while first < last, isAround(text[first]) { first += 1 }
    while last > first, isAround(text[last - 1]) { last -= 1 }
    // "mailto:" in front of the address is no name.
    if last - first >= 6, text.hasPrefixIgnoringCase("mailto", at: last - 6) {
      return trimmed(text, first, last - 6)
    }
    return first..<last
  }

  private static func isAround(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, 0x09, 0x0A, 0x0D, 0x28, 0x29, 0x3C, 0x3E, 0x5B, 0x5D, 0x22, 0x2C, 0x2D, 0x3A, 0x3B: true
    default: false
    }
  }

  /// The person is complete: it goes to the item or to the feed.
  mutating func finishPerson() {
    defer { person = PersonInProgress() }
    guard person.name != nil || person.email != nil || person.url != nil else { return }
    guard isInItem else { return finishFeedPerson() }
    if person.purpose == .contributor { return noteContributor() }
    if person.rank < item.authorRank {
      pendingAuthors.removeAll(keepingCapacity: true)
      item.authorRank = person.rank
    }
    guard pendingAuthors.count < limits.listCount else { return }
    pendingAuthors.append(ParsedAuthor(name: person.name, email: person.email, url: person.url))
  }

  private mutating func finishFeedPerson() {
    let start = person.start
    func text(_ slice: ByteSlice?) -> String? {
      slice.map { String(decoding: batch.bytes[$0.moved(by: itemStart).range], as: UTF8.self) }
    }
    let human = FeedDetails.Author(name: text(person.name), email: text(person.email), url: text(person.url))
    batch.bytes.removeSubrange(min(start, batch.bytes.count)...)
    switch person.purpose {
    case .author: addFeedAuthor(human, rank: person.rank)
    case .contributor:
      if details.contributors.count < limits.listCount, !details.contributors.contains(human) {
        details.contributors.append(human)
      }
    case .webMaster:
      if details.webMaster == nil { details.webMaster = human }
      addFeedAuthor(human, rank: 4)
    case .owner:
      if details.podcast.owner == nil { details.podcast.owner = human }
      addFeedAuthor(human, rank: 3)
    }
  }

  /// Adds an author, unless there are some of a better source; those of a worse one are replaced.
  private mutating func addFeedAuthor(_ author: FeedDetails.Author, rank: UInt8) {
    guard rank <= ranks.authors else { return }
    if rank < ranks.authors {
      details.authors = []
      ranks.authors = rank
    }
    if details.authors.count < limits.listCount, !details.authors.contains(author) {
      details.authors.append(author)
    }
  }
}
