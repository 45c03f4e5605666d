import ArgumentParser
import Foundation
import ManagedContext
import NewsModel
import SQLiteStore

/// `newsimport sql 'SELECT …'`
struct SQLCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sql",
    abstract: "Ask the store in SQL; it is never changed.",
    discussion: """
      The views articles, feeds, regions and fetches are made for this, and stay what they are.
      In JSON the second column of a name is name_2; bytes are hexadecimal digits, what is infinite is null, and whole \
      numbers have all their digits, more than some readers keep (2^53).
      Examples:
        newsimport sql 'SELECT title FROM articles ORDER BY published DESC LIMIT 5'
        newsimport sql --format csv 'SELECT url, title FROM feeds' > feeds.csv
      """)

  @OptionGroup var storeOptions: StoreOptions
  @Argument(help: "One statement; - is standard input.") var statement: String
  @Option(help: "How rows are written: tsv, csv or json, which is one object a line.") var format:
    TableFormat?
  @Flag(help: "The same as --format json.") var json = false

  func validate() throws {
    guard !json || format == nil || format == .json else {
      throw ArgumentParser.ValidationError("Give --json or another --format, not both.")
    }
  }

  func run() async throws {
    try await query(self)
  }
}

@MainActor
private func query(_ command: SQLCommand) async throws {
  let store = try NewsStack.readOnly(command.storeOptions)
  let text =
    command.statement == "-"
    ? String(decoding: try InputFile.read("-", limit: 1 << 20), as: UTF8.self) : command.statement
  let format = command.json ? .json : command.format ?? .tsv
  do throws(StoreError) {
    var names: [String] = []
    // A query that fails at its first row has no table.
    var header: String?
    try store.query(text) { columns in
      names = format == .json ? TableFormat.distinct(columns) : columns
      header = format.header(columns)
    } visit: { values in
      header.take().map(writeRecord)
      writeRecord(format.line(values.map(RecordValue.init), names: names))
      return !Output.standard.isClosed
    }
    header.take().map(writeRecord)
  } catch .invalid(let cause) {
    let hint = cause.hasPrefix("no such table: ") ? "; there are articles, feeds, regions and fetches" : ""
    throw CommandFailure(.usage, "sql: \(printable(cause))\(hint)")
  } catch {
    throw CommandFailure(error, store: store.name)
  }
}
