import Foundation
import TextOutput

/// The keys of a table of the configuration: the reader accepts them, and newsimport.toml(5) lists them.
struct ConfigurationTable: Sendable {
  /// The heading of the table, such as `[fetch]`; empty for the document itself.
  let title: String
  /// The purpose of the table.
  let meaning: String
  let keys: [ConfigurationKey]

  /// The names of all keys, in their order.
  var names: [String] { keys.map(\.name) }
}

/// A key of a table, with its description.
struct ConfigurationKey: Sendable {
  let name: String
  let form: ConfigurationForm
  /// The default as text; nil for none.
  let standard: String?
  let meaning: String

  init(_ name: String, _ form: ConfigurationForm, standard: String? = nil, _ meaning: String) {
    self.name = name
    self.form = form
    self.standard = standard
    self.meaning = meaning
  }
}

/// The type of a key's value.
indirect enum ConfigurationForm: Sendable {
  case text
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
  /// Fields of articles, with the texts to search in them.
  case patterns
  /// A list of texts.
  case texts
  /// The words of a command.
  case command
  case table(ConfigurationTable)
  /// An array of tables, `[[key]]`.
  case tables(ConfigurationTable)
  /// A text, or a table that names its location.
  case textOrTable(ConfigurationTable)
  /// A table with keys of the user's choice.
  case named(ConfigurationForm)

  /// The form as text.
  var summary: String {
    switch self {
    case .text: "a text in quotation marks"
    case .flag: "true or false"
    case .whole(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
    case .seconds: "a time such as 60 (seconds) or \"2min\""
    case .duration: "a duration such as \"30min\", \"1h\" or \"1d\""
    case .keeping: "a duration such as \"90d\" or \"26w\", or \"forever\""
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
  var limits: ClosedRange<TimeInterval>? {
    switch self {
    case .seconds(let range), .duration(let range), .keeping(let range): range
    default: nil
    }
  }
}
