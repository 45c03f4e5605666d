import TextOutput
internal import Markup

/// An item as JSON, written from its batch's bytes without a string for each field.
extension JSONFeedLine {
  static func write(_ item: ParsedItem, of batch: ParsedItemBatch, to json: inout JSONText) {
    json.open("{")
    json.field("id", item.id ?? item.url, of: batch)
    json.field("url", item.url, of: batch)
    json.field("external_url", item.externalURL, of: batch)
    json.field("title", item.title, of: batch)
    json.field(item.contentIsPlainText ? "content_text" : "content_html", item.content, of: batch)
    json.field("content_text", item.contentText, of: batch)
    json.field("summary", item.summary, of: batch)
    json.field("image", item.image, of: batch)
    json.date("date_published", item.published)
    json.date("date_modified", item.modified)
    json.list("authors", batch.authors, item.authors) { author, json in
      json.open("{")
      json.field("name", author.name, of: batch)
      json.field("email", author.email, of: batch)
      json.field("url", author.url, of: batch)
      json.field("avatar", author.avatar, of: batch)
      json.close("}")
    }
    json.list("tags", batch.tags, item.tags) { tag, json in json.string(tag, of: batch) }
    json.field("language", item.language, of: batch)
    json.list("attachments", batch.attachments, item.attachments) { file, json in
      json.open("{")
      json.field("url", file.url, of: batch)
      json.field("mime_type", file.mimeType, of: batch)
      json.field("title", file.title, of: batch)
      json.field("size_in_bytes", file.size)
      json.field("duration_in_seconds", file.duration)
      json.close("}")
    }
    let members = ItemMembers.json(of: item, in: batch)
    if !members.isEmpty {
      json.key("_newsimport")
      json.append(elements: members)
    }
    json.close("}")
  }
}

extension ParsedItem {
  /// Returns whether the summary is HTML that would be a different text if it were read as plain text.
  func summaryIsHTML(in batch: ParsedItemBatch) -> Bool { summaryIsHTML(in: batch.bytes) }

  /// Returns the same for an item with its texts among `bytes`.
  package func summaryIsHTML(in bytes: [UInt8]) -> Bool {
    guard let summary, !summaryIsPlainText else { return false }
    let text = bytes.span.extracting(summary.range.clamped(to: 0..<bytes.count))
    return text.firstIndex(of: UInt8(ascii: "<")) != nil || text.firstIndex(of: UInt8(ascii: "&")) != nil
  }
}

extension JSONText {
  /// Writes a text from a batch.
  mutating func field(_ name: StaticString, _ slice: ByteSlice?, of batch: ParsedItemBatch) {
    guard let slice else { return }
    key(name)
    string(slice, of: batch)
  }

  mutating func string(_ slice: ByteSlice, of batch: ParsedItemBatch) {
    string(batch.bytes.span.extracting(slice.range.clamped(to: 0..<batch.bytes.count)))
  }

  /// Writes an item's part of a list in the batch; nothing if that part is empty.
  mutating func list<Element>(
    _ name: StaticString, _ all: [Element], _ part: ListSlice,
    _ write: (_ element: Element, _ json: inout JSONText) -> Void
  ) {
    guard part.count > 0 else { return }
    key(name)
    open("[")
    for element in all[part.range.clamped(to: 0..<all.count)] { write(element, &self) }
    close("]")
  }
}
