import Corpus
import FeedParsing
import Glibc

enum ParseStage {
  static func run(_ corpus: CorpusFolder, _ stopwatch: inout Stopwatch) throws -> (bytes: Int, rows: Int) {
    var rows = 0
    let bytes = try ItemReader.read(
      corpus.files(.first), timedBy: { try stopwatch.measure($0) }, { _, items in rows += items.items.count })
    return (bytes, rows)
  }
}

/// Reads the articles of files as an import does: in network-sized chunks, and in batches while a large document is
/// still being read.
enum ItemReader {
  private static let blockBytes = 1 << 20
  private static let chunkBytes = 16 << 10
  private static let batchBytes = 1 << 20

  /// - Parameters:
  ///   - timedBy: Runs the parser's work, without the reading of files.
  ///   - body: Receives the index of a file and some of its articles, at least once for each file.
  /// - Returns: The size of all files, in bytes.
  static func read(
    _ files: [String], timedBy timed: (() throws -> Void) throws -> Void = { try $0() },
    _ body: (Int, consuming ParsedItemBatch) throws -> Void
  ) throws -> Int {
    var bytes = 0
    var block = [UInt8](repeating: 0, count: blockBytes)
    for (place, file) in files.enumerated() {
      let descriptor = open(file, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw Failure.system(file) }
      defer { close(descriptor) }
      let parser = FeedParser(source: DocumentSource(url: "https://feeds.example.org/"))
      while true {
        let count = Glibc.read(descriptor, &block, block.count)
        guard count > 0 else { break }
        bytes += count
        var batches: [ParsedItemBatch] = []
        try timed {
          try block.withUnsafeBytes { buffer in
            for start in stride(from: 0, to: count, by: chunkBytes) {
              let chunk = start..<min(start + chunkBytes, count)
              try parser.push(UnsafeRawBufferPointer(rebasing: buffer[chunk]))
              if parser.pendingByteCount > batchBytes { batches.append(parser.takeItems()) }
            }
          }
        }
        // The batch is removed first, because an arena with a second reference would be copied when it grows.
        while !batches.isEmpty { try body(place, batches.removeFirst()) }
      }
      var last: ParsedItemBatch?
      try timed {
        _ = try parser.finish()
        last = parser.takeItems()
      }
      try body(place, last.take() ?? ParsedItemBatch())
    }
    return bytes
  }
}
