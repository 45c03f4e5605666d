import HTMLText
import TextOutput

/// Returns rows as lines with aligned columns. Columns without any text are omitted.
func aligned(_ rows: [[String]]) -> String {
  guard let count = rows.map(\.count).max() else { return "" }
  let widths = (0..<count).map { column in rows.map { DisplayWidth.columns(of: $0[column]) }.max() ?? 0 }
  return rows.map { row in
    zip(row, widths).filter { $0.1 > 0 }
      .map { DisplayWidth.padded($0.0, to: $0.1) }
      .joined(separator: "   ").trimmedEnd + "\n"
  }.joined()
}

/// Returns texts such as "1 feed" and "2 feeds", with the numbers aligned to the right.
func countedColumn(_ numbers: [Int], _ singular: String) -> [String] {
  let width = numbers.map { grouped($0).count }.max() ?? 0
  return numbers.map { number in
    String(repeating: " ", count: width - grouped(number).count) + counted(number, singular)
  }
}

extension String {
  /// The text without trailing spaces.
  var trimmedEnd: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
