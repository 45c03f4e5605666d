import TextOutput
internal import Markup

/// Items. Their texts are copied from the document into the batch without becoming strings.
extension JSONFeedReader {
  mutating func takeElement(_ value: Span<UInt8>) throws(FeedError) {
    guard value[0] == UInt8(ascii: "{") else { return }
    guard batch.bytes.count < 1 << 31 else {
      throw .limit(name: "bytes of items at once", value: 1 << 31)
    }
    var cursor = JSONCursor()
    guard let members = JSONValues(value, &cursor), cursor.index == value.count else {
      hasRepaired = true
      details.droppedItemCount += 1
      return
    }
    if cursor.hasRepaired { hasRepaired = true }
    if members.areOfJSONFeed { hasProof = true }
    if base == nil { base = Self.base(details.homePageURL) }
    takeItem(value, members)
  }

  private mutating func takeItem(_ text: Span<UInt8>, _ members: JSONValues) {
    var item = ParsedItem()
    item.id = keepID(text, members[.id])
    item.url = keepAddress(text, members[.url])
    item.externalURL = keepAddress(text, members[.externalURL])
    item.title = keepTitle(text, members[.title])
    item.summary = keep(text, members[.summary])
    item.summaryIsPlainText = true
    item.content = keepHTML(text, members[.contentHTML], page: item.url)
    let contentText = keep(text, members[.contentText])
    if item.content == nil {
      item.content = contentText
      item.contentIsPlainText = item.content != nil
    } else {
      item.contentText = contentText
    }
    if item.content == nil {
      item.content = item.summary
      item.contentIsPlainText = true
      item.summary = nil
    }
    item.image = keepAddress(text, members[.image], isPicture: true)
    let banner = keepAddress(text, members[.bannerImage], isPicture: true)
    item.image = item.image ?? banner
    item.language = keep(text, members[.language])
    item.published = parsed(text, members[.published]) { DateParser.seconds($0) }
    item.modified = parsed(text, members[.modified]) { DateParser.seconds($0) }
    item.authors = keepAuthors(text, members)
    item.tags = keepTags(text, members[.tags])
    item.attachments = keepAttachments(text, members[.attachments])
    let isEmpty = item.id == nil && item.url == nil && item.title == nil && item.content == nil
    if isEmpty { return }
    if let banner, item.image != banner {
      item.extensions = list(from: batch.extensions.count, to: batch.extensions.count + 1)
      batch.extensions.append(ParsedExtension(kind: .bannerImage, field: .url, element: 0, value: banner))
    }
    batch.items.append(item)
  }

  // MARK: Texts

  /// Keeps a string, or a number's digits; returns nil if the value is missing, blank or of another type.
  mutating func keep(_ text: Span<UInt8>, _ value: JSONMembers.Value?) -> ByteSlice? {
    let start = batch.bytes.count
    return append(text, value) ? slice(from: start) : nil
  }

  /// Appends a value to the batch. A long value is cut in an item, and left out in the feed. Appends nothing
  /// and returns false if the value is missing or blank.
  private mutating func append(_ text: Span<UInt8>, _ value: JSONMembers.Value?, isHTML: Bool = false) -> Bool
  {
    guard let value else { return false }
    let start = batch.bytes.count
    let isText =
      JSONScalar.append(text, value, to: &batch.bytes)
      && batch.bytes[start...].contains { !$0.isXMLSpace }
    let isTooLong = batch.bytes.count - start > limits.fieldBytes
    guard isText, !isTooLong || !isInFeed else {
      batch.bytes.removeSubrange(start...)
      return false
    }
    if isTooLong {
      let end = TextEnd.cut(batch.bytes.span.extracting(start...), at: limits.fieldBytes, isHTML: isHTML)
      batch.bytes.removeSubrange((start + end)...)
      details.shortenedTextCount += 1
    }
    return true
  }

  /// Returns the bytes that were appended since `start`; nil if nothing was appended.
  private func slice(from start: Int) -> ByteSlice? { slice(start..<batch.bytes.count) }

  private func slice(_ range: Range<Int>) -> ByteSlice? {
    if range.isEmpty { return nil }
    return ByteSlice(
      offset: UInt32(truncatingIfNeeded: range.lowerBound), count: UInt32(truncatingIfNeeded: range.count))
  }

