import Testing

@testable import HTTPDownload

struct HeaderReaderTests {
  private func read(_ lines: [String]) -> HeaderReader {
    var reader = HeaderReader()
    for line in lines { reader.read(Array(line.utf8).span) }
    return reader
  }

  @Test func `fields are found regardless of case`() {
    let reader = read([
      "HTTP/2 200 \r\n", "eTAG:\t \"a\" \t\r\n", "LAST-modified:x\r\n", "ETagger: no\r\n", "\r\n",
    ])
    #expect(reader.isComplete)
    #expect(reader.block.status == 200)
    #expect(reader.block.validator(.etag, limit: 10) == Array("\"a\"".utf8))
    #expect(reader.block.text(.lastModified) == "x")
  }

  @Test func `a folded value is read with a space`() {
    let reader = read([
      "HTTP/1.1 200 OK\r\n", "Cache-Control: a\r\n", " \t b\r\n", "X: 1\r\n", "  c\r\n", "\r\n",
    ])
    #expect(reader.block.text(.cacheControl) == "a b")
  }

  @Test func `a repeated field keeps its first value, unless it is a list`() {
    let block = read([
      "HTTP/1.1 200 OK\r\n", "ETag: \"a\"\r\n", "Link: <x>\r\n", "ETag: \"b\"\r\n", " c\r\n", "Link: <y>\r\n",
      "  ;z\r\n", "Set-Cookie: a=1\r\n", "Set-Cookie: b=2;\r\n", " Path=/\r\n", "\r\n",
    ]).block
    #expect(block.text(.etag) == "\"a\"")
    #expect(block.text(.link) == "<x>, <y> ;z")
    #expect(block.cookies == ["a=1", "b=2; Path=/"].map { Array($0.utf8) })
  }

  @Test(arguments: [
    ("HTTP/1.1 404 Not Found", 404), ("HTTP/1.1 200", 200), ("HTTP/3 204 ", 204), ("HTTP/1.1  301 x", 301),
  ])
  func `a status line returns its code`(line: String, status: Int) {
    #expect(read([line + "\r\n"]).block.status == status)
  }

  @Test(arguments: ["", "\r\n", "HTTP/", "garbage\r\n", ": x\r\n", "HTTP/1.1\r\n", "HTTP/1.1 ٢٠٠ OK\r\n"])
  func `a line that is not a status line returns nil`(line: String) {
    #expect(read([line]).block.status == 0)
  }

  @Test func `nothing after the final head changes it`() {
    let reader = read([
      "HTTP/1.1 200 OK\r\n", "\r\n", "ETag: \"late\"\r\n", "HTTP/1.1 404: x\r\n", "ETag: \"later\"\r\n",
      "\r\n",
    ])
    #expect(reader.block.status == 200)
    #expect(reader.block.validator(.etag, limit: 10) == nil)
  }

  @Test(arguments: 0..<200) func `arbitrary lines cause no failure`(seed: UInt64) {
    var generator = SplitMix(state: seed)
    let pieces = [
      "HTTP/1.1 200 OK", "ETag", ":", " ", "\r", "\n", "\r\n", "\t", "é", "\u{0}", "location: x", "301",
    ]
    var reader = HeaderReader()
    var count = 0
    for _ in 0..<50 {
      let line = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
        pieces.randomElement(using: &generator) ?? ""
      }
      let bytes = Array(line.joined().utf8)
      count += bytes.count
      reader.read(bytes.span)
    }
    #expect(reader.byteCount == count)
  }
}
