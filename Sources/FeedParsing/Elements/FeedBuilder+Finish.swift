internal import Markup

/// The ends of texts and items.
extension FeedBuilder {
  mutating func finishCapture() {
    if capture.kind == .binary { batch.bytes.removeSubrange(capture.start...) }
    if capture.isFull, capture.kind != .binary { shorten() }
    markNames.removeAll(keepingCapacity: true)
    if capture.kind == .base64HTML || capture.kind == .base64Text { decodeBase64() }
    if capture.start < batch.bytes.count, batch.bytes[capture.start] <= UInt8(ascii: "<") {
      unwrapCharacterData()
    }
    let start = capture.start
    switch capture.field {
    case .title:
      makePlainText(from: start)
      item.title.set(trimmedSlice(from: start), rank: capture.rank)
    case .content, .description: finishBody()
    case .published: item.published.set(date(from: start), rank: capture.rank, isLast: true)
    case .modified: item.modified.set(date(from: start), rank: capture.rank, isLast: true)
    case .link:
      resolveAddress(from: start)
      finishLink(trimmedSlice(from: start))
    case .id: finishID()
    case .category: finishTags(isList: false)
    case .keywords: finishTags(isList: true)
    case .language: item.language.set(trimmedSlice(from: start), rank: 0)
    case .imageURL:
      resolveAddress(from: start)
      item.image.set(trimmedSlice(from: start), rank: capture.rank)
    case .extensionText: finishExtensionText()
    case .personText, .personName, .personEmail, .personURL: finishPersonCapture()
    default: finishFeedCapture()
    }
  }

  /// Removes CDATA marks that are part of the text because the whole text was escaped once more, or several times.
  private mutating func unwrapCharacterData() {
    guard capture.kind == .html || capture.kind == .plain else { return }
    let start = capture.start
    var first = start
    var layers = 0
    while true {
      while first < batch.bytes.count, batch.bytes[first].isXMLSpace { first += 1 }
      guard batch.bytes.span.hasPrefix("<![CDATA[", at: first) else { break }
      first += 9
      layers += 1
    }
    guard layers > 0 else { return }
    // All are removed at once, so that a text of beginnings only takes no longer than another.
    batch.bytes.removeSubrange(start..<first)
    var last = batch.bytes.count
    for _ in 0..<layers {
      while last > start, batch.bytes[last - 1].isXMLSpace { last -= 1 }
      guard last - start >= 3, batch.bytes.span.hasPrefix("]]>", at: last - 3) else { break }
      last -= 3
    }
    batch.bytes.removeSubrange(last...)
  }

  private mutating func decodeBase64() {
    guard let text = Base64.decode(batch.bytes.span.extracting(capture.start...)) else { return }
    guard !text.contains(where: Self.isOfNoText) else { return batch.bytes.removeSubrange(capture.start...) }
    batch.bytes.replaceSubrange(capture.start..., with: Array(String(decoding: text, as: UTF8.self).utf8))
  }

  /// A byte that no text contains: a control character that XML does not allow.
  private static func isOfNoText(_ byte: UInt8) -> Bool { byte < 0x20 && !byte.isXMLSpace }

  /// Turns the text of the capture into a title.
  mutating func makePlainText(from start: Int) {
    let markup: PlainText.Markup =
      switch capture.kind {
      case .text, .base64Text, .plain, .binary, .alternatives: capture.hasMarkup ? .html : .none
      case .html: isAtom ? .html : .maybe
      case .xhtml, .base64HTML: .html
      }
    PlainText.make(&batch.bytes, from: start, markup)
  }

  private mutating func finishLink(_ slice: ByteSlice?) {
    if !capture.isEnclosure {
      item.url.set(slice, rank: capture.rank, isLast: true)
    } else if let slice, hasRoom(pendingAttachments.count, in: .attachments) {
      pendingAttachments.append(ParsedAttachment(url: slice))
    }
  }

  private mutating func finishBody() {
    let isPlain = (capture.kind == .text || capture.kind == .base64Text) && !capture.hasMarkup
    if !isPlain, let base = bases.last { resolveAddresses(from: capture.start, base) }
    let body = trimmedSlice(from: capture.start).map { ItemInProgress.Body(text: $0, isPlain: isPlain) }
    if capture.field == .content {
      item.content.set(body, rank: capture.rank)
    } else {
      item.description.set(body, rank: capture.rank)
    }
  }

  mutating func resolveAddresses(from start: Int, _ base: URLBase) {
    guard HTMLAddresses.mayBeRelative(batch.bytes.span.extracting(start...)) else { return }
    var resolved = takeScratch()
    let isWhole = HTMLAddresses.append(
      batch.bytes.span.extracting(start...), resolvingAgainst: base, to: &resolved,
      upTo: 4 * limits.fieldBytes)
    if isWhole { replace(from: start, with: resolved) } else { scratch = resolved }
  }

  private mutating func finishID() {
    let start = capture.start
    let isPermaLink = capture.isPermaLink
    guard let slice = trimmedSlice(from: start) else { return }
    let isAddress = isWebAddress(slice)
    if isPermaLink ?? isAddress, item.url.wants(max(1, capture.rank)), isAddress || !bases.isEmpty {
      // The id stays as it is written; the address is a resolved copy.
      let copy = batch.bytes.count
      batch.bytes.append(contentsOf: Array(batch.bytes[slice.moved(by: itemStart).range]))
      resolveAddress(from: copy)
      item.url.set(trimmedSlice(from: copy), rank: max(1, capture.rank))
    }
    item.id.set(shortened(slice), rank: capture.rank)
  }

  private func isWebAddress(_ slice: ByteSlice) -> Bool {
    let text = batch.bytes.span.extracting(slice.moved(by: itemStart).range)
    return text.hasPrefixIgnoringCase("http://") || text.hasPrefixIgnoringCase("https://")
  }

