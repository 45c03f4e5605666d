import FeedImport
import FeedParsing

/// Prints a document's JSON line while it is parsed. The whole document or feed is never in memory.
@MainActor
final class FeedLinePrinter {
  /// The output was closed, so that further parsing is useless.
  struct OutputClosed: Error {}

  private var line: JSONFeedLine
  /// Nil until the document's source is known.
  private var parser: FeedParser?
  /// True if the document contained an item.
  private(set) var hasItems = false

  /// Begins the line for a document that the user named `file`.
  init(file: String) {
    line = JSONFeedLine(file: file)
  }

  func begin(_ source: DocumentSource) {
    parser = FeedParser(source: source)
  }

  /// Parses the document's next bytes, and prints the complete items.
  ///
  /// - Throws: ``FeedError``, or ``OutputClosed``.
  func push(_ bytes: [UInt8]) throws {
    guard let parser else { return }
    try parser.push(bytes)
    take(parser.takeItems())
    try write(line.takeBytes())
  }

  /// Ends the document and its line.
  ///
  /// - Throws: The errors of ``push(_:)``; the line then remains open.
  func finish() throws {
    guard let parser else { return }
    let details = try parser.finish()
    take(parser.takeItems())
    try write(line.finish(details) + [UInt8(ascii: "\n")])
  }

  /// Ends the line for a document that cannot be read to its end: the complete items, followed by the cause.
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
