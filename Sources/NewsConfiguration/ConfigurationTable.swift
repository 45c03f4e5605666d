package import Foundation
import TextOutput

/// A configuration table's keys: the reader accepts them, and newsimport.toml(5) lists them.
package struct ConfigurationTable: Sendable {
  /// The table's heading, such as `[fetch]`; empty for the document itself.
  package let title: String
  package let meaning: String
  package let keys: [ConfigurationKey]

  package var names: [String] { keys.map(\.name) }
}

/// A table's key, with its description.
package struct ConfigurationKey: Sendable {
  package let name: String
  package let form: ConfigurationForm
  /// The default as text; nil for none.
  package let standard: String?
  package let meaning: String

  init(_ name: String, _ form: ConfigurationForm, standard: String? = nil, _ meaning: String) {
    self.name = name
    self.form = form
    self.standard = standard
    self.meaning = meaning
  }
}

/// The type of a key's value.
package indirect enum ConfigurationForm: Sendable {
  case text
  /// One of these words.
  case choice([String])
  case flag
  case whole(ClosedRange<Int>)
  /// A duration in seconds, or with its unit.
  case seconds(ClosedRange<TimeInterval>)
  /// A duration with its unit; a number without a unit would be ambiguous.
  case duration(ClosedRange<TimeInterval>)
  /// A retention: a duration with its unit, or forever.
  case keeping(ClosedRange<TimeInterval>)
  /// A size in bytes, or with its unit.
  case bytes
  /// Article fields, with the texts to search in them.
  case patterns
  case texts
  /// A command's words.
  case command
  case table(ConfigurationTable)
  /// Tables in an array, `[[key]]`.
  case tables(ConfigurationTable)
  /// A text, or a table that names its location.
  case textOrTable(ConfigurationTable)
  /// A table with keys that the user chooses.
  case named(ConfigurationForm)

  /// The form in words.
  package var summary: String {
    switch self {
    case .text: "a text in quotation marks"
    case .choice(let words): "one of " + words.map { "\"\($0)\"" }.joined(separator: ", ")
    case .flag: "true or false"
    case .whole(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
    case .seconds: "a time such as 60 (seconds) or \"2min\""
    case .duration: "a duration such as \"30min\", \"1h\" or \"1d\""
    case .keeping: "a duration such as \"90d\" or \"1y\", or \"forever\""
    case .bytes: "a size from 1 byte to 1 TiB, such as \"32MiB\""
    case .patterns: "a list of texts such as [\"title:sponsored\", \"url:/ads/\"]"
    case .texts: "a list of texts such as [\"world\", \"tech\"]"
    case .command: "the list of the words of a command, such as [\"archive-it\", \"--json\"]"
    case .table, .named: "a table"
    case .tables: "an array of tables"
    case .textOrTable: "a text in quotation marks, or a table"
    }
  }

  /// The shortest and the longest duration; nil for other forms.
  package var limits: ClosedRange<TimeInterval>? {
    switch self {
    case .seconds(let range), .duration(let range), .keeping(let range): range
    default: nil
    }
  }
}