  mutating func keepTitle(_ text: Span<UInt8>, _ value: JSONMembers.Value?) -> ByteSlice? {
    let start = batch.bytes.count
    guard append(text, value) else { return nil }
    PlainText.make(&batch.bytes, from: start, .none)
    return slice(from: start)
  }

  private mutating func keepID(_ text: Span<UInt8>, _ value: JSONMembers.Value?) -> ByteSlice? {
    let start = batch.bytes.count
    guard append(text, value) else { return nil }
    if batch.bytes.count - start > limits.idBytes {
      let hash = LongID.hash(of: batch.bytes.span.extracting(start...))
      batch.bytes.replaceSubrange(start..., with: hash)
    }
    return slice(from: start)
  }

  mutating func keepAddress(_ text: Span<UInt8>, _ value: JSONMembers.Value?, isPicture: Bool = false)
    -> ByteSlice?
  {
    let start = batch.bytes.count
    guard append(text, value) else { return nil }
    let range = batch.bytes.span.trimmed(from: start)
    switch AddressKind(batch.bytes.span.extracting(range), isPicture: isPicture) {
    case .harmful: return nil
    case .absolute: return slice(range)
    case .relative: break
    }
    guard let base, !range.isEmpty else { return slice(range) }
    var resolved = takeScratch()
    base.append(resolving: batch.bytes.span.extracting(range), to: &resolved)
    replace(from: start, with: resolved)
    return slice(from: start)
  }

  /// Keeps HTML with its addresses resolved: against the item's page, else like feed addresses.
  private mutating func keepHTML(_ text: Span<UInt8>, _ value: JSONMembers.Value?, page: ByteSlice?)
    -> ByteSlice?
  {
    let start = batch.bytes.count
    guard append(text, value, isHTML: true) else { return nil }
    guard HTMLAddresses.mayBeRelative(batch.bytes.span.extracting(start...)) else {
      return slice(from: start)
    }
    let base = page.flatMap { URLBase(batch.bytes[$0.range]) } ?? base
    var resolved = takeScratch()
    let isWhole = HTMLAddresses.append(
      batch.bytes.span.extracting(start...), resolvingAgainst: base, to: &resolved,
      upTo: 4 * limits.fieldBytes)
    if isWhole { replace(from: start, with: resolved) } else { scratch = resolved }
    return slice(from: start)
  }

