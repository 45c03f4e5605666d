import TextOutput

/// Writes a feed as a JSON Feed 1.1 object on one line while it is parsed, with an object `_newsimport` about
/// the document.
///
/// A usual feed has its members in the usual order. If the items exceed the memory limit for holding them
/// back, the line begins with the items, and the other members follow.
public struct JSONFeedLine {
  /// The most item bytes that are held back.
  private static let heldBytes = 1 << 20

  private let file: String?
  private var items = JSONText()
  /// Nil while the items are held back, then the line without the bytes that were taken.
  private var line: JSONText?

  /// Begins a line.
  ///
  /// - Parameter file: The document's name as the user gave it; nil leaves the name out.
  public init(file: String? = nil) {
    self.file = file
  }

  /// Adds a batch's items.
  public mutating func append(_ batch: ParsedItemBatch) {
    for item in batch.items { Self.write(item, of: batch, to: &items) }
  }

  /// Returns the bytes that can be written before the feed ends, and removes them. The result is empty while
  /// the items are few.
  public mutating func takeBytes() -> [UInt8] {
    if line == nil {
      guard items.bytes.count > Self.heldBytes else { return [] }
      var json = Self.begun()
      json.key("items")
      json.open("[")
      let bytes = json.takeBytes() + items.takeBytes()
      line = json
      return bytes
    }
    return items.takeBytes()
  }

  /// Ends the line, and returns the bytes that were not taken, without a line end.
  ///
  /// - Parameters:
  ///   - details: The feed's properties. A document that is not a feed contributes nothing.
  ///   - error: The reason why the document was not read to its end; nil if it was.
  public mutating func finish(_ details: FeedDetails, error: String? = nil) -> [UInt8] {
    let details = details.format == nil ? nil : details
    var json: JSONText
    if let line {
      json = line
      json.append(elements: items.takeBytes())
      json.close("]")
      if let details { Self.write(details, to: &json) }
    } else {
      json = Self.begun()
      if let details { Self.write(details, to: &json) }
      json.key("items")
      json.open("[")
      json.append(elements: items.takeBytes())
      json.close("]")
    }
    end(&json, details, error)
    return json.takeBytes()
  }

  private static func begun() -> JSONText {
    var json = JSONText()
    json.open("{")
    json.field("version", "https://jsonfeed.org/version/1.1")
    return json
  }

  private static func write(_ details: FeedDetails, to json: inout JSONText) {
    json.field("title", details.title)
    json.field("home_page_url", details.homePageURL)
    json.field("feed_url", details.feedURL)
    json.field("next_url", details.nextPageURL)
    json.field("description", details.description)
    json.field("icon", details.icon)
    json.field("language", details.language)
    json.objects("authors", details.authors, write)
    json.objects("hubs", details.hubs) { hub, json in
      json.field("type", details.hubTypes[hub] ?? "WebSub")
      json.field("url", hub)
    }
  }

  private func end(_ json: inout JSONText, _ details: FeedDetails?, _ error: String?) {
    json.key("_newsimport")
    json.open("{")
    json.field("file", file)
    json.field("format", details?.format?.rawValue)
    json.field("encoding", details?.encoding)
    json.field("recovered", details?.isRecovered ?? false)
    if details?.isTruncated == true { json.field("truncated", true) }
    if let count = details?.shortenedTextCount, count > 0 { json.field("shortened_texts", Int64(count)) }
    if let count = details?.shortenedListCount, count > 0 { json.field("shortened_lists", Int64(count)) }
    if let count = details?.droppedItemCount, count > 0 { json.field("dropped_items", Int64(count)) }
    if let error { json.field("error", error) } else { json.null("error") }
    if let details { Self.writeModules(of: details, to: &json) }
    json.close("}")
    json.close("}")
  }
}
