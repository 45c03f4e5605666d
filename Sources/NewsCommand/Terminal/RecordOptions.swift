import ArgumentParser
import TextOutput

/// The output options that all commands with lists share.
struct RecordOptions<Field: RecordField>: ParsableArguments {
  @Option(help: "The format of the list; json is one object per line.") var format: Field.Format?
  @Flag(
    help: ArgumentHelp(
      "The same as --format json: one object per line, with the fields "
        + Field.standard.map(\.rawValue).joined(separator: ", ") + "."))
  var json = false
  @Option(
    help: ArgumentHelp(
      "Print only these fields (names separated by commas); without --format, values are separated by tabs.",
      valueName: "names"),
    transform: Field.list(argument:))
  var fields: [Field]?
  @Flag(
    name: [.customShort("0"), .customLong("null")],
    help: "End each line with NUL instead of a line feed, for xargs -0.")
  var endsWithNull = false

  func validate() throws {
    if json, let format, format.rows != .json {
      throw ValidationError("Give --json or another --format, not both.")
    }
    if fields != nil, let format, format.rows == nil {
      throw ValidationError("--fields needs --format json, csv or tsv.")
    }
    let hasLines = format?.rows == .tsv || format?.isTable == true || (format == nil && !json)
    if endsWithNull && !hasLines {
      throw ValidationError("-0 needs a table, --format tsv or --fields.")
    }
  }

  /// Returns the writer of rows for programs; nil if the list is for people, or one document.
  ///
  /// - Parameter more: The fields that follow the standard ones if the user has chosen none.
  func records(with more: [Field] = []) -> RecordLines<Field>? {
    let rows: TableFormat? = json ? .json : format.map(\.rows) ?? (fields == nil ? nil : .tsv)
    guard let rows else { return nil }
    return RecordLines(
      format: rows, fields: fields ?? Field.standard + more,
      hasHeader: format != nil && !endsWithNull, endsWithNull: endsWithNull)
  }

  /// Returns a line for people with the requested line end.
  func ended(_ line: String) -> String {
    endsWithNull && line.last == "\n" ? line.dropLast() + "\0" : line
  }
}

/// Formats records, one per line.
struct RecordLines<Field: RecordField> {
  let format: TableFormat
  let fields: [Field]
  let hasHeader: Bool
  let endsWithNull: Bool

  /// The line before the first record; nil for none.
  var header: String? {
    hasHeader ? format.header(fields.map(\.rawValue)) : nil
  }

  /// Returns a record's line, including its line end.
  func line(_ subject: Field.Subject) -> String {
    let values = fields.map { $0.value(of: subject) }
    return endsWithNull ? TableFormat.record(values) : format.line(values, names: fields.map(\.rawValue))
  }
}

/// Writes output for programs; on a terminal, without control characters.
@MainActor
func writeRecord(_ line: String) {
  Output.standard.write(Output.standard.isTerminal ? printableLines(line) : line)
}

/// Writes rows for people, with aligned columns.
@MainActor
func writeTable<Field>(_ rows: [[String]], _ options: RecordOptions<Field>) {
  let lines = aligned(rows)
  if options.endsWithNull {
    Output.standard.write(lines.replacingASCII { $0 == UInt8(ascii: "\n") ? "\0" : nil })
  } else {
    Output.standard.print(lines)
  }
}
