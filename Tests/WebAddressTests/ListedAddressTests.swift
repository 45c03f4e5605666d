import Testing
import WebAddress

@Suite struct ListedAddressTests {
  @Test(arguments: [
    ("https://a.example/x", "https://a.example/x"), (" \n\thttps://a.example/x\r\n", "https://a.example/x"),
    ("\u{A0}https://a.example/x\u{3000}", "https://a.example/x"),
    ("https://a.example/x ", "https://a.example/x"),
    ("feed://a.example/x", "http://a.example/x"), ("FEED://a.example/x", "http://a.example/x"),
    ("feed:https://a.example/x", "https://a.example/x"), ("feed:http://a.example/x", "http://a.example/x"),
    ("feed://https://a.example/x", "https://a.example/x"),
    (" feed:HTTPS://a.example/x", "https://a.example/x"),
    ("rss://a.example/x", "http://a.example/x"), ("pcast://a.example/x", "http://a.example/x"),
    ("podcast://https://a.example/x", "https://a.example/x"), ("ITPC://a.example/x", "http://a.example/x"),
  ]) func `a listed address is accepted in its usual forms`(text: String, address: String) throws {
    #expect(try WebAddress(listed: text).text == address)
  }

  @Test(arguments: [
    "", "  ", "feed:", "feed://", "feed:a.example", "feed:ftp://a.example/", "https://a.example/a b",
    "feeds://a.example/",
  ]) func `an address that cannot be fetched is refused`(text: String) {
    #expect(throws: WebAddress.Problem.self) { try WebAddress(listed: text) }
  }
}
