import FeedImport
import Foundation
import TOMLKit
import TextOutput

/// A table of a TOML document, read key by key; every error names the key.
struct ConfigurationSection {
  /// The path, such as `region.world`; empty for the document itself.
  let path: String
  private let table: TOMLTable
  private let form: Form

  /// The keys that the table may have.
  private enum Form {
    case fixed(ConfigurationTable)
    /// Keys that the user chooses, each with a value in this form.
    case chosen(ConfigurationForm)
  }

  /// - Parameter known: The keys that the table may have.
  /// - Throws: An error for any other key, with the key that may be meant.
  init(_ table: TOMLTable, path: String, known: ConfigurationTable) throws(ConfigurationError) {
    self.init(path: path, table: table, form: .fixed(known))
    let known = known.names
    for key in table.keys where !known.contains(key) {
      if known.contains(key + "_file") {
        throw ConfigurationError(
          place(key),
          "secrets do not belong in this file; use \(key)_file = \"/path\" or \(key)_env = \"VAR\"")
      }
      let hint =
        suggestion(for: key, among: known) ?? "the keys are \(known.joined(separator: ", "))"
      throw ConfigurationError(place(key), "unknown key; \(hint)")
    }
  }

  private init(path: String, table: TOMLTable, form: Form) {
    self.path = path
    self.table = table
    self.form = form
  }

  /// Returns a key's form; the reader uses only keys that the table has.
  private func form(of key: String) -> ConfigurationForm {
    switch form {
    case .chosen(let form): return form
    case .fixed(let table):
      guard let known = table.keys.first(where: { $0.name == key }) else {
        preconditionFailure("\(key) is not among the keys of \(table.title)")
      }
      return known.form
    }
  }

  /// The keys in alphabetical order.
  var keys: [String] { table.keys }

  func has(_ key: String) -> Bool { table[key] != nil }

  func isTable(_ key: String) -> Bool { table[key]?.type == .table }

  /// Returns the same table with another name for errors.
  func renamed(_ path: String) -> ConfigurationSection {
    ConfigurationSection(path: path, table: table, form: form)
  }

  /// Returns the key with its table, for errors.
  func place(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  func error(_ key: String, _ cause: String) -> ConfigurationError { ConfigurationError(place(key), cause) }

  func text(_ key: String) throws(ConfigurationError) -> String? {
    guard let value = table[key] else { return nil }
    guard let text = value.string else { throw mismatch(key, value, ConfigurationForm.text.summary) }
    return text
  }

  /// Reads one of the words that an enumeration has.
  func choice<Choice: RawRepresentable<String>>(
    _ key: String, of choices: Choice.Type
  ) throws(ConfigurationError) -> Choice? {
    guard let text = try text(key) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let form = form(of: key)
      guard case .choice(let words) = form else { preconditionFailure("\(place(key)) is no choice") }
      let hint = suggestion(for: text, among: words) ?? "it is \(form.summary)"
      throw error(key, "'\(printable(text))' is not known; \(hint)")
    }
    return choice
  }

  func flag(_ key: String) throws(ConfigurationError) -> Bool? { try read(key, \.bool) }

  func whole(_ key: String) throws(ConfigurationError) -> Int? {
    guard let number = try read(key, \.int) else { return nil }
    let form = form(of: key)
    guard case .whole(let range) = form, range.contains(number) else {
      throw error(key, "\(number) is not \(form.summary)")
    }
    return number
  }

  /// Reads seconds, as a number or as a duration.
  func seconds(_ key: String) throws(ConfigurationError) -> Double? {
    let length = try read(key) { value in
      let number = value.int.map(Double.init) ?? value.double
      return (number ?? value.string.flatMap(seconds(ofDuration:))).flatMap { $0.isFinite ? $0 : nil }
    }
    return try checked(length, key)
  }

  /// Reads a duration with its unit; a number without a unit would be ambiguous.
  func duration(_ key: String) throws(ConfigurationError) -> TimeInterval? {
    try checked(try read(key) { $0.string.flatMap(seconds(ofDuration:)) }, key)
  }

