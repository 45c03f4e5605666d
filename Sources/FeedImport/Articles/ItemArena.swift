import TextOutput
import FeedParsing
import ManagedContext

/// The bytes of a batch of items, and at their end the values derived from them: identities, JSON lists, HTML of plain
/// text.
struct ItemArena {
  private(set) var bytes: [UInt8]
  /// The members of items by the properties that determine them; see ``members(of:in:)``.
  private var usualMembers = [ByteSlice?](repeating: nil, count: 6)

  init(_ bytes: consuming [UInt8]) {
    self.bytes = bytes
  }

  /// Returns the XXH3 hash of some of the bytes.
  func hash(of slice: ByteSlice) -> UInt64 {
    ContentHash.of(bytes.span.extracting(slice.range))
  }

  /// Returns some of the bytes.
  func text(of slice: ByteSlice) -> [UInt8] { Array(bytes[slice.range]) }

  /// Adds bytes at the end.
  mutating func append(_ text: some Collection<UInt8>) -> ByteSlice { appending { $0 += text } }

  // MARK: Identity

  /// Returns the guid of an article: its id, else its link, else a hash of title and date, or of title and text
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

  /// Hashes the fields of ``titleGuid(of:)`` and the addresses of its files; without these, all other fields.
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

  /// Returns the guid of an article that only its title identifies.
  ///
  /// An import gives it to an article of another program that has neither id nor address if the program may have made its date up.
  static func titleGuid(_ title: UInt64) -> String { "hash:" + String(title &* 31, radix: 16) }

  /// Returns ``titleGuid(_:)`` of an item with a date and without id and address; nil for another item.
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

  /// Returns the guid that separates an item from others with the same id or link; nil if the item lacks a part of it.
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

  /// The fields that a ``contentHash(of:in:_:using:)`` covers. Stores contain hashes of all versions. An article whose
  /// stored hash is that of an earlier version was not edited, and gets the present hash.
  enum HashVersion {
    /// Title, link, summary, content, dates, authors, tags, addresses and types of attachments.
    case first
    /// Also image, language, sizes and titles of attachments, and whether the content is plain text.
    case second
    /// Also everything else that `parse` prints, except for counters. Items without any of it have the same hash as before.
    case present

    /// The earlier versions.
    static let former: [HashVersion] = [.second, .first]
  }

  /// Returns a hash of all fields that a publisher can edit; never of counters, which change by themselves.
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

  /// Returns a JSON array of objects with `name`, `url`, `email` and `avatar`; nil without authors.
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

  /// Returns a JSON array of texts; nil without tags.
  mutating func tags(of item: ParsedItem, in items: ParsedItemBatch) -> ByteSlice? {
    let tags = items.tags[item.tags.range]
    guard !tags.isEmpty else { return nil }
    return appendingArray(tags) { json, tag in json.text(tag) }
  }

  /// Returns a JSON array of objects with `url`, `mime_type`, `title`, `size_in_bytes` and `duration_in_seconds`; nil
  /// without attachments.
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

  /// Returns whether a guid is a ``SharedGuid`` in the place of the item's id.
  func isShared(_ guid: ByteSlice, of item: ParsedItem) -> Bool {
    guard let id = item.id, bytes.span.extracting(guid.range).isSharedGuid else { return false }
    return bytes[id.range] != bytes[guid.range]
  }

  /// Returns what has no column of its own as a JSON object, nil if there is nothing, and the address of the comments.
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
    // Most items have at most these two, and those of a document the same. Their text is in the arena once.
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

  /// Returns the content as HTML: plain text has its markup characters escaped and its line ends marked. Nil without
  /// content.
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

  /// Returns the range that `body` adds to the end of the bytes.
  private mutating func appending(_ body: (inout [UInt8]) -> Void) -> ByteSlice {
    let start = bytes.count
    body(&bytes)
    return ByteSlice(offset: UInt32(start), count: UInt32(bytes.count - start))
  }
}

extension ParsedItem {
  /// True if the item has neither an id nor a link, and not both title and date: only its text and its files identify
  /// it.
  var isKnownByText: Bool {
    id == nil && url == nil && (title == nil || (published == nil && modified == nil))
  }
}
