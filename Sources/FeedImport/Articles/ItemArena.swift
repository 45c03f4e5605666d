import TextOutput
import FeedParsing
import ManagedContext

/// A batch's item bytes, followed by values derived from them: identities, JSON lists, HTML from plain text.
struct ItemArena {
  private(set) var bytes: [UInt8]
  /// Items' members by the properties that determine them; see ``members(of:in:)``.
  private var usualMembers = [ByteSlice?](repeating: nil, count: 6)

  init(_ bytes: consuming [UInt8]) {
    self.bytes = bytes
  }

  func hash(of slice: ByteSlice) -> UInt64 {
    ContentHash.of(bytes.span.extracting(slice.range))
  }

  func text(of slice: ByteSlice) -> [UInt8] { Array(bytes[slice.range]) }

  mutating func append(_ text: some Collection<UInt8>) -> ByteSlice { appending { $0 += text } }

  // MARK: Identity

  /// Returns an article's guid: its id, else its link, else a hash of title and date, or of title and text
  /// without a date; without a title, of text, date and files.
  ///
  /// - Returns: Nil for an item without content.
  mutating func guid(of item: ParsedItem, in items: ParsedItemBatch) -> ByteSlice? {
    if let id = item.id ?? item.url { return id }
    guard item.isKnownByText else { return titleGuid(of: item) }
    if let title = item.title, let text = item.content ?? item.summary {
      return hashGuid((hash(of: title) &* 31 &+ hash(of: text)) &* 31)
    }
    let hash = fileHash(of: item, in: items)
    return hash == 0 ? nil : hashGuid(hash)
  }

  /// Hashes the fields of ``titleGuid(of:)`` and the file addresses; without these, all other fields.
  private func fileHash(of item: ParsedItem, in items: ParsedItemBatch) -> UInt64 {
    var hash = titleHash(of: item)
    for file in items.attachments[item.attachments.range] { hash = hash &* 31 &+ self.hash(of: file.url) }
    if hash != 0 { return hash }
    for part in items.extensions[item.extensions.range] where part.field == .url {
      hash = hash &* 31 &+ self.hash(of: part.value)
    }
    for field in [item.externalURL, item.image] {
      if let field { hash = hash &* 31 &+ self.hash(of: field) }
    }
    for author in items.authors[item.authors.range] {
      if let name = author.name ?? author.email { hash = hash &* 31 &+ self.hash(of: name) }
    }
    for tag in items.tags[item.tags.range] { hash = hash &* 31 &+ self.hash(of: tag) }
    return hash
  }

  /// Returns the guid for an article that only its title identifies.
  ///
  /// It is for other programs' articles without id and address, if the program may have made up their dates.
  static func titleGuid(_ title: UInt64) -> String { "hash:" + String(title &* 31, radix: 16) }

  /// Returns ``titleGuid(_:)`` for an item with a date but no id and address; nil for another item.
  mutating func undatedTitleGuid(of item: ParsedItem) -> ByteSlice? {
    guard item.id == nil, item.url == nil, !item.isKnownByText, let title = item.title else { return nil }
    return append(Self.titleGuid(hash(of: title)).utf8)
  }

  /// Returns a hash of the title (without one, of the text) and the date.
  mutating func titleGuid(of item: ParsedItem) -> ByteSlice {
    hashGuid(titleHash(of: item))
  }

  private func titleHash(of item: ParsedItem) -> UInt64 {
    let hash = (item.title ?? item.content ?? item.summary).map { self.hash(of: $0) } ?? 0
    return hash &* 31 &+ UInt64(bitPattern: item.published ?? item.modified ?? 0)
  }

  private mutating func hashGuid(_ hash: UInt64) -> ByteSlice {
    appending { bytes in
      bytes += "hash:".utf8
      bytes += String(hash, radix: 16).utf8
    }
  }

  /// Returns the guid that separates an item from others with the same id or link; nil if a part is missing.
  func sharedGuid(of item: ParsedItem, _ links: LinkIdentity, _ parts: SharedGuid.Parts) -> SharedGuid? {
    guard let identity = item.id ?? item.url else { return nil }
    let link = item.url.map { links.key(bytes.span.extracting($0.range)) }
    let key = links.key(bytes.span.extracting(identity.range))
    switch parts {
    case .all:
      return SharedGuid(
        identity: key, link: link ?? 0, title: item.title.map(hash(of:)) ?? 0, published: item.published)
    case .link:
      return item.id == nil ? nil : link.map { SharedGuid(identity: key, link: $0) }
    }
  }

