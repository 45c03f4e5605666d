import FeedParsing
import Foundation

/// The law of feeds: a feed parses the same for any chunks, its texts are UTF-8, and it can be written as JSON.
enum FeedLaw {
  /// The result of parsing a document.
  private struct Outcome: Equatable {
    var details = FeedDetails()
    var items: [FeedItem] = []
    var error: FeedError?
    /// The printed line. If a limit ended the parsing, the damage it reports may differ.
    var line: [UInt8] = []

    static func == (left: Outcome, right: Outcome) -> Bool {
      left.details == right.details && left.items == right.items && left.error == right.error
        && (left.error != nil || left.line == right.line)
    }
  }

  static func check(_ input: [UInt8], isJSON: Bool) throws(Law.Violation) -> Bool {
    let first = input.first { $0 > 0x20 }
    if isJSON, first != UInt8(ascii: "{") { return false }
    var chunks = Chunks(input)
    if chunks.hasBracketInDoctype { return false }
    var limits = ParserLimits()
    if chunks.random(below: 4) == 0 {
      limits.depth = 8
      limits.fieldBytes = 64
      limits.idBytes = 16
      limits.listCount = 2
    }
    let whole = try parse([input], limits)
    for cut in chunks.cuts() {
      let other = try parse(cut, limits)
      if other != whole { throw Law.Violation(difference(whole, other, cut.map(\.count))) }
    }
    try expect(isOneSafeLine(whole.line), "the feed is written as JSON")
    return true
  }

  /// Returns whether bytes are JSON in one line, without characters that control a terminal.
  private static func isOneSafeLine(_ bytes: [UInt8]) -> Bool {
    guard let text = String(validating: bytes, as: UTF8.self) else { return false }
    let isSafe = text.unicodeScalars.allSatisfy { scalar in
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: false
      default: true
      }
    }
    return isSafe && (try? JSONSerialization.jsonObject(with: Data(bytes))) != nil
  }

  private static func parse(_ chunks: [[UInt8]], _ limits: ParserLimits) throws(Law.Violation) -> Outcome {
    let parser = FeedParser(source: DocumentSource(url: "http://example.org/feed/"), limits: limits)
    var outcome = Outcome()
    var line = JSONFeedLine()
    for (index, chunk) in chunks.enumerated() where outcome.error == nil {
      do throws(FeedError) { try parser.push(chunk) } catch { outcome.error = error }
      if index % 3 == 1 { outcome.items += try take(parser, &line) }
    }
    if outcome.error == nil {
      do throws(FeedError) { outcome.details = try parser.finish() } catch { outcome.error = error }
    }
    outcome.items += try take(parser, &line)
    outcome.line = line.finish(parser.details, error: outcome.error?.description)
    try expect(parser.pendingByteCount >= 0, "waiting items have a size")
    return outcome
  }

  /// Takes the items and checks every slice.
  private static func take(
    _ parser: FeedParser, _ line: inout JSONFeedLine
  ) throws(Law.Violation) -> [FeedItem] {
    let before = parser.pendingByteCount
    let batch = parser.takeItems()
    line.append(batch)
    try expect(batch.bytes.count <= before, "the waiting count includes the items taken")
    try expect(parser.pendingByteCount <= before, "taken items no longer wait")
    for item in batch.items {
      let texts = [
        item.id, item.url, item.externalURL, item.title, item.summary, item.content, item.contentText,
        item.image, item.language,
      ]
      for text in texts { try check(text, in: batch) }
      try expect(batch.authors.indices.contains(item.authors.range), "authors lie in the batch")
      try expect(batch.tags.indices.contains(item.tags.range), "tags lie in the batch")
      try expect(batch.attachments.indices.contains(item.attachments.range), "files lie in the batch")
    }
    for author in batch.authors {
      for text in [author.name, author.email, author.url, author.avatar] { try check(text, in: batch) }
    }
    for tag in batch.tags { try check(tag, in: batch) }
    for part in batch.extensions { try check(part.value, in: batch) }
    for file in batch.attachments {
      for text in [file.url, file.mimeType, file.title] { try check(text, in: batch) }
    }
    return batch.items.map { FeedItem($0, in: batch) }
  }

  private static func check(_ slice: ByteSlice?, in batch: ParsedItemBatch) throws(Law.Violation) {
    guard let slice else { return }
    try expect(slice.range.upperBound <= batch.bytes.count, "a text lies in the batch")
    try expect(String(validating: batch.bytes[slice.range], as: UTF8.self) != nil, "a text is UTF-8")
  }

  private static func difference(_ whole: Outcome, _ other: Outcome, _ sizes: [Int]) -> String {
    "the result depends on the chunks, \(sizes.prefix(40)):\n\(whole)\n\(other)"
  }
}
