import ArgumentParser
import ArticleDocuments
import TextOutput

/// The row formats for programs.
enum TableFormat: String, CaseIterable, ExpressibleByArgument {
  /// Values separated by tabs; tabs, line ends and backslashes in values are written \t, \n, \r and \\, and
  /// characters that are unsafe on a terminal as \u009b.
  case tsv
  /// RFC 4180, with line feeds only. Values are exact, because the format has no escapes; on a terminal,
  /// unsafe characters get them.
  case csv
  /// One line with a JSON object for each row.
  case json

  /// Returns the line with the column names; nil if each row contains them.
  func header(_ names: [String]) -> String? {
    switch self {
    case .tsv: names.map(Self.escaped).joined(separator: "\t") + "\n"
    case .csv: names.map(Self.quoted).joined(separator: ",") + "\n"
    case .json: nil
    }
  }

  /// Returns a row's line; bytes are written as hexadecimal digits.
  func line(_ values: [any RecordValue], names: [String]) -> String {
    switch self {
    case .tsv: values.map { Self.escaped($0.recordText) }.joined(separator: "\t") + "\n"
    case .csv: values.map { Self.quoted($0.recordText) }.joined(separator: ",") + "\n"
    case .json: JSONLine(zip(names, values)).line
    }
  }

  /// Returns column names with a number appended to repeated ones, because a JSON object has each name once.
  static func distinct(_ names: [String]) -> [String] {
    var taken = Set(names)
    var seen: Set<String> = []
    return names.map { name in
      if seen.insert(name).inserted { return name }
      var number = 2
      while !taken.insert("\(name)_\(number)").inserted { number += 1 }
      return "\(name)_\(number)"
    }
  }

  /// Returns a row that ends with NUL, for `xargs -0`. Values are unchanged, except that tabs in them become
  /// spaces.
  static func record(_ values: [any RecordValue]) -> String {
    let texts = values.map { value in
      value.recordText.replacingASCII { byte in
        if byte == 0 { return "\u{FFFD}" }
        return byte == UInt8(ascii: "\t") && values.count > 1 ? " " : nil
      }
    }
    return texts.joined(separator: "\t") + "\0"
  }

  private static func escaped(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")) || isUnsafe(text) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\t": result += "\\t"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\\": result += "\\\\"
      default: result += withEscapes(String(scalar))
      }
    }
    return result
  }

  /// Returns whether text contains characters that are unsafe on a terminal, line ends and tabs included.
  private static func isUnsafe(_ text: String) -> Bool {
    // Comparing scalars costs more than bytes: most texts have none of these bytes.
    let begins: [UInt8] = [0x7F, 0xC2, 0xD8, 0xE2, 0xEF]
    return text.utf8.contains { $0 < 0x20 || begins.contains($0) }
      && text.unicodeScalars.contains { Unicode.Scalar.isUnsafe($0.value) }
  }

  private static func quoted(_ text: String) -> String {
    guard text.utf8.contains(where: { [0x22, 0x2C, 10, 13].contains($0) }) else { return text }
    return "\"" + text.replacingASCII { $0 == UInt8(ascii: "\"") ? "\"\"" : nil } + "\""
  }
}