  /// Reads a retention in seconds; infinity means forever.
  func keeping(_ key: String) throws(ConfigurationError) -> TimeInterval? {
    if table[key]?.string == "forever" { return .infinity }
    let span = try read(key) { $0.string.flatMap(seconds(ofDuration:)) }
    if span != nil, let text = table[key]?.string, isOfMinutesOrMonths(text) {
      throw error(key, "minutes or months? Write min for minutes, or weeks (13w) for months")
    }
    return try checked(span, key)
  }

  func texts(_ key: String) throws(ConfigurationError) -> [String]? {
    guard let value = table[key] else { return nil }
    guard let array = value.array else { throw mismatch(key, value, form(of: key).summary) }
    return try array.map { (element) throws(ConfigurationError) in
      guard let text = element.string else { throw mismatch(key, element, form(of: key).summary) }
      return text
    }
  }

  func patterns(_ key: String) throws(ConfigurationError) -> [ArticleFilter.Pattern]? {
    try texts(key)?.map { (text) throws(ConfigurationError) in
      if let pattern = ArticleFilter.Pattern(text) { return pattern }
      let fields = ArticleFilter.Pattern.Field.allCases.map(\.rawValue)
      let parts = text.split(separator: ":", maxSplits: 1)
      let meant = parts.count == 2 ? suggestion(for: String(parts[0]), among: fields) : nil
      throw error(
        key,
        "'\(text)' is not a field (\(fields.joined(separator: ", "))), a colon and a text: \"title:sponsored\""
          + (meant.map { "; \($0)" } ?? "")
      )
    }
  }

  /// Reads a size in bytes, as a number or with its unit.
  func bytes(_ key: String) throws(ConfigurationError) -> Int? {
    try read(key) { value in
      (value.string ?? value.int.map(String.init)).flatMap { try? ByteCount($0).bytes }
    }
  }

  /// Reads a value in the key's form; nil if the key is missing.
  ///
  /// - Parameter convert: Returns nil for a value in another form.
  private func read<Value>(
    _ key: String, _ convert: (any TOMLValueConvertible) -> Value?
  ) throws(ConfigurationError) -> Value? {
    let form = form(of: key)
    guard let value = table[key] else { return nil }
    guard let converted = convert(value) else { throw mismatch(key, value, form.summary) }
    return converted
  }

  /// Reads a table in this one.
  func section(_ key: String) throws(ConfigurationError) -> ConfigurationSection? {
    let form = form(of: key)
    guard let value = table[key] else { return nil }
    guard let table = value.table else { throw mismatch(key, value, "a table") }
    switch form {
    case .table(let known), .textOrTable(let known):
      return try ConfigurationSection(table, path: place(key), known: known)
    case .named(let form): return ConfigurationSection(path: place(key), table: table, form: .chosen(form))
    default: preconditionFailure("\(place(key)) is not a table")
    }
  }

  /// Reads the tables in an array, `[[key]]`; errors name them by number.
  func sections(_ key: String) throws(ConfigurationError) -> [ConfigurationSection] {
    guard case .tables(let known) = form(of: key) else {
      preconditionFailure("\(key) is not an array of tables")
    }
    guard let value = table[key] else { return [] }
    guard let array = value.array else { throw mismatch(key, value, "written [[\(place(key))]]") }
    var sections: [ConfigurationSection] = []
    for element in array {
      guard let table = element.table else { throw mismatch(key, value, "written [[\(place(key))]]") }
      let number = sections.count + 1
      sections.append(
        try ConfigurationSection(table, path: "\(place(key)) number \(number)", known: known))
    }
    return sections
  }

  private func checked(
    _ seconds: TimeInterval?, _ key: String
  ) throws(ConfigurationError) -> TimeInterval? {
    guard let seconds else { return nil }
    guard let range = form(of: key).limits else { preconditionFailure("\(place(key)) is not a duration") }
    guard range.contains(seconds) else {
      let (least, most) = (durationText(range.lowerBound), durationText(range.upperBound))
      throw error(key, "\(durationText(seconds)) is out of range; it must be from \(least) to \(most)")
    }
    return seconds
  }

  /// The value itself is not shown: it may be a secret in the wrong place.
  private func mismatch(
    _ key: String, _ value: any TOMLValueConvertible, _ wanted: String
  ) -> ConfigurationError {
    let kind = value.type == .string ? "this text" : "a value of type \(value.type)"
    return error(key, "\(kind) does not fit; it is \(wanted)")
  }
}