  /// Replaces an id that is too long by its hash.
  private mutating func shortened(_ slice: ByteSlice) -> ByteSlice? {
    guard slice.count > limits.idBytes else { return slice }
    let hash = LongID.hash(of: batch.bytes.span.extracting(slice.moved(by: itemStart).range))
    let start = batch.bytes.count
    batch.bytes.append(contentsOf: hash)
    return trimmedSlice(from: start)
  }

  private mutating func finishTags(isList: Bool) {
    let start = capture.start
    guard isList else {
      PlainText.make(&batch.bytes, from: start, .maybe)
      if let tag = trimmedSlice(from: start) {
        if capture.isQualified { note(.category, .text, tag) }
        addTag(tag)
      }
      return
    }
    let end = batch.bytes.count
    var wordStart = start
    for index in start...end where index == end || batch.bytes[index] == UInt8(ascii: ",") {
      var (first, last) = (wordStart, index)
      while first < last, batch.bytes[first].isXMLSpace { first += 1 }
      while last > first, batch.bytes[last - 1].isXMLSpace { last -= 1 }
      if last > first {
        addTag(
          ByteSlice(
            offset: UInt32(truncatingIfNeeded: first - itemStart),
            count: UInt32(truncatingIfNeeded: last - first)))
      }
      wordStart = index + 1
    }
  }

  // MARK: Items

  /// Ends an item. From now on its slices count from the beginning of the batch.
  mutating func finishItem() {
    guard isInItem, exceeded == nil else { return }
    guard batch.bytes.count < 1 << 31 else { return exceed("bytes of items at once", 1 << 31) }
    if pendingAuthors.isEmpty, isAtom, !isBehindFeed { inheritAuthors() }
    if item.hasContentFile { addContentFile() }
    if !pendingExtensions.isEmpty, !pendingAttachments.isEmpty { setDurations() }
    let base = itemStart
    func moved(_ slice: ByteSlice?) -> ByteSlice? { slice?.moved(by: base) }
    var result = ParsedItem()
    result.id = moved(item.id.value)
    result.idIsPermaLink = item.idIsPermaLink
    result.url = moved(item.url.value)
    result.externalURL = moved(item.externalURL)
    result.title = moved(item.title.value)
    let body = item.content.value ?? item.description.value
    result.content = moved(body?.text)
    result.contentIsPlainText = body?.isPlain ?? false
    if item.content.value != nil, let summary = item.description.value {
      result.summary = moved(summary.text)
      result.summaryIsPlainText = summary.isPlain
    }
    result.image = moved(item.image.value)
    result.language = moved(item.language.value)
    result.published = item.published.value
    result.modified = item.modified.value
    result.authors = Self.move(&pendingAuthors, to: &batch.authors) { author in
      ParsedAuthor(name: moved(author.name), email: moved(author.email), url: moved(author.url))
    }
    result.tags = Self.move(&pendingTags, to: &batch.tags) { $0.moved(by: base) }
    result.attachments = Self.move(&pendingAttachments, to: &batch.attachments) { file in
      ParsedAttachment(
        url: file.url.moved(by: base), mimeType: moved(file.mimeType), title: moved(file.title),
        size: file.size, duration: file.duration)
    }
    result.extensions = Self.move(&pendingExtensions, to: &batch.extensions) { part in
      ParsedExtension(
        kind: part.kind, field: part.field, element: part.element, value: part.value.moved(by: base))
    }
    batch.items.append(result)
    if !item.cuts.isEmpty { details.shortenedListCount += item.cuts.count }
    isInItem = false
    itemStart = batch.bytes.count
  }

  private static func move<Element>(
    _ list: inout [Element], to all: inout [Element], _ change: (Element) -> Element
  ) -> ListSlice {
    guard !list.isEmpty else { return ListSlice() }
    let start = all.count
    for element in list { all.append(change(element)) }
    let count = list.count
    list.removeAll(keepingCapacity: true)
    return ListSlice(start: UInt32(truncatingIfNeeded: start), count: UInt32(truncatingIfNeeded: count))
  }

  /// Sets the author of an Atom entry without one: the feed's author (RFC 4287, section 4.2.1).
  private mutating func inheritAuthors() {
    for author in details.authorsToPassOn(limits) {
      pendingAuthors.append(
        ParsedAuthor(name: keep(author.name), email: keep(author.email), url: keep(author.url)))
    }
  }

  private mutating func keep(_ text: String?) -> ByteSlice? {
    guard let text else { return nil }
    let start = batch.bytes.count
    batch.bytes.append(contentsOf: text.utf8)
    return trimmedSlice(from: start)
  }

  /// Reserves room for texts. A number that a server invents takes no memory until texts arrive.
  mutating func reserveText(_ byteCount: Int) {
    let largestReserve = 1 << 20
    if byteCount > 0 { batch.bytes.reserveCapacity(min(byteCount, largestReserve)) }
  }

  /// Moves the complete items out. The part of the next item stays.
  mutating func takeItems() -> ParsedItemBatch {
    if batch.items.isEmpty { return ParsedItemBatch() }
    hasGivenItems = true
    var taken = ParsedItemBatch()
    swap(&taken, &batch)
    // The next batch of a large feed has the same size.
    if taken.bytes.count > 64 << 10 { batch.bytes.reserveCapacity(taken.bytes.count) }
    if itemStart < taken.bytes.count {
      batch.bytes.append(contentsOf: taken.bytes[itemStart...])
      taken.bytes.removeSubrange(itemStart...)
    }
    capture.start = max(0, capture.start - itemStart)
    person.start = max(0, person.start - itemStart)
    itemStart = 0
    return taken
  }
}
