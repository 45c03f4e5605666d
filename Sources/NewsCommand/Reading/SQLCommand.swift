import ArgumentParser
import Foundation
import ManagedContext
import NewsModel
import SQLiteStore
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
        newsimport sql 'SELECT title FROM articles ORDER BY published DESC LIMIT 5'
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
    let store = try NewsStack.readOnlyFile(storeOptions, for: "sql")
    let text =
      statement == "-"
      ? String(decoding: try InputFile.read("-", limit: 1 << 20), as: UTF8.self) : statement
    let format = json ? .json : self.format ?? .tsv
    do throws(StoreError) {
      var names: [String] = []
      var keys: [[UInt8]] = []
      // Printed with the first row: a query that fails at its first row prints no header.
      var header: String?
      var isFirst = true
      try store.queryRows(text) { columns in
        names = columns
        keys = format == .json ? TableFormat.distinct(columns).map(JSONText.encodedKey) : []
        header = format.header(columns)
      } visit: { row in
        header.take().map(writeRecord)
        if format == .json {
          write(row, keys)
        } else {
          writeRecord(format.line(row.values.map(RecordValue.init), names: names))
        }
        // The first row is written at once, also if the others take long.
        if isFirst { Output.standard.finish() }
        isFirst = false
        return !Output.standard.isClosed
      }
      header.take().map(writeRecord)
    } catch .request(let cause) {
      throw CommandFailure(.usage, "sql: \(printable(cause))\(try hint(cause, statement: text, store))")
    } catch {
      throw CommandFailure(error, store: .file(store.name))
    }
  }
}

/// Writes a row as a JSON object, without copying its values.
@MainActor
private func write(_ row: borrowing QueryRow, _ keys: [[UInt8]]) {
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

/// Returns a hint about an error in a statement: the likely view or column, or a list of all.
///
/// - Parameter cause: SQLite's message.
private func hint(_ cause: String, statement: String, _ store: SQLiteStore) throws(StoreError) -> String {
  let views = ["articles", "feeds", "regions", "fetches", "versions"]
  let words = cause.components(separatedBy: ": ")
  guard let name = words.last?.split(separator: ".").last.map(String.init), words.count == 2 else {
    return ""
  }
  switch words[0] {
  case "no such table":
    return "; " + (suggestion(for: name, among: views) ?? "the views are \(views.joined(separator: ", "))")
  case "no such column":
    let text = statement.lowercased()
    var columns: [String] = []
    for view in views where text.contains(view) {
      try store.query("SELECT * FROM \(view) LIMIT 0") {
        columns += $0
      } visit: { _ in
        false
      }
    }
    guard !columns.isEmpty else { return "" }
    let all = "the columns are \(columns.joined(separator: ", "))"
    return "; " + (suggestion(for: name, among: columns) ?? all)
  default: return ""
  }
}
