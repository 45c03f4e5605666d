import DocumentReading
import Testing
import Threading

@testable import FeedImport

@Suite struct DocumentKindTests {
  /// Bytes in pieces of one size.
  private final class Pieces: ByteSource {
    private let rest: Locked<ArraySlice<UInt8>>
    private let size: Int

    init(_ text: String, of size: Int) {
      (rest, self.size) = (Locked(Array(text.utf8)[...]), size)
    }

    func next() -> [UInt8] {
      rest.withLock { rest in
        defer { rest = rest.dropFirst(size) }
        return Array(rest.prefix(size))
      }
    }
  }

  @Test(arguments: [1, 3, 4, 16, 64, 1000])
  func `documents are recognized however their bytes are divided`(size: Int) throws {
    let texts: [(String, DocumentKind)] = [
      (
        "{\"id\":1,\"title\":\"\(String(repeating: "long ", count: 50))\",\"guid\":\"1\",\"feed\":\"x\"}\n",
        .list
      ),
      ("SQLite format 3\0 and more", .database), ("<rss version='2.0'><channel>", .feed),
      ("{\"version\":\"https://jsonfeed.org/version/1.1\",\"items\":[]}", .feed), ("", .feed),
    ]
    for (text, kind) in texts {
      let document = try InputDocument(
        name: "x", address: "file:x", of: Pieces(text, of: size), isStreamed: true)
      #expect(DocumentKind(of: document) == kind, "\(text)")
      #expect(document.beginning(10) == Array(text.utf8.prefix(10)))
    }
  }

  @Test(arguments: [
    ("\n{\"guid\":\"1\"}\n", DocumentKind.list), ("\r\n \n{\"feed\":\"x\"}\r\n", .list),
    ("\u{FEFF}{\"guid\":\"1\"}\n", .list), ("[]\n{\"guid\":\"1\"}\n", .list),
    ("[1, 2]\nnull\n{}\n# comment\n{\"guid\":\"1\"}", .list), ("{\"title\":\"x\"}\n{\"guid\":\"1\"}", .list),
    ("[]\n", .feed), ("[\n{\"guid\":\"1\"}\n]\n", .feed), ("{\n{\"guid\":\"1\"}\n}\n", .feed),
    ("<a>\n{\"guid\":\"1\"}\n", .feed), ("\n<a>\n{\"guid\":\"1\"}\n", .feed),
    (
      "\u{FEFF}\n{\"version\":\"https://jsonfeed.org/version/1.1\",\n\"items\":[\n{\"guid\":\"1\"}\n]}", .feed
    ),
  ]) func `wrong lines before the first article do not hide it`(text: String, kind: DocumentKind) {
    let document = InputDocument(name: "x", address: "file:x", bytes: Array(text.utf8))
    #expect(DocumentKind(of: document) == kind)
  }
}
