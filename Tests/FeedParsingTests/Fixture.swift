import FeedParsing
import Foundation
import TestSupport
import Testing

/// A document and the golden file with its expected output.
struct Fixture: CustomTestStringConvertible, Sendable {
  let path: String

  var testDescription: String { path }

  static let folder = Repository.fixtures

  /// All documents under Fixtures that have a golden file.
  static let all: [Fixture] = {
    let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    let goldens = Set(names.filter { $0.hasSuffix(".json") })
    return names.filter { !$0.hasSuffix(".json") && goldens.contains(golden(of: $0)) }.sorted()
      .map(Fixture.init(path:))
  }()

  /// The golden files themselves, which are JSON Feeds.
  static let goldens = Set(all.map { golden(of: $0.path) }).sorted().map(Fixture.init(path:))

  var bytes: [UInt8] {
    get throws { Array(try Data(contentsOf: Self.folder.appending(path: path))) }
  }

  var expected: [UInt8] {
    get throws { Array(try Data(contentsOf: Self.folder.appending(path: Self.golden(of: path)))) }
  }

  private static func golden(of path: String) -> String {
    path.prefix(upTo: path.lastIndex(of: ".") ?? path.endIndex) + ".json"
  }

  /// Returns the output for the document, cut into chunks by `sizes` in turn.
  func parse(chunkSizes sizes: [Int] = [.max]) throws -> [UInt8] {
    try Self.line(bytes, chunkSizes: sizes)
  }

  static func line(_ bytes: [UInt8], chunkSizes sizes: [Int] = [.max], url: String? = nil) -> [UInt8] {
    var chunks: [[UInt8]] = []
    var start = 0
    while start < bytes.count {
      let size = min(sizes[chunks.count % sizes.count], bytes.count - start)
      chunks.append(Array(bytes[start..<(start + size)]))
      start += size
    }
    return line(chunks: chunks, url: url)
  }

  /// Returns the output of the command for a document in chunks.
  static func line(chunks: [[UInt8]], url: String? = nil, limits: ParserLimits = .standard) -> [UInt8] {
    let parser = FeedParser(source: DocumentSource(url: url), limits: limits)
    var line = JSONFeedLine()
    var result: [UInt8] = []
    do throws(FeedError) {
      for chunk in chunks {
        try parser.push(chunk)
        line.append(parser.takeItems())
        result += line.takeBytes()
      }
      let details = try parser.finish()
      line.append(parser.takeItems())
      return result + line.finish(details) + [0x0A]
    } catch {
      line.append(parser.takeItems())
      return result + line.finish(parser.details, error: error.description) + [0x0A]
    }
  }
}
