import Testing

@testable import HTTPDownload

@Suite struct ProxyTests {
  @Test(
    arguments: [
      ("http://me:secret@proxy.example:3128", "http://me@proxy.example:3128"),
      ("proxy.example:3128", "http://proxy.example:3128"),
      ("socks5h://127.0.0.1:9050", "socks5h://127.0.0.1:9050"),
      ("http://[", "http://["), ("http://me:se/cret@h:1", "http://me@h:1"),
      ("http;//me:secret@h", "http://http;//me@h"), ("me:secret%40h", "http://me%40h"),
    ])
  func `a proxy is printed without its password`(setting: String, shown: String) {
    #expect(Proxy(setting).address == shown)
  }

  @Test func `a setting that is not valid is blamed as well`() {
    #expect(Proxy("http://me:se/cret@h:1").isBlamed(by: "Could not resolve proxy: me", origin: "http://a:80"))
    #expect(!Proxy("http://[").isBlamed(by: "Could not resolve host: a", origin: "http://a:80"))
  }

  @Test(arguments: [
    ("Failed to connect to 127.0.0.1 port 3128 after 0 ms: Couldn't connect to server", true),
    ("Failed to connect to 127.0.0.1 port 80 after 0 ms: Couldn't connect to server", false),
    ("CONNECT tunnel failed, response 407", true), ("Could not resolve proxy: p.example", true),
    ("Recv failure: Connection reset by peer", false),
  ]) func `errors of a proxy name the proxy`(cause: String, isBlamed: Bool) {
    let proxy = Proxy("http://127.0.0.1:3128")
    #expect(proxy.isBlamed(by: cause, origin: "http://127.0.0.1:80") == isBlamed)
    #expect(
      !proxy.isBlamed(by: "Failed to connect to 127.0.0.1 port 3128 after", origin: "http://127.0.0.1:3128"))
  }
}
