internal import Markup

/// The indexes of the values of an item's members in its text. Of two members with the same name the last counts.
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

  /// True if the item has a member that only items of a JSON Feed have.
  var areOfJSONFeed: Bool {
    contentHTML != nil || contentText != nil || published != nil || modified != nil || externalURL != nil
      || bannerImage != nil
  }

  /// Stores the index of a member's value.
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

/// The indexes of the values of an author's members in a text.
struct JSONAuthorFields {
  var name: Int?
  var email: Int?
  var url: Int?
  var avatar: Int?

  /// Returns nil if the value is neither an object nor a string. A string is a name.
  init?(_ text: Span<UInt8>, at place: Int) {
    if text[place] == UInt8(ascii: "\"") {
      name = place
      return
    }
    var cursor = JSONCursor(at: place)
    var fields = (name: Int?.none, email: Int?.none, url: Int?.none, avatar: Int?.none)
    let isObject = cursor.members(text) { key, value in
      if key.equals("name") { fields.name = value }
      if key.equals("email") { fields.email = value }
      if key.equals("url") { fields.url = value }
      if key.equals("avatar") { fields.avatar = value }
    }
    guard isObject else { return nil }
    (name, email, url, avatar) = fields
  }

  /// Returns the mail address in an address of the scheme `mailto` (RFC 6068); nil for other addresses.
  static func mailbox(_ address: Span<UInt8>) -> Range<Int>? {
    let start = "mailto:".utf8.count
    guard address.hasPrefixIgnoringCase("mailto:") else { return nil }
    let end = address.firstIndex(of: UInt8(ascii: "?"), from: start) ?? address.count
    return start < end ? start..<end : nil
  }
}
