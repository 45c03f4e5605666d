internal import Markup

/// Where the members of an author begin in a text.
struct JSONAuthorFields {
  var name: Int?
  var email: Int?
  var url: Int?
  var avatar: Int?

  /// Nil when there is neither an object nor a string at `place`; a string is a name.
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

  /// Where the address of mail stands in an address of the scheme `mailto` (RFC 6068); nil in any other.
  static func mailbox(_ address: Span<UInt8>) -> Range<Int>? {
    let start = "mailto:".utf8.count
    guard address.hasPrefixIgnoringCase("mailto:") else { return nil }
    let end = address.firstIndex(of: UInt8(ascii: "?"), from: start) ?? address.count
    return start < end ? start..<end : nil
  }
}
