import ArgumentParser
import ArticleDocuments
import TextOutput

/// The output options that all commands with lists share.
struct RecordOptions<Fields: RecordFields>: ParsableArguments {
  @Option(help: "The format of the list; json is one object per line.") var format: Fields.Format?
  @Flag(
    help: ArgumentHelp(
      "The same as --format json: one object per line, with the fields "
        + Fields.standard.map(\.name).joined(separator: ", ") + "."))
  var json = false
  @Option(
    help: ArgumentHelp(
      "Print only these fields (names separated by commas); without --format, values are separated by tabs.",
      valueName: "names"), completion: .names(Fields.all.map(\.name)),
    transform: Fields.list(argument:))
  var fields: [RecordField<Fields.Subject>]?
  @Flag(
    name: [.customShort("0"), .customLong("null")],
    help: "End each line with NUL instead of a line feed, for xargs -0.")
  var endsWithNull = false

  func validate() throws {
    if json, let format, rows(of: format) != .json {
      throw ValidationError("Give --json or another --format, not both.")
    }
    if fields != nil, let format, rows(of: format) == nil {
      throw ValidationError("--fields needs --format json, csv or tsv.")
    }
    let hasLines = format.map { rows(of: $0) == .tsv || $0.rawValue == RecordFormat.table.rawValue } ?? !json
    if endsWithNull && !hasLines {
      throw ValidationError("-0 needs a table, --format tsv or --fields.")
    }
  }

  /// Returns the row format for programs; nil if the list is for people, or one document.
  private func rows(of format: Fields.Format) -> TableFormat? { TableFormat(rawValue: format.rawValue) }

  /// True if the list is written as records for programs.
  var hasRecords: Bool { records() != nil }

  /// Returns the row writer for programs; nil if the list is for people, or one document.
  ///
  /// - Parameter more: The fields that follow the standard ones if the user has chosen none.
  func records(with more: [RecordField<Fields.Subject>] = []) -> RecordLines<Fields.Subject>? {
    let rows: TableFormat? = json ? .json : format.map(self.rows(of:)) ?? (fields == nil ? nil : .tsv)
    guard let rows else { return nil }
    return RecordLines(
      format: rows, fields: fields ?? Fields.standard + more,
      hasHeader: format != nil && !endsWithNull, endsWithNull: endsWithNull)
  }

  /// Writes a list as records; nothing if the list is for people.
  @MainActor
  func write(_ subjects: [Fields.Subject]) {
    guard let lines = records() else { return }
    if let header = lines.header { writeRecord(header) }
    for subject in subjects { lines.write(subject) }
  }

  /// Returns a line for people with the requested line end.
  func ended(_ line: String) -> String {
    endsWithNull && line.last == "\n" ? line.dropLast() + "\0" : line
  }
}

/// Formats records, one per line.
struct RecordLines<Subject> {
  let format: TableFormat
  let fields: [RecordField<Subject>]
  let hasHeader: Bool
  let endsWithNull: Bool

  /// The line before the first record; nil for none.
  var header: String? {
    hasHeader ? format.header(fields.map(\.name)) : nil
  }

  /// Writes a record's line to standard output.
  @MainActor
  func write(_ subject: Subject) {
    guard format == .json else { return writeRecord(line(subject)) }
    Output.standard.writeJSON { json in
      json.open("{")
      for field in fields { field.write(subject, to: &json) }
      json.close("}")
      json.endLine()
    }
  }

  /// Returns a record's line, including its line end.
  private func line(_ subject: Subject) -> String {
    let values = fields.map { $0.value(subject) }
    return endsWithNull ? TableFormat.record(values) : format.line(values, names: fields.map(\.name))
  }
}

/// Writes output for programs; on a terminal, without control characters.
@MainActor
func writeRecord(_ line: String) {
  Output.standard.write(Output.standard.isTerminal ? printableLines(line) : line)
}

/// Writes rows for people, with aligned columns.
@MainActor
func writeTable<Fields>(_ rows: [[String]], _ options: RecordOptions<Fields>) {
  if options.endsWithNull {
    Output.standard.write(aligned(rows).replacingASCII { $0 == UInt8(ascii: "\n") ? "\0" : nil })
  } else {
    Output.standard.print(aligned: rows)
  }
}
