import FeedParsing
import Testing

/// What is no feed although its elements have names of feeds, and what is one although little is in it.
struct ForeignDocumentTests {
  static let foreign = [
    ("<rss", "the beginning of a document of the kind <rss>"),
    (
      "<?xml version='1.0'?>\n<!-- a > b --><rss version='2.0'",
      "the beginning of a document of the kind <rss>"
    ),
    ("<rdf:RDF", "the beginning of a document of the kind <rdf:RDF>"),
    ("<feed xmlns='http://www.w3.org/2005/Atom'", "the beginning of a document of the kind <feed>"),
    ("<entry ", "the beginning of a document of the kind <entry>"),
    (
      "<feed xmlns='http://example.com/products'><product><name>x</name></product></feed>",
      "a document of the kind <feed> of http://example.com/products"
    ),
    (
      "<p:feed xmlns:p='http://example.com/products'><p:product/></p:feed>",
      "a document of the kind <feed> of http://example.com/products"
    ),
    (
      "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:foaf='http://xmlns.com/foaf/0.1/'>"
        + "<foaf:Person><foaf:name>N</foaf:name></foaf:Person></rdf:RDF>",
      "an RDF document without a channel"
    ),
    ("<channel><foo/></channel>", "a document of the kind <channel>"),
    ("<channel><foo>a & b</foo></channel>", "a document of the kind <channel>"),
    ("<html><body><channel></channel></body></html>", "an HTML page"),
    (
      "<html><head><link rel='alternate' type='application/rss+xml' href='http://e.org/f'/></head>"
        + "<body><rss><channel/></rss></body></html>",
      "an HTML page; it links to a feed at http://e.org/f"
    ),
  ]

  @Test(arguments: foreign)
  func `what only has the name of a feed is none`(document: String, expected: String) {
    #expect(throws: FeedError.notAFeed(looksLike: expected)) { try ParsedFeed.parse(Array(document.utf8)) }
    #expect(throws: FeedError.notAFeed(looksLike: expected)) {
      try ParsedFeed.parse(chunks: document.utf8.map { [$0] })
    }
  }

  @Test(arguments: [
    "<rss><channel/></rss>", "<rss/>", "<RSS><CHANNEL/></RSS>", "<feed/>",
    "<feed xmlns='http://www.w3.org/2005/Atom'/>",
    "<rdf:RDF><channel/></rdf:RDF>", "<channel><title>t</title></channel>",
    "<channel><item><title>a</title></item></channel>",
    "<feed xmlns='http://www.w3.org/2005/Atmo'><title>t</title></feed>",
    "<feed xmlns='http://www.w3.org/2005/Atmo'><entry><title>a</title></entry></feed>",
    "<rdf:RDF xmlns='http://example.org/rss'><item><title>a</title></item></rdf:RDF>",
    "<html><body><rss><channel><item><title>a</title></item></channel></rss></body></html>",
    "<rss><channel><title>t</title></channel></rss><", "<rss><channel><title>t</title></channel></rss><rss",
  ])
  func `a feed with little in it, or of a misspelt namespace, is one`(document: String) throws {
    let feed = try ParsedFeed.parse(Array(document.utf8))
    #expect(feed.items.map(\.title) == (document.contains("<title>a") ? ["a"] : []))
    #expect(feed.details.title == (document.contains("<title>t") ? "t" : nil))
  }
}