  /// The fields that ``contentHash(of:in:_:using:)`` covers. Stores contain hashes from all versions. An
  /// article with an earlier version's hash was not edited, and gets the present hash.
  enum HashVersion {
    /// Title, link, summary, content, dates, authors, tags, attachment addresses and types.
    case first
    /// Also image, language, attachment sizes and titles, and whether the content is plain text.
    case second
    /// Also everything else that `parse` prints, except counters. Items without any of it keep their hash.
    case present

    static let former: [HashVersion] = [.second, .first]
  }

  /// Returns a hash over all fields that a publisher can edit, without counters, which change by themselves.
  func contentHash(
    of item: ParsedItem, in items: ParsedItemBatch, _ version: HashVersion = .present,
    using hash: inout ContentHash
  ) -> Int64 {
    hash.reset()
    if version != .first { addLaterFields(of: item, in: items, version, to: &hash) }
    add(item.title, to: &hash)
    add(item.url, to: &hash)
    add(item.summary, to: &hash)
    add(item.content, to: &hash)
    hash.update(item.published ?? .min)
    hash.update(item.modified ?? .min)
    for author in items.authors[item.authors.range] {
      add(author.name, to: &hash)
      add(author.email, to: &hash)
      add(author.url, to: &hash)
      if version == .present, let avatar = author.avatar { add(avatar, to: &hash) }
    }
    for tag in items.tags[item.tags.range] { add(tag, to: &hash) }
    for attachment in items.attachments[item.attachments.range] {
      add(attachment.url, to: &hash)
      add(attachment.mimeType, to: &hash)
    }
    if version == .present { addLatestFields(of: item, in: items, to: &hash) }
    return hash.value
  }

  private func addLaterFields(
    of item: ParsedItem, in items: ParsedItemBatch, _ version: HashVersion, to hash: inout ContentHash
  ) {
    var flags: Int64 = item.contentIsPlainText ? 2 : 3
    if version == .present {
      if let isPermaLink = item.idIsPermaLink { flags += isPermaLink ? 8 : 4 }
      if item.summary != nil, !item.summaryIsPlainText { flags += 16 }
    }
    hash.update(flags)
    add(item.image, to: &hash)
    add(item.language, to: &hash)
    if item.url == nil { add(item.externalURL, to: &hash) }
    for attachment in items.attachments[item.attachments.range] {
      add(attachment.title, to: &hash)
      hash.update(attachment.size ?? -1)
      if version == .present, let duration = attachment.duration {
        hash.update(Int64(bitPattern: duration.bitPattern))
      }
    }
  }

  private func addLatestFields(of item: ParsedItem, in items: ParsedItemBatch, to hash: inout ContentHash) {
    func add(_ number: Int64, _ field: ByteSlice?) {
      guard let field else { return }
      hash.update(number)
      self.add(field, to: &hash)
    }
    if item.url != nil { add(1, item.externalURL) }
    add(2, item.contentText)
    for part in items.extensions[item.extensions.range] where !part.isCounter {
      add(Int64(part.kind.rawValue) << 8 | Int64(part.field.rawValue), part.value)
    }
  }

  private func add(_ field: ByteSlice?, to hash: inout ContentHash) {
    guard let field else { return hash.update(-1) }
    hash.update(Int64(field.count))
    hash.update(bytes.span.extracting(field.range))
  }

  // MARK: Lists as JSON

  /// Returns a JSON array with each author's `name`, `url`, `email` and `avatar`; nil without authors.
  mutating func authors(of item: ParsedItem, in items: ParsedItemBatch) -> ByteSlice? {
    let authors = items.authors[item.authors.range]
    guard !authors.isEmpty else { return nil }
    return appendingArray(authors) { json, author in
      json.object { json in
        json.field("name", author.name)
        json.field("url", author.url)
        json.field("email", author.email)
        json.field("avatar", author.avatar)
      }
    }
  }

  /// Returns a JSON array with the tags; nil without tags.
  mutating func tags(of item: ParsedItem, in items: ParsedItemBatch) -> ByteSlice? {
    let tags = items.tags[item.tags.range]
    guard !tags.isEmpty else { return nil }
    return appendingArray(tags) { json, tag in json.text(tag) }
  }

  /// Returns a JSON array with an object for each attachment: `url`, `mime_type`, `title`, `size_in_bytes`
  /// and `duration_in_seconds`; nil without attachments.
  mutating func attachments(of item: ParsedItem, in items: ParsedItemBatch) -> ByteSlice? {
    let attachments = items.attachments[item.attachments.range]
    guard !attachments.isEmpty else { return nil }
    return appendingArray(attachments) { json, file in
      json.object { json in
        json.field("url", file.url)
        json.field("mime_type", file.mimeType)
        json.field("title", file.title)
        json.field("size_in_bytes", file.size)
        json.field("duration_in_seconds", file.duration)
      }
    }
  }

