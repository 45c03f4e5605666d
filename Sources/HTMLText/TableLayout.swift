/// Collects a table's cells. A cell over several columns or rows leaves empty cells after and below it (HTML
/// Standard, section 4.9.12).
struct TableRows {
  private var rows: [[String]] = []
  /// The last row that a cell above covers, for each column.
  private var covered: [Int] = []
  /// The number of further columns that the last cell covers.
  private var behind = 0

  /// The maximum number of columns that cells may cover, so that a short document makes no large table.
  private static let mostCovered = 32

  mutating func beginRow() {
    rows.append([])
    behind = 0
  }

  /// Adds a cell to the last row.
  mutating func append(_ cell: String, columns: Int = 1, rows height: Int = 1) {
    if rows.isEmpty { beginRow() }
    let last = rows.count - 1
    for _ in 0..<behind { rows[last].append("") }
    while rows[last].count < covered.count, covered[rows[last].count] >= last { rows[last].append("") }
    let first = rows[last].count
    rows[last].append(cell)
    behind = max(0, min(columns, Self.mostCovered - first) - 1)
    if height > 1, first + behind < Self.mostCovered {
      while covered.count <= first + behind { covered.append(-1) }
      for column in first...first + behind { covered[column] = last + min(height, 65_534) - 1 }
    }
  }

  /// Returns the rows that have a text.
  func finish() -> [[String]] { rows.filter { row in row.contains { !$0.isEmpty } } }
}

/// Writes a table's cells as lines.
enum TableLayout {
  private static let separator = " | "

  /// Returns the rows in columns if they fit. Otherwise, each row is a paragraph with its cells side by side.
  static func lines(of rows: [[String]], columns: Int) -> [String] {
    let count = rows.map(\.count).max() ?? 0
    var widths = [Int](repeating: 0, count: count)
    for row in rows {
      // The last cell in a shorter row may extend over the columns after it.
      for (place, cell) in row.enumerated() where place < row.count - 1 || row.count == count {
        widths[place] = max(widths[place], DisplayWidth.columns(of: cell))
      }
    }
    let lines = rows.map { row in
      row.enumerated().map { place, cell in
        place == row.count - 1 ? cell : DisplayWidth.padded(cell, to: widths[place])
      }.joined(separator: separator)
    }
    guard lines.contains(where: { DisplayWidth.columns(of: $0) > columns }) else { return lines }
    return rows.flatMap { row in
      LineWrapping.lines(of: row.filter { !$0.isEmpty }.joined(separator: separator), columns: columns)
    }
  }
}
