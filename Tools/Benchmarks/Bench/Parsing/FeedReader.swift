import CParseBaseline
import FeedParsing
import Foundation

/// A way to read a feed, whose name is in the table.
enum FeedReader: String, CaseIterable {
  case emptyC = "libxml2 in C, empty callbacks"
  /// The text and attributes of each item are copied into one buffer.
  case textC = "libxml2 in C, collecting text"
  /// As the importer uses them.
  case ours = "FeedParsing, complete items"
  case ourStrings = "FeedParsing, items as Swift strings"

  func read(_ file: String) throws -> (bytes: Int, items: Int) {
    switch self {
    case .emptyC, .textC: try readByBaseline(file)
    case .ours: try readByParser(file)
    case .ourStrings: try readAsStrings(file)
    }
  }

  private func readByBaseline(_ file: String) throws -> (bytes: Int, items: Int) {
    guard let parser = baseline_create(self == .textC ? 1 : 0) else { throw Failure("out of memory") }
    var textBytes: UInt64 = 0
    let bytes: Int
    do {
      bytes = try Self.eachChunk(of: file) { chunk in
        baseline_push(parser, chunk.baseAddress, chunk.count)
      }
    } catch {
      _ = baseline_finish(parser, &textBytes)
      throw error
    }
    let items = baseline_finish(parser, &textBytes)
    guard items >= 0 else { throw Failure("\(file): not well-formed") }
    return (bytes, items)
  }

  private func readByParser(_ file: String) throws -> (bytes: Int, items: Int) {
    let parser = FeedParser(source: DocumentSource(url: "https://feeds.example.org/"))
    var items = 0
    let bytes = try Self.eachChunk(of: file) { chunk in
      try parser.push(UnsafeRawBufferPointer(chunk))
      // Takes some items at a time, like programs that process items while the document arrives.
      if parser.pendingByteCount > 64 << 10 { items += parser.takeItems().items.count }
    }
    _ = try parser.finish()
    return (bytes, items + parser.takeItems().items.count)
  }

  private func readAsStrings(_ file: String) throws -> (bytes: Int, items: Int) {
    let parser = FeedParser(source: DocumentSource(url: "https://feeds.example.org/"))
    var items: [FeedItem] = []
    func take() {
      let batch = parser.takeItems()
      items += batch.items.map { FeedItem($0, in: batch) }
    }
    let bytes = try Self.eachChunk(of: file) { chunk in
      try parser.push(UnsafeRawBufferPointer(chunk))
      take()
    }
    _ = try parser.finish()
    take()
    return (bytes, items.count)
  }

  /// Calls `body` with 16 KiB of the file at a time.
  private static func eachChunk(
    of file: String, _ body: (UnsafeBufferPointer<CChar>) throws -> Void
  ) throws -> Int {
    let descriptor = open(file, O_RDONLY)
    guard descriptor >= 0 else { throw Failure("\(file): \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    return try withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16 << 10) { buffer in
      var bytes = 0
      while true {
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        guard count > 0 else { return bytes }
        bytes += count
        try body(UnsafeBufferPointer(rebasing: buffer[..<count]))
      }
    }
  }
}
