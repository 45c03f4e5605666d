internal import XMLStream

/// Reads a JSON Feed 1.0 or 1.1. Items of a wrong form are left out.
struct JSONFeedReader {
  var details = FeedDetails()
  var batch = ParsedItemBatch()
  private var base: URLBase?
  private var limits = ParserLimits.standard
  private var hasItems = false

  /// Reads the whole document.
  mutating func read(_ body: [UInt8], source: DocumentSource, limits: ParserLimits) throws(FeedError) {
    self.limits = limits
    base = source.url.flatMap { URLBase($0.utf8) }
    details.format = .json1
    details.encoding = "utf-8"
    var cursor = JSONCursor(Self.repaired(body, &details.isRecovered))
    do throws(JSONCursor.Failure) {
      try readFeed(&cursor)
    } catch {
      guard isFeed else { throw notAFeed }
      if batch.items.isEmpty { throw .malformed(line: cursor.line, code: 0) }
      details.isRecovered = true
      details.isTruncated = cursor.isAtEnd
    }
    guard isFeed else { throw notAFeed }
  }

  private var isFeed: Bool { hasVersion || (hasItems && details.title != nil) }
  private var hasVersion = false

  private var notAFeed: FeedError { .notAFeed(looksLike: "a JSON document, but no JSON Feed") }

  /// The body without a byte order mark, bytes that are no UTF-8 replaced.
  private static func repaired(_ body: [UInt8], _ isRecovered: inout Bool) -> [UInt8] {
    let text = body.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(body.dropFirst(3)) : body
    if String(validating: text, as: UTF8.self) != nil { return text }
    isRecovered = true
    return Array(String(decoding: text, as: UTF8.self).utf8)
  }

  /// The outermost object; items are read one by one, so that only one is in memory as a tree.
  private mutating func readFeed(_ cursor: inout JSONCursor) throws(JSONCursor.Failure) {
    try cursor.expect(UInt8(ascii: "{"))
    if cursor.take(UInt8(ascii: "}")) { return }
    repeat {
      let key = try cursor.key()
      if key.span.equals("items"), cursor.take(UInt8(ascii: "[")) {
        hasItems = true
        try readItems(&cursor)
      } else {
        takeDetail(key.span, try cursor.value())
      }
    } while cursor.take(UInt8(ascii: ","))
    try cursor.expect(UInt8(ascii: "}"))
  }

  private mutating func readItems(_ cursor: inout JSONCursor) throws(JSONCursor.Failure) {
    if cursor.take(UInt8(ascii: "]")) { return }
    repeat { takeItem(try cursor.value(depth: 2)) } while cursor.take(UInt8(ascii: ","))
    try cursor.expect(UInt8(ascii: "]"))
  }

  // MARK: Feed

  private mutating func takeDetail(_ key: Span<UInt8>, _ value: JSONValue) {
    if key.equals("version") { hasVersion = value.text?.contains("jsonfeed.org/version/1") == true }
    if key.equals("title") { details.title = value.bytes.flatMap { plain($0, .none) } }
    if key.equals("home_page_url") { details.homePageURL = address(value) }
    if key.equals("feed_url") {
      details.feedURL = address(value)
      if base == nil { base = details.feedURL.flatMap { URLBase($0.utf8) } }
    }
    if key.equals("description") { details.description = value.text }
    if key.equals("icon") { details.icon = address(value) }
    if key.equals("favicon"), details.icon == nil { details.icon = address(value) }
    if key.equals("language") { details.language = value.text }
    if key.equals("authors") {
      details.authors = Self.union(details.authors, value.elements.compactMap(author))
    }
    if key.equals("author") {
      details.authors = Self.union([author(value)].compactMap(\.self), details.authors)
    }
    if key.equals("next_url") { details.pages.next = address(value) }
    if key.equals("hubs") { details.hubs = value.elements.compactMap { $0["url"]?.text } }
  }

  /// `author` of version 1.0 first, then `authors` of 1.1, each once.
  private static func union(_ first: [FeedDetails.Author], _ others: [FeedDetails.Author]) -> [FeedDetails
    .Author]
  {
    first + others.filter { !first.contains($0) }
  }

  private func author(_ value: JSONValue) -> FeedDetails.Author? {
    let author = FeedDetails.Author(
      name: value["name"]?.bytes.flatMap { plain($0, .none) }, email: value["email"]?.text,
      url: value["url"].flatMap { address($0) })
    return author == FeedDetails.Author() ? nil : author
  }

  private func plain(_ bytes: [UInt8], _ markup: PlainText.Markup) -> String? {
    var bytes = bytes
    PlainText.make(&bytes, from: 0, markup)
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  private func address(_ value: JSONValue) -> String? {
    guard let text = value.bytes else { return nil }
    let trimmed = Self.trimmed(text)
    return trimmed.isEmpty ? nil : String(decoding: resolved(trimmed), as: UTF8.self)
  }

  private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
    Array(bytes.drop { $0.isXMLSpace }.reversed().drop { $0.isXMLSpace }.reversed())
  }

