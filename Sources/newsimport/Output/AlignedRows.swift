import HTMLText

/// Rows as lines, their columns aligned; a column that is empty everywhere is left out.
func aligned(_ rows: [[String]]) -> String {
  guard let count = rows.map(\.count).max() else { return "" }
  let widths = (0..<count).map { column in rows.map { DisplayWidth.columns(of: $0[column]) }.max() ?? 0 }
  return rows.map { row in
    zip(row, widths).filter { $0.1 > 0 }
      .map { DisplayWidth.padded($0.0, to: $0.1) }
      .joined(separator: "   ").trimmedEnd + "\n"
  }.joined()
}

extension String {
  /// The text without spaces at its end.
  var trimmedEnd: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
