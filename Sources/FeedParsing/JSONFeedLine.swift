/// Writes a feed as a JSON Feed 1.1 object on one line, with an object `_newsimport` about the document.
public enum JSONFeedLine {
  /// The line of a feed, without the line end.
  ///
  /// - Parameters:
  ///   - feed: The feed.
  ///   - file: The name of the document as the user gave it; nil leaves it out.
  public static func encode(_ feed: ParsedFeed, file: String? = nil) -> [UInt8] {
    var json = JSONText()
    begin(&json)
    let details = feed.details
    json.field("title", details.title)
    json.field("home_page_url", details.homePageURL)
    json.field("feed_url", details.feedURL)
    json.field("description", details.description)
    json.field("icon", details.icon)
    json.field("language", details.language)
    write(details.authors, to: &json)
    json.field("next_url", details.pages.next)
    if !details.hubs.isEmpty {
      json.key("hubs")
      json.open("[")
      for hub in details.hubs {
        json.open("{")
        json.field("type", "WebSub")
        json.field("url", hub)
        json.close("}")
      }
      json.close("]")
    }
    json.key("items")
    json.open("[")
    for item in feed.items { write(item, to: &json) }
    json.close("]")
    end(&json, file: file, details: details, error: nil)
    return json.bytes
  }

  /// The line of a document that could not be read as a feed: no items, and the cause.
  public static func encode(error: FeedError, file: String? = nil) -> [UInt8] {
    encode(error: error.description, file: file)
  }

  /// As ``encode(error:file:)-(FeedError,_)`` with a cause in words, such as that the file is missing.
  public static func encode(error: String, file: String? = nil) -> [UInt8] {
    var json = JSONText()
    begin(&json)
    json.key("items")
    json.open("[")
    json.close("]")
    end(&json, file: file, details: nil, error: error)
    return json.bytes
  }

  private static func begin(_ json: inout JSONText) {
    json.open("{")
    json.field("version", "https://jsonfeed.org/version/1.1")
  }

  private static func end(_ json: inout JSONText, file: String?, details: FeedDetails?, error: String?) {
    json.key("_newsimport")
    json.open("{")
    json.field("file", file)
    json.field("format", details?.format?.rawValue)
    json.field("encoding", details?.encoding)
    json.field("recovered", details?.isRecovered ?? false)
    if details?.isTruncated == true { json.field("truncated", true) }
    if let error { json.field("error", error) } else { json.null("error") }
    if let details { writeModules(of: details, to: &json) }
    json.close("}")
    json.close("}")
  }

  private static func write(_ item: FeedItem, to json: inout JSONText) {
    json.open("{")
    json.field("id", item.id ?? item.url)
    json.field("url", item.url)
    json.field("external_url", item.externalURL)
    json.field("title", item.title)
    json.field("content_html", item.contentHTML)
    json.field("content_text", item.contentText)
    json.field("summary", item.summary)
    json.field("image", item.image)
    json.date("date_published", item.published)
    json.date("date_modified", item.modified)
    write(item.authors, to: &json)
    if !item.tags.isEmpty {
      json.key("tags")
      json.open("[")
      for tag in item.tags { json.string(tag) }
      json.close("]")
    }
    json.field("language", item.language)
    if !item.attachments.isEmpty {
      json.key("attachments")
      json.open("[")
      for file in item.attachments {
        json.open("{")
        json.field("url", file.url)
        json.field("mime_type", file.mimeType)
        json.field("title", file.title)
        json.field("size_in_bytes", file.size)
        json.field("duration_in_seconds", file.duration)
        json.close("}")
      }
      json.close("]")
    }
    writeModules(of: item, to: &json)
    json.close("}")
  }

  private static func write(_ authors: [FeedDetails.Author], to json: inout JSONText) {
    guard !authors.isEmpty else { return }
    json.key("authors")
    json.open("[")
    for author in authors {
      json.open("{")
      json.field("name", author.name)
      json.field("email", author.email)
      json.field("url", author.url)
      json.close("}")
    }
    json.close("]")
  }
}
