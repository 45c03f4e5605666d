import FeedParsing
import Testing

/// Links of Atom that fill no field of an item, and content that is elsewhere or is not text.
struct AtomLinkTests {
  @Test(
    arguments: [
      (
        "<link rel='via' href='/v' type='text/html' title='V &amp; W' hreflang='en' length='1,024'/>",
        #""links":[{"url":"http://e.org/v","rel":"via","type":"text/html","title":"V & W","hreflang":"en","length":1024}]"#
      ),
      (
        "<link rel='related' href='/1'/><link rel='related' href='/2' title='Two'/>",
        #""links":[{"url":"http://e.org/1","rel":"related"},{"url":"http://e.org/2","rel":"related","title":"Two"}]"#
      ),
      (
        "<link rel='replies' href='/r' type='text/html' title='R'/>",
        #""comments_url":"http://e.org/r","links":[{"url":"http://e.org/r","rel":"replies","type":"text/html","title":"R"}]"#
      ),
      (
        "<link href='/en'/><link href='/de' hreflang='de'/>",
        #""links":[{"url":"http://e.org/de","hreflang":"de"}]"#
      ),
      (
        "<link href='/p' type='application/pdf'/><link href='/h' type='text/html'/>",
        #""links":[{"url":"http://e.org/p","type":"application/pdf"}]"#
      ),
      (
        "<link href='/h' type='text/html'/><link href='/p' type='application/pdf'/>",
        #""links":[{"url":"http://e.org/p","type":"application/pdf"}]"#
      ),
      (
        "<link rel='http://e.org/rel/Map' href='/m'/>",
        #""links":[{"url":"http://e.org/m","rel":"http://e.org/rel/Map"}]"#
      ),
      (
        "<link rel='enclosure' href='/e' title='E' length='7' hreflang='fr'/>",
        #""links":[{"url":"http://e.org/e","rel":"enclosure","title":"E","hreflang":"fr","length":7}]"#
      ),
      ("<link rel='enclosure' href='/e' title='E' length='7'/>", ""),
      ("<link href='/en'/><link rel='self' href='/s'/><link rel='edit' href='/e'/>", ""),
      ("<link rel='via' href='javascript:x'/>", ""), ("<link rel='via'/>", ""),
    ])
  func `an entry keeps the links that fill no other field`(source: String, expected: String) throws {
    #expect(try ModuleDocument.members(ofEntry: source) == expected)
  }

  @Test func `the first related link is the external address`() throws {
    let entry = try ModuleDocument.entry("<link rel='related' href='/1'/><link rel='related' href='/2'/>")
    #expect(entry.externalURL == "http://e.org/1")
  }

  @Test func `a feed keeps the links that fill no other field`() throws {
    #expect(
      try ModuleDocument.members(
        ofAtomFeed: "<link rel='via' href='/v' type='text/html'/><link rel='edit' href='/e'/>"
          + "<link rel='payment' href='/pay' title='Pay'/><link href='/'/><link rel='self' href='/s'/>")
        == #""links":[{"url":"http://e.org/v","rel":"via","type":"text/html"},"#
        + #"{"url":"http://e.org/pay","rel":"payment","title":"Pay"}]"#)
  }

  @Test(
    arguments: [
      (
        "<content src='/c.html' type='text/html'/>",
        #""content_src":{"url":"http://e.org/c.html","type":"text/html"}"#
      ),
      (
        "<content src='c.png' type='image/png'></content>",
        #""content_src":{"url":"http://e.org/d/c.png","type":"image/png"}"#
      ),
      ("<content src='javascript:x' type='text/html'/>", ""), ("<content src=''>t</content>", ""),
    ])
  func `content that is elsewhere is reported with its type`(source: String, expected: String) throws {
    #expect(try ModuleDocument.members(ofEntry: source) == expected)
  }

  @Test(
    arguments: [
      ("<content src='/c.html' type='text/html'/>", "http://e.org/c.html", []),
      ("<content src='/c.html'/>", "http://e.org/c.html", []),
      ("<content src='/c.html' type='text/html'/><link href='/p'/>", "http://e.org/p", []),
      ("<content src='/c.mp3' type='audio/mpeg'/>", nil, ["http://e.org/c.mp3"]),
      (
        "<content src='/c.mp3' type='audio/mpeg'/><link rel='enclosure' href='/c.mp3' length='9'/>", nil,
        ["http://e.org/c.mp3"]
      ),
      (
        "<link rel='enclosure' href='/c.mp3' length='9'/><content src='/c.mp3' type='audio/mpeg'/>", nil,
        ["http://e.org/c.mp3"]
      ),
    ] as [(String, String?, [String])])
  func `content that is elsewhere is a page or a file`(source: String, url: String?, files: [String]) throws {
    let entry = try ModuleDocument.entry(source + "<summary>s</summary>")
    #expect(entry.url == url)
    #expect(entry.attachments.map(\.url) == files)
    #expect(entry.contentText == "s" && entry.summary == nil)
  }

  @Test(arguments: [
    "<content type='image/png'>iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk</content>",
    "<content type='audio/mpeg'>SUQzBAAAAAA=</content>", "<content type='image/png'>not base64!</content>",
    "<content type='application/octet-stream'>/9j/4AAQSkZJRgABAQ==</content>",
    "<content type='image/png' mode='base64'>aGVsbG8=</content>",
  ])
  func `content that is not text is left out`(source: String) throws {
    let entry = try ModuleDocument.entry(source + "<summary>s</summary>")
    #expect(entry.contentText == "s" && entry.contentHTML == nil)
  }

  @Test(arguments: [
    ("<content type='application/octet-stream'>aGVsbG8gw6Q=</content>", "hello ä"),
    ("<content type='application/x-words'>some words, as they are</content>", "some words, as they are"),
    ("<content type='text/plain'>aGVsbG8=</content>", "aGVsbG8="),
  ])
  func `content of another type that is text is read`(source: String, expected: String) throws {
    #expect(try ModuleDocument.entry(source).contentText == expected)
  }

  @Test func `a picture in the document itself is kept as XML`() throws {
    let entry = try ModuleDocument.entry(
      "<content type='image/svg+xml'><svg xmlns='http://www.w3.org/2000/svg'><g/></svg></content>")
    #expect(entry.contentHTML?.hasPrefix("<svg") == true)
  }
}
