import ManagedContext
import NewsModel
import TextOutput
import WebAddress

/// JSON Feed 1.1 (jsonfeed.org/version/1.1), one item a line.
package enum JSONFeedText: FeedText {
  package static func head(_ channel: FeedChannel) -> String {
    let addresses = [("home_page_url", channel.home), ("feed_url", channel.address)].map { name, address in
      address.map { "\"\(name)\":\(JSONText.quoted($0.asciiText))," } ?? ""
    }
    return "{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\(JSONText.quoted(channel.title)),"
      + addresses.joined() + "\"items\":[\n"
  }

  package static let separator = ","

  package static let tail = "]}\n"

  package static func write(_ entry: FeedEntry, to bytes: inout [UInt8]) {
    var json = JSONText(continuing: &bytes)
    json.open("{")
    json.field("id", entry.id)
    json.field("url", entry.url)
    json.field("external_url", entry.externalURL)
    json.field("title", entry.title)
    let hasContent = entry.writeText("content_html", Article.schema.contentHTML, to: &json)
    // JSON Feed requires `content_html` or `content_text`.
    if !hasContent { json.field("content_text", "") }
    entry.writeText("summary", Article.schema.summary, to: &json)
    json.field("image", entry.image)
    json.field("date_published", entry.published.map(iso8601))
    json.field("date_modified", entry.modified.map(iso8601))
    json.objects("authors", entry.authors, write)
    json.strings("tags", entry.tags)
    json.field("language", entry.language)
    json.objects("attachments", entry.attachments, write)
    writeMembers(entry, to: &json)
    json.close("}")
    json.endLine()
    bytes = json.takeBytes()
  }

  /// Writes the other members as `newsimport parse` prints them.
  private static func writeMembers(_ entry: FeedEntry, to json: inout JSONText) {
    if let url = entry.commentsURL {
      let members = entry.members.flatMap { JSONShape.object.matches($0) ? withEscapes($0) : nil } ?? "{}"
      let others = members.utf8.contains(UInt8(ascii: "\"")) ? "," + members.dropFirst() : "}"
      json.key("_newsimport" as StaticString)
      json.raw("{\"comments_url\":" + JSONText.quoted(url) + others)
    } else {
      entry.withUTF8(of: Article.schema.members) { members in
        guard let members, JSONShape.object.matches(members) else { return }
        json.key("_newsimport" as StaticString)
        json.raw(members)
      }
    }
  }

  private static func write(_ author: FeedEntry.Author, to json: inout JSONText) {
    json.field("name", author.name)
    json.field("url", author.url ?? author.email.map { "mailto:\($0)" })
    json.field("avatar", author.avatar)
  }

  private static func write(_ file: FeedEntry.File, to json: inout JSONText) {
    json.field("url", file.url)
    json.field("mime_type", file.type ?? "application/octet-stream")
    json.field("title", file.title)
    json.field("size_in_bytes", file.bytes.map(Int64.init))
    json.field("duration_in_seconds", file.seconds)
  }
}

extension FeedEntry {
  /// Writes an article text, if there is one.
  ///
  /// - Returns: True if there is one.
  @discardableResult
  fileprivate func writeText(
    _ name: StaticString, _ key: AttributeKey<String?>, to json: inout JSONText
  ) -> Bool {
    withUTF8(of: key) { text in
      guard let text else { return false }
      json.key(name)
      json.string(text)
      return true
    }
  }
}
