internal import Markup

/// Builds one item. Its slices count from the item's start in the ``TextBuffer``.
struct ItemBuilder {
  var fields = ItemFields()
  var authors: [ParsedAuthor] = []
  var tags: [ByteSlice] = []
  var attachments: [ParsedAttachment] = []
  var extensions: [ParsedExtension] = []

  /// Forgets the previous item's fields.
  mutating func begin() { fields = ItemFields() }

  /// Empties the lists when an item does not end.
  mutating func drop() {
    authors.removeAll(keepingCapacity: true)
    tags.removeAll(keepingCapacity: true)
    attachments.removeAll(keepingCapacity: true)
    extensions.removeAll(keepingCapacity: true)
  }

  /// Returns whether a list with `count` entries has room for another. If not, the list is marked as cut.
  mutating func hasRoom(_ count: Int, in list: CutLists, _ limits: ParserLimits) -> Bool {
    if count < limits.listCount { return true }
    fields.cuts.insert(list)
    return false
  }

  // MARK: Tags and files

  mutating func addTag(_ tag: ByteSlice, _ texts: inout TextBuffer) {
    // After the list was cut, it is not searched any more.
    guard !fields.cuts.contains(.tags), !hasTag(tag, &texts), hasRoom(tags.count, in: .tags, texts.limits)
    else { return }
    tags.append(tag)
  }

  private func hasTag(_ tag: ByteSlice, _ texts: inout TextBuffer) -> Bool {
    for other in tags where other.count == tag.count && texts.isSame(other, tag) { return true }
    return false
  }

  mutating func addAttachment(_ url: ByteSlice, _ attributes: XMLAttributes, _ texts: inout TextBuffer) {
    guard hasRoom(attachments.count, in: .attachments, texts.limits) else { return }
    var attachment = ParsedAttachment(url: url)
    attachment.mimeType = texts.slice(.type, of: attributes)
    attachment.title = texts.slice(.title, of: attributes)
    attachment.size = texts.value(.length, of: attributes) { Quantity.whole($0) }
    attachments.append(attachment)
  }

  mutating func addAttachment(_ url: ByteSlice, type: ByteSlice? = nil, _ limits: ParserLimits) {
    guard hasRoom(attachments.count, in: .attachments, limits) else { return }
    attachments.append(ParsedAttachment(url: url, mimeType: type))
  }

  mutating func takeImage(
    _ attribute: LocalName, _ attributes: XMLAttributes, rank: UInt8, _ texts: inout TextBuffer
  ) {
    guard fields.image.wants(rank) else { return }
    fields.image.set(texts.addressSlice(attribute, of: attributes, isPicture: true), rank: rank)
  }

  // MARK: Authors

  var hasNoAuthor: Bool { authors.isEmpty }

  /// True if only the author's address is known: a worse source may have the name.
  var lacksName: Bool {
    guard authors.count == 1, let author = authors.first else { return false }
    return author.name == nil && author.email != nil
  }

  /// Adds a person. Authors from a better source replace authors from a worse one.
  mutating func add(_ person: PersonInProgress, _ texts: inout TextBuffer) {
    if person.purpose == .contributor { return noteContributor(person, texts.limits) }
    if person.rank != fields.authorRank, !authors.isEmpty, join(person) { return }
    if person.rank < fields.authorRank {
      authors.removeAll(keepingCapacity: true)
      fields.authorRank = person.rank
    }
    guard hasRoom(authors.count, in: .authors, texts.limits) else { return }
    authors.append(ParsedAuthor(name: person.name, email: person.email, url: person.url))
  }

  /// Combines a person with the previous author if one source has only an address (`noreply@example.org`) and
  /// the other has the name.
  ///
  /// Returns whether they were combined.
  private mutating func join(_ person: PersonInProgress) -> Bool {
    if person.rank > fields.authorRank {
      guard lacksName, let name = person.name else { return true }
      authors[0].name = name
      authors[0].url = person.url
      fields.authorRank = person.rank
      return true
    }
    guard person.name == nil, let email = person.email, authors[0].name != nil else { return false }
    if authors.count == 1, authors[0].email == nil { authors[0].email = email }
    return true
  }

  /// Adds the feed's authors to an Atom entry without one (RFC 4287, section 4.2.1).
  mutating func inherit(_ inherited: ArraySlice<FeedDetails.Author>, _ texts: inout TextBuffer) {
    for author in inherited { authors.append(author.map { texts.keep($0) }) }
  }

  /// Stores a person with another role than author.
  private mutating func noteContributor(_ person: PersonInProgress, _ limits: ParserLimits) {
    guard beginExtension(limits) else { return }
    note(.contributor, .name, person.name)
    note(.contributor, .email, person.email)
    note(.contributor, .url, person.url)
  }

  // MARK: Members

  /// Begins another module element; returns false if the item has the maximum number.
  mutating func beginExtension(_ limits: ParserLimits) -> Bool {
    guard hasRoom(Int(fields.elementCount), in: .extensions, limits), fields.elementCount < .max else {
      return false
    }
    fields.elementCount += 1
    return true
  }

  /// Begins a module element, with the attributes that have a meaning; returns false if the item has the
  /// maximum number.
  mutating func beginExtension(
    _ kind: ParsedExtension.Kind, _ attributes: XMLAttributes, _ texts: inout TextBuffer
  ) -> Bool {
    guard beginExtension(texts.limits) else { return false }
    for index in 0..<attributes.count {
      guard let name = attributes.name(at: index) else { continue }
      let meaning = texts.names.meaning(of: name)
      guard meaning.vocabulary != .xml, let field = ParsedExtension.Field(attribute: meaning.local) else {
        continue
      }
      let start = texts.bytes.count
      attributes.appendValue(at: index, to: &texts.bytes)
      if field.isAddress { texts.resolveAddress(from: start) }
      note(kind, field, texts.trimmedSlice(from: start))
    }
    texts.checkItem()
    return true
  }

  /// Stores one part of the element that began last.
  mutating func note(_ kind: ParsedExtension.Kind, _ field: ParsedExtension.Field, _ value: ByteSlice?) {
    guard let value else { return }
    extensions.append(ParsedExtension(kind: kind, field: field, element: fields.elementCount, value: value))
  }

  /// Stores a link with its attributes.
  mutating func noteLink(_ attributes: XMLAttributes, _ texts: inout TextBuffer) {
    _ = beginExtension(.link, attributes, &texts)
  }

  /// Stores Atom `content` with `src` (RFC 4287, section 4.1.3.2): a file, or the page if the item has no
  /// other.
  mutating func noteContentSource(_ attributes: XMLAttributes, _ texts: inout TextBuffer) {
    guard let url = texts.addressSlice(.src, of: attributes) else { return }
    _ = beginExtension(.contentSource, attributes, &texts)
    if texts.isOfFile(attributes) {
      fields.hasContentFile = true
    } else {
      fields.url.set(url, rank: 9)
    }
  }
}
