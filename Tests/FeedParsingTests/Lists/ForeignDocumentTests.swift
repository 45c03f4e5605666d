import FeedParsing
import TestSupport
import Testing

/// Documents that are not feeds although their elements have the names, and feeds with little in them.
struct ForeignDocumentTests {
  private static let feed = "<rss><channel><item><title>a</title></item></channel></rss>"

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
    ("<html><body>\(feed)</body></html>", "an HTML page"),
    ("<!DOCTYPE html><html><title>t</title><p>Write:<textarea>\(feed)</textarea></html>", "an HTML page"),
    ("<svg><foreignObject>\(feed)</foreignObject></svg>", "a document of the kind <svg>"),
    ("<article><para>x</para><programlisting>\(feed)</programlisting>", "a document of the kind <article>"),
    ("<s:Envelope xmlns:s='x'><s:Body>\(feed)</s:Body></s:Envelope>", "a document of the kind <Envelope>"),
    ("<project><target>\(feed)</target>\(feed)</project>", "a document of the kind <project>"),
    ("List<item> a; Map<rss> b; // <item><title>q</title></item>", "a document of the kind <item>"),
    ("const a = <T,>(x: rss) => \(feed);", "a document of the kind <T,>"),
  ]

  @Test(arguments: foreign)
  func `a document with only the name of a feed is not one`(document: String, expected: String) {
    #expect(throws: FeedError.notAFeed(looksLike: expected)) { try ParsedFeed.parse(Array(document.utf8)) }
    #expect(throws: FeedError.notAFeed(looksLike: expected)) {
      try ParsedFeed.parse(chunks: document.utf8.map { [$0] })
    }
  }

  static let files: [(start: [UInt8], expected: String)] = [
    ([], "binary data"), (Array("\u{89}PNG".unicodeScalars.map { UInt8($0.value) }), "an image (PNG)"),
    (Array("%PDF-1.4".utf8), "a PDF file"), ([0x1F, 0x8B, 8], "compressed data (gzip)"),
    ([0x50, 0x4B, 3, 4], "an archive (ZIP)"), ([0x7F, 0x45, 0x4C, 0x46], "a program (ELF)"),
    ([0xFF, 0xFB, 0x90], "a sound (MP3)"), (Array("ID3".utf8), "a sound (MP3)"),
    (Array("OggS".utf8), "a sound or a film (Ogg)"),
    (Array("\0\0\0 ftypisom".utf8), "a film or a sound (MP4)"),
    (Array("<a>".utf8), "binary data"),
  ]

  @Test(arguments: files, [2000, 700_000])
  func `a binary file is named by its kind`(file: (start: [UInt8], expected: String), count: Int) {
    var random = SeededGenerator(seed: UInt64(count))
    let bytes = file.start + (0..<count).map { _ in UInt8.random(in: 1...255, using: &random) }
    for size in [4096, bytes.count] {
      let chunks = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0...].prefix(size)) }
      #expect(throws: FeedError.notAFeed(looksLike: file.expected)) { try ParsedFeed.parse(chunks: chunks) }
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
    "<RSS2.0><channel><item><title>a</title></item></channel></RSS2.0>",
    "<fed xmlns='http://www.w3.org/2005/Atom'><entry><title>a</title></entry></fed>",
    "<xml version='1.0'?><rss><channel><item><title>a</title></item></channel></rss>",
    "<p>Error 1<br><font>2<rss><channel><item><title>a</title></item></channel></rss>",
    "<rss><channel><title>t</title></channel></rss><", "<rss><channel><title>t</title></channel></rss><rss",
  ])
  func `a feed with little in it, or of a misspelt namespace, is one`(document: String) throws {
    let feed = try ParsedFeed.parse(Array(document.utf8))
    #expect(feed.items.map(\.title) == (document.contains("<title>a") ? ["a"] : []))
    #expect(feed.details.title == (document.contains("<title>t") ? "t" : nil))
  }

  @Test(arguments: [("<html>", FeedError.notAFeed(looksLike: "an HTML page")), ("<b>", nil)])
  func `a page that exceeds a limit is reported as a page, in any chunks`(end: (String, FeedError?)) {
    var limits = ParserLimits()
    limits.depth = 4
    let document = Array("<a><a><a><a><a>\(String(repeating: " ", count: 40))\(end.0)".utf8)
    for size in [1, 20, 40, document.count] {
      let chunks = stride(from: 0, to: document.count, by: size).map {
        Array(document[$0...].prefix(size))
      }
      #expect(throws: end.1 ?? .limit(name: "depth of elements", value: 4)) {
        try ParsedFeed.parse(chunks: chunks, limits: limits)
      }
    }
  }

  @Test(arguments: [
    ("<?xml version=\"1.0\"?>", "an XML declaration without a document"),
    ("<?xml version=\"1.0\"?>\n<!-- nothing -->\n", "an XML declaration without a document"),
    ("<", "the beginning of a document that is cut off"), ("null", "a JSON document, but no JSON Feed"),
    ("\"text\"", "a JSON document, but no JSON Feed"), ("true", "a JSON document, but no JSON Feed"),
    ("-1.5", "a JSON document, but no JSON Feed"), ("nullify", "plain text"), ("3 items", "plain text"),
  ])
  func `a short document is named by its kind`(document: String, expected: String) {
    #expect(throws: FeedError.notAFeed(looksLike: expected)) { try ParsedFeed.parse(Array(document.utf8)) }
  }
}
