import HTMLText
import TextOutput

/// Returns rows as lines with aligned columns. Columns without any text are omitted.
///
/// - Parameter columns: A terminal's width; nil without one. Wider rows do not widen other rows' columns.
func aligned(_ rows: [[String]], to columns: Int? = nil) -> String {
  guard let count = rows.map(\.count).max() else { return "" }
  let sizes = rows.map { $0.map { DisplayWidth.columns(of: $0) } }
  let first = sizes.map { $0.first ?? 0 }.max() ?? 0
  let fitting = sizes.filter { row in
    row.dropFirst().filter { $0 > 0 }.reduce(first) { $0 + gap + $1 } <= columns ?? .max
  }
  let widths = (0..<count).map { column in
    (column == 0 || fitting.isEmpty ? sizes : fitting).map { $0[column] }.max() ?? 0
  }
  let used = (0..<count).filter { column in sizes.contains { $0[column] > 0 } }
  return rows.map { row in
    used.map { DisplayWidth.padded(row[$0], to: widths[$0]) }
      .joined(separator: String(repeating: " ", count: gap)).trimmedEnd + "\n"
  }.joined()
}

extension Output {
  /// Writes rows for people with aligned columns; see ``print(_:)``.
  func print(aligned rows: [[String]]) { print(NewsCommand.aligned(rows, to: columns)) }
}

/// Returns rows with their first column cut, so that ``aligned(_:)`` makes no line longer than a terminal is
/// wide. Figures in other columns are never cut.
///
/// - Parameters:
///   - columns: The terminal's width; nil for complete rows.
///   - least: The smallest width for the first column.
func fitted(_ rows: [[String]], to columns: Int?, least: Int = 12) -> [[String]] {
  guard let columns else { return rows }
  let widths = (1..<max(1, rows.map(\.count).max() ?? 0)).map { column in
    rows.map { $0.count > column ? DisplayWidth.columns(of: $0[column]) : 0 }.max() ?? 0
  }
  let room = max(least, columns - widths.filter { $0 > 0 }.reduce(0) { $0 + $1 + gap })
  return rows.map { row in
    row.first.map { [DisplayWidth.cut($0, to: room)] + row.dropFirst() } ?? []
  }
}

/// The gap between two columns, in spaces.
private let gap = 3

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
