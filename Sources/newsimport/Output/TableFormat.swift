import ArgumentParser
import ManagedContext

/// How rows are written for other programs.
enum TableFormat: String, CaseIterable, ExpressibleByArgument {
  /// Tabs between values; tabs and line ends in them become spaces.
  case tsv
  /// RFC 4180, with line feeds alone.
  case csv
  /// One JSON object a line.
  case json

  /// The line with the names of the columns; nil where each row has them.
  func header(_ names: [String]) -> String? {
    switch self {
    case .tsv: names.map(Self.plain).joined(separator: "\t") + "\n"
    case .csv: names.map(Self.quoted).joined(separator: ",") + "\n"
    case .json: nil
    }
  }

  /// The line of a row; bytes are written in hexadecimal digits.
  func line(_ values: [AttributeValue], names: [String]) -> String {
    switch self {
    case .tsv: return values.map { Self.plain(Self.text($0)) }.joined(separator: "\t") + "\n"
    case .csv: return values.map { Self.quoted(Self.text($0)) }.joined(separator: ",") + "\n"
    case .json:
      var line = JSONLine()
      for (name, value) in zip(names, values) {
        switch value {
        case .null: line.addRaw(name, nil)
        case .integer, .reference: line.addRaw(name, Self.text(value))
        case .real(let number): line.addRaw(name, number.isFinite ? "\(number)" : nil)
        case .text, .bytes: line.add(name, Self.text(value))
        }
      }
      return line.line
    }
  }

  private static func text(_ value: AttributeValue) -> String {
    switch value {
    case .null: ""
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): text
    case .reference(let id): "\(id.key)"
    case .bytes(let bytes):
      bytes.map { (String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)) }.joined()
    }
  }

  private static func plain(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 9 || $0 == 10 || $0 == 13 }) else { return text }
    return String(
      String.UnicodeScalarView(text.unicodeScalars.map { "\t\n\r".unicodeScalars.contains($0) ? " " : $0 }))
  }

  private static func quoted(_ text: String) -> String {
    guard text.utf8.contains(where: { [0x22, 0x2C, 10, 13].contains($0) }) else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
