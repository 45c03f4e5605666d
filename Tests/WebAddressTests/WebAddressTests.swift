import Testing

@testable import WebAddress

struct WebAddressTests {
  @Test(arguments: [
    ("http://example.org", "http://example.org:80"), ("https://example.org/a?b#c", "https://example.org:443"),
    ("HTTP://EXAMPLE.org:8080/", "http://example.org:8080"), ("http://u:p@h/", "http://h:80"),
    ("http://[::1]:81/x", "http://[::1]:81"),
    ("https://münchen.example/", "https://xn--mnchen-3ya.example:443"),
    ("http://127.1/", "http://127.0.0.1:80"), ("http://example.org./", "http://example.org.:80"),
  ])
  func `a web address is accepted, and its origin is known`(text: String, origin: String) {
    #expect(WebAddress(text).origin == origin)
  }

  @Test(arguments: [
    ("http://example.org", "http://example.org/"), ("https://example.org/a?b#c", "https://example.org/a?b"),
    ("HTTP://Example.ORG:80/A?B", "http://example.org/A?B"),
    ("https://example.org:443", "https://example.org/"),
    ("http://example.org:443/", "http://example.org:443/"),
    ("HTTPS://U:P@EXAMPLE.org:443/x#y", "https://U:P@example.org/x"),
    ("http://[::1]:80/x", "http://[::1]/x"),
    ("https://münchen.example:443/#x", "https://xn--mnchen-3ya.example/"),
    ("http://u:p@B%C3%BCcher.example:8080/", "http://u:p@xn--bcher-kva.example:8080/"),
    ("https://faß.example/", "https://xn--fa-hia.example/"),
    ("https://日本語。example/", "https://xn--wgv71a119e.example/"),
    ("http://BÜCHER.example/ü", "http://xn--bcher-kva.example/ü"),
    ("http://bu\u{308}cher.example/", "http://xn--bcher-kva.example/"),
    ("http://example.org?q#f", "http://example.org/?q"),
    ("http://example.org:8080/x", "http://example.org:8080/x"),
  ])
  func `an address has one normalized form`(text: String, usual: String) {
    #expect(WebAddress(text).normalized.text == usual)
    #expect(WebAddress(usual).normalized.text == usual)
    #expect(WebAddress(usual).target == WebAddress(text).target)
  }

  @Test(arguments: [
    "", "example.org", "/etc/passwd", "http:", "http:/", "http://", "http:///", "http:///host/",
    "http://:80/", "http://[", "http://ex..ample.org/", "http://.example.org", "http://example..",
    "http://a b/", "http://a/\nHost: b", "http://a/\u{0}", "http://a/\u{a0}", "http://a:99999/",
    "javascript:alert(1)",
    "--config", "mailto:a@b", "http://a/" + String(repeating: "a", count: 70_000),
  ])
  func `a text that is not a web address is refused`(text: String) {
    #expect(throws: WebAddress.Problem.self) { try WebAddress(checking: text) }
    let address = WebAddress(text)
    #expect(address.problem != nil && address.origin == nil && address.identity == text)
  }

  @Test(arguments: ["file:///etc/passwd", "gopher://h/x", "ftp://h/x", "FILE://h/x", "\u{1b}]0;x\u{7}://h"])
  func `another scheme is refused, and the error is safe to print`(text: String) throws {
    let problem = try #require(WebAddress(text).problem)
    #expect(!"\(problem)".unicodeScalars.contains { $0.value < 32 })
  }

  /// Each part of an address with its usual value and with unusual ones.
  private static let parts: [[String]] = [
    ["http://", "https://", "HTTP://", "http:///"],
    [
      "example.org", "a-b.example", "Example.org", "127.0.0.1", "127.1", "0x7f.1", "127.0.0.01", "1.2.3.256",
      "1.2.3.4.5", "1.2.3.com", ".a", "a.", "-a", "a_b", "a%41", "u@h", "[::1]", "",
    ],
    ["", ":80", ":443", ":8080", ":080", ":0", ":65535", ":65536", ":", ":8a", ":80@h"],
    ["", "/", "/a?b#c", "?b", "#c", "/%zz", "/a\\b", "/é", "/a b", "\\@h/"],
  ]

  @Test(arguments: parts[0], parts[1])
  func `the fast parser agrees with libcurl`(scheme: String, host: String) throws {
    for port in Self.parts[2] {
      for rest in Self.parts[3] {
        let text = scheme + host + port + rest
        guard PlainAddress(text) != nil, WebAddress(text).problem == nil else { continue }
        #expect(WebAddress(text).origin == (try CurlURL(text).origin), "\(text)")
      }
    }
    #expect(PlainAddress("https://example.org/a?b") != nil)
  }

