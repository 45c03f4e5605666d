struct FeedFormat {
  enum Kind {
    case rss, atom, atomXHTML, rdf, json
  }

  var kind = Kind.rss
  var encoding = Encoding.utf8
  var language = Language.english

  /// The file's extension, which determines the server's content type.
  var suffix: String {
    switch kind {
    case .rss: "rss"
    case .atom, .atomXHTML: "atom"
    case .rdf: "xml"
    case .json: "json"
    }
  }

  /// The format at a percentile of all feeds: mostly RSS 2.0, then Atom, and some of each other.
  init(percentile: Int) {
    switch percentile {
    case 0..<62: break
    case 62..<80: kind = .atom
    case 80..<85: kind = .atomXHTML
    case 85..<90: kind = .rdf
    case 90..<93: kind = .json
    case 93..<95: (encoding, language) = (.latin1, .french)
    case 95..<97: language = .french
    case 97..<99: (encoding, language) = (.windows1251, .russian)
    default: (kind, language) = (.atom, .russian)
    }
  }

  /// Returns a feed's first lines.
  func head(of feed: Int, updated: Moment, links: [String]) -> String {
    let site = "https://site\(feed).example.com"
    let declaration = "<?xml version=\"1.0\" encoding=\"\(encoding.rawValue)\"?>\n"
    switch kind {
    case .rss:
      return declaration + """
        <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" \
        xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom">
        <channel>
        <title>Site \(feed) &amp; friends</title>
        <link>\(site)/</link>
        <description>What happens at site \(feed)</description>
        <language>\(language.tag)</language>

        """
    case .atom, .atomXHTML:
      return declaration + """
        <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="\(language.tag)">
        <title>Site \(feed) &amp; friends</title>
        <id>\(site)/</id>
        <link href="\(site)/"/>
        <updated>\(updated.internet)</updated>

        """
    case .rdf:
      let places = links.map { "<rdf:li rdf:resource=\"\($0)\"/>\n" }.joined()
      return declaration + """
        <rdf:RDF xmlns="http://purl.org/rss/1.0/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" \
        xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/">
        <channel rdf:about="\(site)/">
        <title>Site \(feed)</title>
        <link>\(site)/</link>
        <description>What happens at site \(feed)</description>
        <items><rdf:Seq>
        \(places)</rdf:Seq></items>
        </channel>

        """
    case .json:
      return """
        {"version":"https://jsonfeed.org/version/1.1","title":"Site \(feed)","home_page_url":"\(site)/","items":[

        """
    }
  }

  /// A feed's last lines.
  var tail: String {
    switch kind {
    case .rss: "</channel>\n</rss>\n"
    case .atom, .atomXHTML: "</feed>\n"
    case .rdf: "</rdf:RDF>\n"
    case .json: "\n]}\n"
    }
  }

  /// The text between two articles.
  var separator: String { kind == .json ? ",\n" : "" }
}
