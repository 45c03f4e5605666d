import FeedImport
import Foundation
import TextOutput

/// The keys of one table of the configuration: what its reader accepts, and what newsimport.toml(5) lists.
struct ConfigurationTable: Sendable {
  /// How the table is written, such as `[fetch]`; empty for the document itself.
  let title: String
  /// What the table is for.
  let meaning: String
  let keys: [ConfigurationKey]

  /// The names of all keys, in their order.
  var names: [String] { keys.map(\.name) }
}

/// A key of a table, with what is to be said of it.
struct ConfigurationKey: Sendable {
  let name: String
  let form: ConfigurationForm
  /// What holds where the key is missing, in words; nil where nothing does.
  let standard: String?
  let meaning: String

  init(_ name: String, _ form: ConfigurationForm, standard: String? = nil, _ meaning: String) {
    self.name = name
    self.form = form
    self.standard = standard
    self.meaning = meaning
  }
}

/// What the value of a key is.
indirect enum ConfigurationForm: Sendable {
  case text
  case flag
  case whole(ClosedRange<Int>)
  /// A time in seconds, or with its unit.
  case seconds(ClosedRange<TimeInterval>)
  /// A time with its unit; a bare number would leave open of what.
  case duration(ClosedRange<TimeInterval>)
  /// How long something is kept: a time with its unit, or for ever.
  case keeping(ClosedRange<TimeInterval>)
  /// A size in bytes, or with its unit.
  case bytes
  /// Fields of articles with texts that are looked for in them.
  case patterns
  case table(ConfigurationTable)
  /// An array of tables, `[[key]]`.
  case tables(ConfigurationTable)
  /// A text, or a table that says where it is.
  case textOrTable(ConfigurationTable)
  /// A table whose keys the user chooses.
  case named(ConfigurationForm)

  /// What is to be written.
  var words: String {
    switch self {
    case .text: "a text in quotation marks"
    case .flag: "true or false"
    case .whole(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
    case .seconds: "a time such as 60 (seconds) or \"2min\""
    case .duration: "a duration such as \"30min\", \"1h\" or \"1d\""
    case .keeping: "a duration such as \"90d\" or \"26w\", or \"forever\""
    case .bytes: "a size from 1 byte to 1 TiB, such as \"32MiB\""
    case .patterns: "a list of texts such as [\"title:sponsored\", \"url:/ads/\"]"
    case .table, .named: "a table"
    case .tables: "an array of tables"
    case .textOrTable: "a text in quotation marks, or a table"
    }
  }

  /// The shortest and the longest time; nil for what is none.
  var limits: ClosedRange<TimeInterval>? {
    switch self {
    case .seconds(let range), .duration(let range), .keeping(let range): range
    default: nil
    }
  }
}