  @Test(arguments: [
    ("http://user:secret@h/a", "http://user@h/a"), ("http://user:se@cret@h/", "http://user@h/"),
    ("http://:secret@h/", "http://@h/"), ("http://user@h/", "http://user@h/"),
    ("http://h/a:b@c", "http://h/a:b@c"), ("user:secret@h/x", "user@h/x"),
    ("http:///user:secret@h/", "http:///user@h/"),
    ("mailto:press@example.org", "mailto:press@example.org"), ("XMPP:a@h?message", "XMPP:a@h?message"),
    ("http://h?x=a:b@c", "http://h?x=a:b@c"), ("", ""),
    // A password with a delimiter, and a scheme with a single slash: not valid, and printed when they are refused.
    ("http://me:se/cret@h/x", "http://me@h/x"), ("http://me:se#cret@h", "http://me@h"),
    ("http://me:se?cr@et@h/x", "http://me@h/x"), ("http:/me:secret@h/x", "http:/me@h/x"),
    ("https:///me:se/cret@h", "https:///me@h"), ("http://h:80/@user", "http://h:80/@user"),
    ("http://[::1]/@user", "http://[::1]/@user"), ("http://h:/@user", "http://h:/@user"),
    // A scheme that is mistyped, an encoded @, and an account with a password.
    ("http;//me:secret@h/x", "http;//me@h/x"), ("http//me:secret@h", "http//me@h"),
    (#"http:\\me:secret@h"#, #"http:\\me@h"#), ("http.//me:se/cret@h", "http.//me@h"),
    ("http://me:secret%40h/x", "http://me%40h/x"), ("me:secret%40h", "me%40h"),
    ("http://h/a%40b", "http://h/a%40b"), ("http://h:80/a%40b", "http://h:80/a%40b"),
    ("http://me:a@h http://me:b@h", "http://me@h http://me@h"), ("http://me:a b@h", "http://me@h"),
    ("http://h/a  http://me:b@h/c", "http://h/a  http://me@h/c"),
    ("mailto:me:secret@h", "mailto:me@h"), ("http:me:secret@h", "http:me@h"),
  ])
  func `a password is removed`(text: String, printed: String) {
    #expect(WebAddress.withoutPassword(text) == printed)
    #expect(WebAddress(text).withoutPassword == printed)
    #expect("\(WebAddress(text))" == printed)
  }

  @Test(arguments: ["http://me:se/cret@h/x", "http://me:se#cret@h", "https://me:a?b@h/"])
  func `a password with a delimiter is refused with the way to write it`(text: String) {
    #expect(WebAddress(text).problem == .invalid("write / ? # and @ in a password as %2F %3F %23 and %40"))
  }

  @Test func `a printed address cannot control a terminal`() {
    #expect("\(WebAddress("http://u:p@h/\u{1b}[2J\u{202e}"))" == #"http://u@h/\u001b[2J\u202e"#)
  }

  @Test func `a user is kept only for the same origin`() {
    let home = WebAddress("https://u:p@h/feed")
    #expect(WebAddress("https://h/new").withUser(of: home).text == "https://u:p@h/new")
    for other in ["http://h/new", "https://i/new", "https://v@h/new", "no address"] {
      #expect(WebAddress(other).withUser(of: home).text == other)
    }
  }

  @Test(arguments: [
    ("http://bücher.example/ü?q=ä b", "http://xn--bcher-kva.example/%C3%BC?q=%C3%A4%20b"),
    ("https://s.example/ep 1.mp3", "https://s.example/ep%201.mp3"), ("/a b/é", "/a%20b/%C3%A9"),
    ("http://h/a%20b?c", "http://h/a%20b?c"), ("http://[::1]/é", "http://[::1]/%C3%A9"),
    ("mailto:jö@h", "mailto:j%C3%B6@h"),
  ])
  func `requests and documents contain addresses in ASCII`(text: String, ascii: String) {
    #expect(WebAddress.asciiText(text) == ascii)
    #expect(WebAddress.asciiText(ascii) == ascii)
  }

  @Test(arguments: ["http://a%2Fb/", "http://a%40b/", "http://%C3/", "http://ü％2f.example/", "http://a%00b/"])
  func `a host that hides a delimiter is refused`(text: String) {
    #expect(WebAddress(text).problem != nil)
  }

  @Test(arguments: [
    ("http://bücher.example/x", "http://xn--bcher-kva.example/x"),
    ("//bücher.example/x", "https://xn--bcher-kva.example/x"),
    ("/ü a", "https://h/%C3%BC%20a"),
  ])
  func `a reference beyond ASCII is resolved`(reference: String, target: String) throws {
    #expect(try WebAddress("https://h/a").resolving(reference).text == target)
  }

  @Test(arguments: [
    ("/f\u{FC}r", "https://h/f%FCr"), ("/caf\u{C3}\u{A9} \u{E4}", "https://h/caf%C3%A9%20%E4"),
    ("/f\u{C3}\u{BC}r", "https://h/f%C3%BCr"), ("/f\u{FC}r?a=b c#d", "https://h/f%FCr?a=b%20c#d"),
  ])
  func `a reference keeps bytes that are not UTF-8`(latin1: String, target: String) throws {
    let bytes = latin1.unicodeScalars.map { UInt8($0.value) }
    #expect(try WebAddress("https://h/a").resolving(WebAddress.text(of: bytes)).text == target)
  }

  @Test func `a reference is resolved against an address`() throws {
    let base = WebAddress("https://h/a/b?c")
    #expect(try base.resolving("../d").text == "https://h/d")
    #expect(try base.resolving("//i/e").text == "https://i/e")
    #expect(try base.resolving("ftp://i/e").problem != nil)
  }
}