  private func resolved(_ text: [UInt8]) -> [UInt8] {
    guard let base, URLBase.schemeEnd(text.span) == nil else { return text }
    var result: [UInt8] = []
    base.append(resolving: text.span, to: &result)
    return result
  }

  // MARK: Items

  private mutating func takeItem(_ value: JSONValue) {
    guard value.isObject, batch.bytes.count < 1 << 30 else { return }
    if base == nil { base = details.homePageURL.flatMap { URLBase($0.utf8) } }
    var item = ParsedItem()
    item.id = keep(value["id"]?.bytes)
    item.url = keepAddress(value["url"])
    item.externalURL = keepAddress(value["external_url"])
    item.title = value["title"]?.bytes.flatMap { plain($0, .none) }.flatMap { keep(Array($0.utf8)) }
    takeContent(value, &item)
    item.image = keepAddress(value["image"] ?? value["banner_image"])
    item.language = keep(value["language"]?.bytes)
    item.published = value["date_published"]?.text.flatMap { DateParser.seconds($0) }
    item.modified = value["date_modified"]?.text.flatMap { DateParser.seconds($0) }
    takeLists(value, &item)
    let isEmpty = item.id == nil && item.url == nil && item.title == nil && item.content == nil
    if !isEmpty { batch.items.append(item) }
  }

  private mutating func takeContent(_ value: JSONValue, _ item: inout ParsedItem) {
    let summary = keep(value["summary"]?.bytes)
    if let html = value["content_html"]?.bytes, !html.isEmpty, html.count <= limits.fieldBytes {
      item.content = keep(absolute(html))
    } else if let text = value["content_text"]?.bytes, !text.isEmpty, text.count <= limits.fieldBytes {
      item.content = keep(text)
      item.contentIsPlainText = true
    }
    item.summary = summary
    if item.content == nil {
      item.content = summary
      item.contentIsPlainText = true
      item.summary = nil
    }
  }

  private func absolute(_ html: [UInt8]) -> [UInt8] {
    guard let base, HTMLAddresses.mayBeRelative(html.span) else { return html }
    var result: [UInt8] = []
    let isWhole = HTMLAddresses.append(
      html.span, resolvingAgainst: base, to: &result, upTo: 4 * limits.fieldBytes)
    return isWhole ? result : html
  }

  private mutating func takeLists(_ value: JSONValue, _ item: inout ParsedItem) {
    var authors = Self.union(
      [value["author"].flatMap(author)].compactMap(\.self),
      (value["authors"]?.elements ?? []).compactMap(author))
    if authors.isEmpty { authors = details.authors }
    let firstAuthor = batch.authors.count
    for author in authors.prefix(limits.listCount) {
      let kept = ParsedAuthor(name: keep(author.name), email: keep(author.email), url: keep(author.url))
      batch.authors.append(kept)
    }
    item.authors = slice(from: firstAuthor, to: batch.authors.count)
    let firstTag = batch.tags.count
    for tag in (value["tags"]?.elements ?? []).prefix(limits.listCount) {
      if let text = tag.text, let kept = keep(text) { batch.tags.append(kept) }
    }
    item.tags = slice(from: firstTag, to: batch.tags.count)
    let firstFile = batch.attachments.count
    for file in (value["attachments"]?.elements ?? []).prefix(limits.listCount) {
      guard let url = keepAddress(file["url"]) else { continue }
      var kept = ParsedAttachment(url: url)
      kept.mimeType = keep(file["mime_type"]?.bytes)
      kept.title = keep(file["title"]?.bytes)
      if case .number(let size)? = file["size_in_bytes"], size >= 0, size < 1e15 { kept.size = Int64(size) }
      if case .number(let time)? = file["duration_in_seconds"], time >= 0, time < 1e9 {
        kept.duration = Int64(time)
      }
      batch.attachments.append(kept)
    }
    item.attachments = slice(from: firstFile, to: batch.attachments.count)
  }

  private func slice(from first: Int, to end: Int) -> ListSlice {
    ListSlice(start: UInt32(truncatingIfNeeded: first), count: UInt32(truncatingIfNeeded: end - first))
  }

  private mutating func keepAddress(_ value: JSONValue?) -> ByteSlice? {
    guard let bytes = value?.bytes else { return nil }
    let text = Self.trimmed(bytes)
    return text.isEmpty ? nil : keep(resolved(text))
  }

  private mutating func keep(_ text: String?) -> ByteSlice? { keep(text.map { Array($0.utf8) }) }

  private mutating func keep(_ bytes: [UInt8]?) -> ByteSlice? {
    guard let bytes, !bytes.isEmpty, bytes.count <= limits.fieldBytes else { return nil }
    let slice = ByteSlice(
      offset: UInt32(truncatingIfNeeded: batch.bytes.count), count: UInt32(truncatingIfNeeded: bytes.count))
    batch.bytes.append(contentsOf: bytes)
    return slice
  }
}
