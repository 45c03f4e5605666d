/// Writes the cells of a table as lines.
enum TableLayout {
  private static let separator = " | "

  /// Returns the rows in columns if they fit. Otherwise, each row is a paragraph with its cells side by side.
  static func lines(of rows: [[String]], columns: Int) -> [String] {
    var widths: [Int] = []
    for row in rows {
      for (place, cell) in row.enumerated() {
        let width = DisplayWidth.columns(of: cell)
        if place < widths.count { widths[place] = max(widths[place], width) } else { widths.append(width) }
      }
    }
    let total = widths.reduce(separator.count * max(0, widths.count - 1), +)
    guard total <= columns else {
      return rows.flatMap { row in
        LineWrapping.lines(of: row.filter { !$0.isEmpty }.joined(separator: separator), columns: columns)
      }
    }
    return rows.map { row in
      row.enumerated().map { place, cell in
        place == row.count - 1 ? cell : DisplayWidth.padded(cell, to: widths[place])
      }.joined(separator: separator)
    }
  }
}
