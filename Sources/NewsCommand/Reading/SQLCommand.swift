import ArgumentParser
import ArticleDocuments
import Foundation
import ManagedContext
import NewsModel
import TextOutput

/// `newsimport sql 'SELECT …'`
struct SQLCommand: PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "sql",
    abstract: "Query the store with SQL, read-only.",
    discussion: """
      Use the views articles, feeds, regions, fetches and versions: later versions keep them unchanged.
      In JSON, a second column of the same name is called name_2, bytes are hexadecimal digits, infinite numbers are null, and whole \
      numbers have all their digits, even above 2^53, where some JSON readers round.
      Examples:
        newsimport sql 'SELECT date, title FROM articles ORDER BY date DESC LIMIT 5'
        newsimport sql --format csv 'SELECT url, title FROM feeds' > feeds.csv
      """)

  @OptionGroup var storeOptions: StoreOptions
  @OptionGroup var paging: PagerOptions
  var pagerConfiguration: ConfigurationOptions? { nil }
  @Argument(help: "One statement; - is standard input.") var statement: String
  @Option(help: "The format of rows: tsv, csv or json, which is one object per line.")
  var format: TableFormat?
  @Flag(help: "The same as --format json.") var json = false

  func validate() throws {
    guard !json || format == nil || format == .json else {
      throw ArgumentParser.ValidationError("Give --json or another --format, not both.")
    }
  }

  func perform() async throws {
    let store = try NewsStack.readOnly(storeOptions)
    let text =
      statement == "-"
      ? String(decoding: try InputFile.read("-", limit: 1 << 20), as: UTF8.self) : statement
    var rows = PrintedRows(json ? .json : self.format ?? .tsv)
    do throws(StoreError) {
      try store.query(text, &rows)
      rows.end()
    } catch .request(let cause) {
      throw CommandFailure(.usage, "sql: \(printable(cause))")
    } catch {
      throw CommandFailure(error, store: NewsStack.location(storeOptions))
    }
  }
}

/// Prints a query's rows as they arrive.
@MainActor
private struct PrintedRows: @MainActor RowVisitor {
  private let format: TableFormat
  private var names: [String] = []
  private var keys: [[UInt8]] = []
  /// Printed with the first row: a query that fails at its first row prints no header.
  private var header: String?
  private var isFirst = true

  init(_ format: TableFormat) { self.format = format }

  mutating func begin(_ columns: [String]) {
    names = columns
    keys = format == .json ? TableFormat.distinct(columns).map(JSONText.encodedKey) : []
    header = format.header(columns)
  }

  mutating func visit(_ row: borrowing some VisitedRow & ~Copyable) -> Bool {
    end()
    if format == .json {
      write(row)
    } else {
      writeRecord(format.line(row.values, names: names))
    }
    // The first row is written at once, also if the others take long.
    if isFirst { Output.standard.finish() }
    isFirst = false
    return !Output.standard.isClosed
  }

  /// Prints the header if no row did.
  mutating func end() { header.take().map(writeRecord) }

  /// Writes a row as a JSON object, without copying its values.
  private func write(_ row: borrowing some VisitedRow & ~Copyable) {
    Output.standard.writeJSON { json in
      json.open("{")
      for column in keys.indices {
        json.key(encoded: keys[column])
        row.pass(column, to: &json)
      }
      json.close("}")
      json.endLine()
    }
  }
}
