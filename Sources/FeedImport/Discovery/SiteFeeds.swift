import WebAddress

/// The feeds of pages that name none, or that programs cannot read, by the addresses of the pages.
enum SiteFeeds {
  /// A page's form and its feed's. A star is one part of a path or a value; a last `**` is the rest of the path.
  private typealias Row = (hosts: [String], page: String, feed: String)

  private static let reddit = ["www.reddit.com", "reddit.com", "old.reddit.com"]
  private static let youtube = ["www.youtube.com", "youtube.com", "m.youtube.com"]
  private static let gitHub = ["github.com", "www.github.com"]

  private static let table: [Row] = [
    // https://www.reddit.com/wiki/rss
    (reddit, "/r/*", "https://www.reddit.com/r/*/.rss"),
    (reddit, "/u/*", "https://www.reddit.com/user/*/.rss"),
    (reddit, "/user/*", "https://www.reddit.com/user/*/.rss"),
    // https://developers.google.com/youtube/v3/guides/push_notifications (channels) and
    // https://gist.github.com/tracend/d70ce06e3fe2683b6ade (both)
    (youtube, "/playlist?list=*", "https://www.youtube.com/feeds/videos.xml?playlist_id=*"),
    (youtube, "/channel/UC*", "https://www.youtube.com/feeds/videos.xml?channel_id=UC*"),
    // https://wwsun.github.io/wiki/Github
    (gitHub, "/*/*", "https://github.com/*/*/releases.atom"),
    (gitHub, "/*/*/releases", "https://github.com/*/*/releases.atom"),
    (gitHub, "/*/*/commits", "https://github.com/*/*/commits.atom"),
    (gitHub, "/*/*/commits/**", "https://github.com/*/*/commits/**.atom"),
  ]

  /// Mastodon profiles, on any host:
  /// https://github.com/mastodon/mastodon/blob/main/app/controllers/accounts_controller.rb
  private static let profile = (page: "/@*", feed: "/@*.rss")

  /// The ends of addresses that are feeds already.
  private static let feedEnds = [".rss", ".atom", ".xml", ".json", ".rdf"]

  /// Returns the feed's address; nil for other pages, and for an address that is a feed's already.
  ///
  /// Whether the feed exists is not known: any site may have such a page.
  static func feed(ofPage page: WebAddress) -> WebAddress? {
    guard let host = page.host, let origin = page.origin, let target = page.target else { return nil }
    let place = target.utf8.dropFirst(origin.utf8.count)
    let known = table.filter { $0.hosts.contains { $0.utf8.elementsEqual(host.utf8) } }
    for row in known {
      if let parts = parts(of: place, in: row.page) { return WebAddress(filled(row.feed, with: parts)) }
    }
    guard known.isEmpty, !page.hasUser, let parts = parts(of: place, in: profile.page),
      parts[0].utf8.allSatisfy(isOfProfile)
    else { return nil }
    return WebAddress(page.site + filled(profile.feed, with: parts))
  }

  /// Returns the texts that a path and query have in the places of the stars; nil if they have another form.
  private static func parts(of place: Substring.UTF8View, in form: String) -> [String]? {
    let (path, query) = divided(place)
    let (formPath, formQuery) = divided(form.utf8[...])
    var names = path.split(separator: UInt8(ascii: "/"))
    let forms = formPath.split(separator: UInt8(ascii: "/"))
    if forms.last?.elementsEqual("**".utf8) == true, names.count > forms.count,
      let start = names[forms.count - 1].indices.first
    {
      names = names[..<(forms.count - 1)] + [path[start...]]
    }
    guard names.count == forms.count else { return nil }
    var found: [String] = []
    for (name, form) in zip(names, forms) {
      guard let part = part(of: name, in: form) else { return nil }
      found += part
    }
    guard !formQuery.isEmpty else { return found }
    for value in query.split(separator: UInt8(ascii: "&")) {
      if let part = part(of: value, in: formQuery) { return found + part }
    }
    return nil
  }

  /// Returns the text in the place of the star in one part, which ends the part; nil if it does not match.
  private static func part(of name: Substring.UTF8View, in form: Substring.UTF8View) -> [String]? {
    let fixed = form.prefix { $0 != UInt8(ascii: "*") }
    guard fixed.endIndex < form.endIndex else { return name.elementsEqual(form) ? [] : nil }
    let part = String(Substring(name.dropFirst(fixed.count)))
    guard name.starts(with: fixed), !part.isEmpty, !feedEnds.contains(where: { hasEnd(part, $0) }) else {
      return nil
    }
    return [part]
  }

  private static func hasEnd(_ text: String, _ end: String) -> Bool {
    text.utf8.suffix(end.utf8.count).elementsEqual(end.utf8)
  }

  private static func divided(_ place: Substring.UTF8View) -> (
    path: Substring.UTF8View, query: Substring.UTF8View
  ) {
    let whole = place.prefix { $0 != UInt8(ascii: "?") }
    let path = whole.last == UInt8(ascii: "/") ? whole.dropLast() : whole
    return (path, place[whole.endIndex...].dropFirst())
  }

  /// Replaces the stars by the parts, in their order.
  private static func filled(_ form: String, with parts: [String]) -> String {
    let pieces = form.replacing("**", with: "*").split(separator: "*", omittingEmptySubsequences: false)
    return zip(pieces, parts + [""]).map { $0 + $1 }.joined()
  }

  /// Returns whether a Mastodon user's name may contain a byte.
  private static func isOfProfile(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: "_")
  }
}
