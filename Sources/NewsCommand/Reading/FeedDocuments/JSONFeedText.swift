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
      "id": entry.id, "url": entry.url, "external_url": entry.externalURL, "title": entry.title,
      "content_html": entry.contentHTML,
      // One of the two fields is required.
      "content_text": entry.contentHTML == nil ? "" : nil as String?, "summary": entry.summary,
      "image": entry.image, "date_published": entry.published, "date_modified": entry.modified,
      "authors": nonEmpty(entry.authors.map(object)), "tags": nonEmpty(entry.tags),
      "language": entry.language, "attachments": nonEmpty(entry.attachments.map(object)),
      "_newsimport": members(entry).map(RecordValue.json),
    ]
    return item.withoutNulls.line
  }

  /// Returns the other members as `newsimport parse` prints them; nil without any.
  private static func members(_ entry: FeedEntry) -> String? {
    guard let url = entry.commentsURL else { return entry.members.map(printable) }
    let others = entry.members.map { "," + printable($0).dropFirst() } ?? "}"
    return "{\"comments_url\":" + JSONText.quoted(url) + others
  }

  private static func nonEmpty<Element>(_ elements: [Element]) -> [Element]? {
    elements.isEmpty ? nil : elements
  }

  private static func object(_ author: FeedEntry.Author) -> JSONLine {
    let object: JSONLine = [
      "name": author.name, "url": author.url ?? author.email.map { "mailto:\($0)" }, "avatar": author.avatar,
    ]
    return object.withoutNulls
  }

  private static func object(_ file: FeedEntry.File) -> JSONLine {
    let object: JSONLine = [
      "url": file.url, "mime_type": file.type ?? "application/octet-stream", "size_in_bytes": file.bytes,
      "duration_in_seconds": file.seconds.map {
        $0 == $0.rounded() ? RecordValue.json("\(Int64($0))") : .real($0)
      },
    ]
    return object.withoutNulls
  }
}