  /// Returns whether a guid is a ``SharedGuid`` that replaces the item's id.
  func isShared(_ guid: ByteSlice, of item: ParsedItem) -> Bool {
    guard let id = item.id, bytes.span.extracting(guid.range).isSharedGuid else { return false }
    return bytes[id.range] != bytes[guid.range]
  }

  /// Returns a JSON object with the values that have no column, nil if none exist, and the comments' address.
  ///
  /// - Parameter keepsID: True to add the publisher's id.
  mutating func members(
    of item: ParsedItem, in items: ParsedItemBatch, keepsID: Bool
  ) -> (commentsURL: ByteSlice?, json: ByteSlice?) {
    var found = members(of: item, in: items)
    guard keepsID, let id = item.id else { return found }
    var json = JSONText()
    json.open("{")
    json.field("id", String(decoding: bytes[id.range], as: UTF8.self))
    var text = json.takeBytes()
    if let others = found.json {
      text.append(UInt8(ascii: ","))
      text += bytes[others.range].dropFirst()
    } else {
      text.append(UInt8(ascii: "}"))
    }
    found.json = append(text)
    return found
  }

  private mutating func members(
    of item: ParsedItem, in items: ParsedItemBatch
  ) -> (commentsURL: ByteSlice?, json: ByteSlice?) {
    guard item.extensions.count == 0, item.contentText == nil else { return stored(item, items) }
    // Most items have at most these two, the same throughout a document. Their text is in the arena once.
    let isHTML = item.summaryIsHTML(in: bytes)
    let number = (item.idIsPermaLink.map { $0 ? 2 : 1 } ?? 0) + (isHTML ? 3 : 0)
    if number == 0 { return (nil, nil) }
    if let known = usualMembers[number] { return (nil, known) }
    let text = append(StoredMembers.json(summaryIsHTML: isHTML, idIsPermaLink: item.idIsPermaLink))
    usualMembers[number] = text
    return (nil, text)
  }

  private mutating func stored(
    _ item: ParsedItem, _ items: ParsedItemBatch
  ) -> (commentsURL: ByteSlice?, json: ByteSlice?) {
    var batch = items
    // The bytes are moved: a second reference would make the next change copy them.
    swap(&batch.bytes, &bytes)
    let members = StoredMembers(of: item, in: batch)
    swap(&batch.bytes, &bytes)
    return (members.commentsURL, members.json.isEmpty ? nil : append(members.json))
  }

  private mutating func appendingArray<Element>(
    _ elements: some Collection<Element>, _ body: (inout JSONArena, Element) -> Void
  ) -> ByteSlice {
    appending { bytes in
      var json = JSONArena(bytes)
      // Without this second reference the arena is not copied when it grows.
      bytes = []
      json.array(elements, body)
      bytes = json.bytes
    }
  }

  // MARK: Content

  /// Returns the content as HTML: plain text is escaped, and its line ends marked. Nil without content.
  mutating func contentHTML(of item: ParsedItem) -> ByteSlice? {
    guard let content = item.content, item.contentIsPlainText else { return item.content }
    let special: (UInt8) -> Bool = {
      switch $0 {
      case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        true
      default: false
      }
    }
    guard bytes[content.range].contains(where: special) else { return content }
    return appending { bytes in
      for place in content.range {
        switch bytes[place] {
        case UInt8(ascii: "&"): bytes += "&amp;".utf8
        case UInt8(ascii: "<"): bytes += "&lt;".utf8
        case UInt8(ascii: ">"): bytes += "&gt;".utf8
        case UInt8(ascii: "\n"): bytes += "<br>\n".utf8
        // The line ends with the following text, or here.
        case UInt8(ascii: "\r"):
          let next = place + 1
          if next == content.range.upperBound || bytes[next] != UInt8(ascii: "\n") { bytes += "<br>\n".utf8 }
        case let byte: bytes.append(byte)
        }
      }
    }
  }

  /// Returns the range that `body` appends to the bytes.
  private mutating func appending(_ body: (inout [UInt8]) -> Void) -> ByteSlice {
    let start = bytes.count
    body(&bytes)
    return ByteSlice(offset: UInt32(start), count: UInt32(bytes.count - start))
  }
}

extension ParsedItem {
  /// True if the item has neither id nor link, and not both title and date: only text and files identify it.
  var isKnownByText: Bool {
    id == nil && url == nil && (title == nil || (published == nil && modified == nil))
  }
}
