import FeedImport
import FeedParsing

/// Prints the line of one document while it is parsed: neither the document nor its feed is ever in memory.
@MainActor
final class FeedLinePrinter {
  /// Nobody takes the output any more, so that reading on is of no use.
  struct OutputClosed: Error {}

  private var line: JSONFeedLine
  /// Nil as long as it is not known where the document comes from.
  private var parser: FeedParser?
  /// Whether there was an item in the document.
  private(set) var hasItems = false

  /// Begins the line of the document that the user calls `file`.
  init(file: String) {
    line = JSONFeedLine(file: file)
  }

  /// Begins the document.
  func begin(_ source: DocumentSource) {
    parser = FeedParser(source: source)
  }

  /// Parses some of the document, and prints what can be printed.
  ///
  /// - Throws: ``FeedError``; ``OutputClosed``.
  func push(_ bytes: [UInt8]) throws {
    guard let parser else { return }
    try parser.push(bytes)
    take(parser.takeItems())
    try write(line.takeBytes())
  }

  /// Ends the document and its line.
  ///
  /// - Throws: As ``push(_:)``; the line is then not ended.
  func finish() throws {
    guard let parser else { return }
    let details = try parser.finish()
    take(parser.takeItems())
    try write(line.finish(details) + [UInt8(ascii: "\n")])
  }

  /// Ends the line of a document that cannot be read to its end, with the items that are complete and the cause.
  func fail(_ cause: String) {
    if let parser { take(parser.takeItems()) }
    let rest = line.finish(parser?.details ?? FeedDetails(), error: cause)
    Output.standard.write(rest + [UInt8(ascii: "\n")])
  }

  private func take(_ items: ParsedItemBatch) {
    if !items.items.isEmpty { hasItems = true }
    var items = items
    items.identifyItems()
    line.append(items)
  }

  private func write(_ bytes: [UInt8]) throws {
    if !bytes.isEmpty { Output.standard.write(bytes) }
    if Output.standard.isClosed { throw OutputClosed() }
  }
}
