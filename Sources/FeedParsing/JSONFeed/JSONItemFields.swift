/// Where the members of an item begin in its text; of two with one name the last.
struct JSONItemFields {
  var id: Int?
  var url: Int?
  var externalURL: Int?
  var title: Int?
  var contentHTML: Int?
  var contentText: Int?
  var summary: Int?
  var image: Int?
  var bannerImage: Int?
  var language: Int?
  var published: Int?
  var modified: Int?
  var author: Int?
  var authors: Int?
  var tags: Int?
  var attachments: Int?

  /// Whether there is a member that only items of a JSON Feed have.
  var areOfJSONFeed: Bool {
    contentHTML != nil || contentText != nil || published != nil || modified != nil || externalURL != nil
      || bannerImage != nil
  }

  /// Takes a member that begins at `value`.
  mutating func take(_ key: Span<UInt8>, _ value: Int) {
    switch key.count {
    case 2: if key.equals("id") { id = value }
    case 3: if key.equals("url") { url = value }
    case 4: if key.equals("tags") { tags = value }
    case 5:
      if key.equals("title") { title = value }
      if key.equals("image") { image = value }
    case 6: if key.equals("author") { author = value }
    case 7:
      if key.equals("summary") { summary = value }
      if key.equals("authors") { authors = value }
    case 8: if key.equals("language") { language = value }
    default: takeLong(key, value)
    }
  }

  private mutating func takeLong(_ key: Span<UInt8>, _ value: Int) {
    if key.equals("content_html") { contentHTML = value }
    if key.equals("content_text") { contentText = value }
    if key.equals("external_url") { externalURL = value }
    if key.equals("banner_image") { bannerImage = value }
    if key.equals("date_published") { published = value }
    if key.equals("date_modified") { modified = value }
    if key.equals("attachments") { attachments = value }
  }
}
