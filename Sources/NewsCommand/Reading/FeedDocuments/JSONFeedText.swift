import TextOutput

/// JSON Feed 1.1 (jsonfeed.org/version/1.1), one item a line.
enum JSONFeedText: FeedText {
  static func head(title: String) -> String {
    "{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\(JSONText.quoted(title)),\"items\":[\n"
  }

  static let separator = ","

  static let tail = "]}\n"

  static func item(_ entry: FeedEntry) -> String {
    let item: JSONLine = [
      "id": entry.id, "url": entry.url, "title": entry.title, "content_html": entry.contentHTML,
      // One of the two fields is required.
      "content_text": entry.contentHTML == nil ? "" : nil as String?, "summary": entry.summary,
      "image": entry.image, "date_published": entry.published, "date_modified": entry.modified,
      "authors": nonEmpty(entry.authors.map(object)), "tags": nonEmpty(entry.tags),
      "language": entry.language, "attachments": nonEmpty(entry.attachments.map(object)),
    ]
    return item.withoutNulls.line
  }

  private static func nonEmpty<Element>(_ elements: [Element]) -> [Element]? {
    elements.isEmpty ? nil : elements
  }

  private static func object(_ author: FeedEntry.Author) -> JSONLine {
    let object: JSONLine = [
      "name": author.name, "url": author.url ?? author.email.map { "mailto:\($0)" },
    ]
    return object.withoutNulls
  }

  private static func object(_ file: FeedEntry.File) -> JSONLine {
    let object: JSONLine = [
      "url": file.url, "mime_type": file.type ?? "application/octet-stream", "size_in_bytes": file.bytes,
    ]
    return object.withoutNulls
  }
}