  /// Returns the scratch buffer, empty. The caller gives it back.
  private mutating func takeScratch() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &scratch)
    taken.removeAll(keepingCapacity: true)
    return taken
  }

  /// Replaces the bytes that were appended since `start` by the scratch buffer, and gives that back.
  private mutating func replace(from start: Int, with text: [UInt8]) {
    batch.bytes.replaceSubrange(start..., with: text)
    scratch = text
  }

  // MARK: Lists

  private mutating func keepAuthors(_ text: Span<UInt8>, _ members: JSONValues) -> ListSlice {
    let first = batch.authors.count
    for value in elements(text, members[.authors]) {
      if let author = keepAuthor(text, value), !author.isAnonymous { batch.authors.append(author) }
    }
    // `author` from version 1.0 comes first, unless it is also in `authors` from version 1.1, which take
    // precedence.
    let count = batch.authors.count - first
    for value in elements(text, members[.author]) {
      guard let author = keepAuthor(text, value), !author.isAnonymous else { continue }
      if batch.authors[first...].contains(where: { author.isSamePerson(as: $0, batch.isSame) }) { continue }
      batch.authors.insert(author, at: batch.authors.count - count)
    }
    let authors = list(from: first, to: batch.authors.count)
    return authors.count > 0 ? authors : inheritedAuthors()
  }

  /// Returns nil if the value is neither an object nor a string. A string is a name.
  mutating func keepAuthor(_ text: Span<UInt8>, _ value: JSONMembers.Value) -> ParsedAuthor? {
    if case .string = value { return ParsedAuthor(name: keepTitle(text, value)) }
    guard let members = JSONValues(text, of: value) else { return nil }
    var author = ParsedAuthor(
      name: keepTitle(text, members[.name]), email: keep(text, members[.email]),
      url: keepAddress(text, members[.url]), avatar: keepAddress(text, members[.avatar], isPicture: true))
    if let url = author.url, let mailbox = mailbox(in: url) {
      author.email = author.email ?? mailbox
      author.url = nil
    }
    return author
  }

  /// Returns the mail address from an address with the scheme `mailto` (RFC 6068); nil for other addresses.
  private func mailbox(in address: ByteSlice) -> ByteSlice? {
    let text = batch.bytes.span.extracting(..<address.range.upperBound)
    guard text.hasPrefixIgnoringCase("mailto:", at: address.range.lowerBound) else { return nil }
    let start = address.range.lowerBound + "mailto:".utf8.count
    return slice(start..<(text.firstIndex(of: UInt8(ascii: "?"), from: start) ?? text.count))
  }

  /// Returns the feed's authors, which are stored once in a batch.
  private mutating func inheritedAuthors() -> ListSlice {
    if details.authors.isEmpty { return ListSlice() }
    if let inherited { return inherited }
    let first = batch.authors.count
    for author in details.authorsToPassOn(limits) { batch.authors.append(author.map { keep($0) }) }
    let authors = list(from: first, to: batch.authors.count)
    inherited = authors
    return authors
  }

  private mutating func keep(_ text: String) -> ByteSlice? {
    let start = batch.bytes.count
    batch.bytes.append(contentsOf: text.utf8)
    return slice(from: start)
  }

  private mutating func keepTags(_ text: Span<UInt8>, _ value: JSONMembers.Value?) -> ListSlice {
    let first = batch.tags.count
    for tag in elements(text, value) { if let kept = keep(text, tag) { batch.tags.append(kept) } }
    return list(from: first, to: batch.tags.count)
  }

  private mutating func keepAttachments(_ text: Span<UInt8>, _ value: JSONMembers.Value?) -> ListSlice {
    let first = batch.attachments.count
    for file in elements(text, value) {
      if let kept = keepAttachment(text, file) { batch.attachments.append(kept) }
    }
    return list(from: first, to: batch.attachments.count)
  }

  private mutating func keepAttachment(
    _ text: Span<UInt8>, _ value: JSONMembers.Value
  ) -> ParsedAttachment? {
    guard let members = JSONValues(text, of: value), let address = keepAddress(text, members[.url]) else {
      return nil
    }
    var file = ParsedAttachment(url: address)
    file.mimeType = keep(text, members[.mimeType])
    file.title = keep(text, members[.title])
    let (size, duration) = (members[.size], members[.duration])
    file.size = number(text, size).map { Int64($0) } ?? parsed(text, size) { Quantity.whole($0) }
    file.duration =
      number(text, duration) ?? parsed(text, duration) { Quantity.seconds($0) }.map(Double.init)
    return file
  }

  /// Reads the characters in a string or a number.
  private mutating func parsed(
    _ text: Span<UInt8>, _ value: JSONMembers.Value?, _ read: (Span<UInt8>) -> Int64?
  ) -> Int64? {
    scratch.removeAll(keepingCapacity: true)
    guard let value, JSONScalar.append(text, value, to: &scratch) else { return nil }
    return read(scratch.span)
  }

  /// Returns a number that is not negative.
  private func number(_ text: Span<UInt8>, _ value: JSONMembers.Value?) -> Double? {
    guard let value, let number = JSONScalar.number(text, value), number >= 0, number < 1e15 else {
      return nil
    }
    return number
  }

  /// Returns an array's elements, up to the limit. Any other value counts as an array with one element.
  mutating func elements(_ text: Span<UInt8>, _ value: JSONMembers.Value?) -> [JSONMembers.Value] {
    guard let value else { return [] }
    guard case .nested(let range) = value, text[range.lowerBound] == UInt8(ascii: "[") else { return [value] }
    var values: [JSONMembers.Value] = []
    var isCut = false
    var cursor = JSONCursor(at: range.lowerBound)
    _ = cursor.elements(text) {
      if values.count < limits.listCount { values.append($0) } else { isCut = true }
    }
    if isCut { details.shortenedListCount += 1 }
    return values
  }

  private func list(from first: Int, to end: Int) -> ListSlice {
    ListSlice(start: UInt32(truncatingIfNeeded: first), count: UInt32(truncatingIfNeeded: end - first))
  }
}

extension ParsedAuthor {
  /// True if nothing is known.
  fileprivate var isAnonymous: Bool { self == ParsedAuthor() }
}
