internal import Markup

/// Authors of items and of the feed.
extension FeedBuilder {
  /// Begins an author. A better source replaces the previous ones, a worse source is ignored.
  mutating func startPerson(rank: UInt8) -> Role {
    guard rank <= (isInItem ? item.authorRank : ranks.authors) || lacksName else { return .skipped }
    person = PersonInProgress(rank: rank, start: batch.bytes.count)
    return startCapture(.personText, .plain, rank: rank)
  }

  /// True if only an address of the item's author is known: a worse source may have the name.
  private var lacksName: Bool {
    guard isInItem, pendingAuthors.count == 1, let author = pendingAuthors.first else { return false }
    return author.name == nil && author.email != nil
  }

  /// Begins a person who is not an author.
  mutating func startPerson(as purpose: PersonInProgress.Purpose) -> Role {
    person = PersonInProgress(purpose: purpose, start: batch.bytes.count)
    return startCapture(.personText, .plain)
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
      finishPersons(from: start)
    }
  }

  /// Separates several persons in one text if that is safe.
  private mutating func finishPersons(from start: Int) {
    guard let all = trimmedSlice(from: start) else { return finishPerson() }
    let range = all.moved(by: itemStart).range
    guard let separator = PersonText.separator(batch.bytes.span.extracting(range)) else {
      splitPerson(range)
      return finishPerson()
    }
    let (purpose, rank) = (person.purpose, person.rank)
    var next = 0
    while next < range.count {
      let end = PersonText.end(of: batch.bytes.span.extracting(range), from: next, separator)
      person = PersonInProgress(purpose: purpose, rank: rank, start: batch.bytes.count)
      splitPerson((range.lowerBound + next)..<(range.lowerBound + end))
      finishPerson()
      next = end + 1
    }
    if !isInItem { batch.bytes.removeSubrange(min(start, batch.bytes.count)...) }
  }

  private mutating func splitPerson(_ range: Range<Int>) {
    let parts = PersonText(batch.bytes.span.extracting(range))
    let offset = range.lowerBound - itemStart
    func slice(_ part: Range<Int>?) -> ByteSlice? {
      part.map {
        ByteSlice(
          offset: UInt32(truncatingIfNeeded: offset + $0.lowerBound),
          count: UInt32(truncatingIfNeeded: $0.count))
      }
    }
    person.name = slice(parts.name)
    person.email = slice(parts.email)
    person.url = slice(parts.url)
  }

  /// Ends a person, who is added to the item or the feed.
  mutating func finishPerson() {
    defer { person = PersonInProgress() }
    guard person.name != nil || person.email != nil || person.url != nil else { return }
    guard isInItem else { return finishFeedPerson() }
    if person.purpose == .contributor { return noteContributor() }
    if person.rank != item.authorRank, !pendingAuthors.isEmpty, joinAuthor() { return }
    if person.rank < item.authorRank {
      pendingAuthors.removeAll(keepingCapacity: true)
      item.authorRank = person.rank
    }
    guard hasRoom(pendingAuthors.count, in: .authors) else { return }
    pendingAuthors.append(ParsedAuthor(name: person.name, email: person.email, url: person.url))
  }

  /// Combines the person with the previous author if one source has only an address (`noreply@example.org`) and the
  /// other one the name. Returns whether they were combined.
  private mutating func joinAuthor() -> Bool {
    if person.rank > item.authorRank {
      guard lacksName, let name = person.name else { return true }
      pendingAuthors[0].name = name
      pendingAuthors[0].url = person.url
      item.authorRank = person.rank
      return true
    }
    guard person.name == nil, let email = person.email, pendingAuthors[0].name != nil else { return false }
    if pendingAuthors.count == 1, pendingAuthors[0].email == nil { pendingAuthors[0].email = email }
    return true
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
      if !details.contributors.contains(human), hasRoom(details.contributors.count, in: .contributors) {
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

  /// Adds an author, unless authors of a better source exist. Authors of a worse source are replaced.
  private mutating func addFeedAuthor(_ author: FeedDetails.Author, rank: UInt8) {
    guard rank <= ranks.authors else { return }
    if rank < ranks.authors {
      details.authors = []
      ranks.authors = rank
    }
    if !details.authors.contains(author), hasRoom(details.authors.count, in: .authors) {
      details.authors.append(author)
    }
  }
}
