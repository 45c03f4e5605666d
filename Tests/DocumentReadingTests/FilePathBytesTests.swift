import DocumentReading
import Testing

@Suite struct FilePathBytesTests {
  @Test func `the address of a file has only characters of addresses`() {
    #expect(FilePathBytes("/a b/ü%?#.xml").address == "file:///a%20b/%C3%BC%25%3F%23.xml")
    #expect(FilePathBytes([0x2F, 0xFF]).address == "file:///%FF")
  }

  @Test func `an entry of a folder has one slash before its name`() {
    #expect(FilePathBytes("/").appending([0x61]).text == "/a")
    #expect(FilePathBytes("/b").appending([0x61]).text == "/b/a")
  }
}
