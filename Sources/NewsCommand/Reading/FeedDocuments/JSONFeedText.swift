import TextOutput
import WebAddress

/// JSON Feed 1.1 (jsonfeed.org/version/1.1), one item a line.
enum JSONFeedText {
  static func head(title: String) -> String {
    "{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\(JSONText.quoted(title)),\"items\":[\n"
  }

  static let tail = "]}\n"

  static func item(_ entry: FeedEntry) -> String {
    var item = JSONLine()
    item.add("id", entry.id)
    if let url = entry.url { item.add("url", url) }
    if let title = entry.title { item.add("title", title) }
    // One of the two fields is required.
    if let html = entry.contentHTML {
      item.add("content_html", html)
    } else {
      item.add("content_text", "")
    }
    if let summary = entry.summary { item.add("summary", summary) }
    if let image = entry.image { item.add("image", image) }
    if let date = entry.published { item.add("date_published", date) }
    if let date = entry.modified { item.add("date_modified", date) }
    add(entry.authors.map(object), as: "authors", to: &item)
    if !entry.tags.isEmpty { item.add("tags", entry.tags) }
    if let language = entry.language { item.add("language", language) }
    add(entry.attachments.map(object), as: "attachments", to: &item)
    return item.line
  }

  private static func add(_ objects: [String], as name: String, to item: inout JSONLine) {
    if !objects.isEmpty { item.addRaw(name, "[" + objects.joined(separator: ",") + "]") }
  }

  private static func object(_ author: FeedEntry.Author) -> String {
    var object = JSONLine()
    if let name = author.name { object.add("name", name) }
    if let url = author.url ?? author.email.map({ "mailto:\($0)" }) { object.add("url", url) }
    return object.object
  }

  private static func object(_ file: FeedEntry.File) -> String {
    var object = JSONLine()
    object.add("url", file.url)
    object.add("mime_type", file.type ?? "application/octet-stream")
    if let bytes = file.bytes { object.add("size_in_bytes", bytes) }
    return object.object
  }
}
