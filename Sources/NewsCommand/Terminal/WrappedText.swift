import HTMLText

/// Wraps long lines for people at words, and indents the continuation lines.
///
/// If a line begins with a short term and a gap, as in a table, its continuation lines are aligned with the
/// text after the gap. Others are indented by two columns. Addresses and paths are never cut.
///
/// - Parameter columns: The terminal's width; nil to wrap nothing.
func wrapped(_ text: String, to columns: Int?) -> String {
  guard let columns else { return text }
  return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
    DisplayWidth.columns(of: line) <= columns ? String(line) : wrapped(line: line, to: columns)
  }.joined(separator: "\n")
}

private func wrapped(line: Substring, to columns: Int) -> String {
  let text = line.drop { $0 == " " }
  let start = endOfTerm(in: line, columns: columns) ?? text.startIndex
  let head = DisplayWidth.columns(of: line[..<start])
  let hasTerm = start != text.startIndex
  let hanging = hasTerm ? 0 : hangingIndent
  let cells = hasTerm ? filled(line[start...], columns: columns - head) : [String(line[start...])]
  let lines = cells.flatMap {
    HTMLText.wrappedKeepingWords($0, columns: columns - head, indent: hanging)
  }
  return line[..<start] + lines.joined(separator: "\n" + String(repeating: " ", count: head + hanging))
}

/// Returns the cells of a table's row in lines. A cell without room after the one before it begins a line.
private func filled(_ row: Substring, columns: Int) -> [String] {
  var lines: [String] = []
  var end = row.startIndex
  for gap in row.ranges(of: #/ {3,}/#) + [row.endIndex..<row.endIndex] {
    let cell = row[end..<gap.lowerBound]
    let line = (lines.last ?? "") + cell
    if lines.isEmpty || DisplayWidth.columns(of: line) > columns {
      lines.append(String(cell.drop { $0 == " " }))
    } else {
      lines[lines.count - 1] = line
    }
    end = gap.lowerBound
  }
  return lines
}

/// Returns the text after its first gap, if that is in the line's first half and leaves room for addresses
/// and paths; nil otherwise.
private func endOfTerm(in line: Substring, columns: Int) -> Substring.Index? {
  let text = line.drop { $0 == " " }
  guard let gap = text.firstRange(of: "  ") else { return nil }
  // After a sentence, a gap separates sentences.
  if let last = line[..<gap.lowerBound].last, ".!?;".contains(last) { return nil }
  guard let start = line[gap.upperBound...].firstIndex(where: { $0 != " " }) else { return nil }
  let head = DisplayWidth.columns(of: line[..<start])
  let longest = line[start...].split(separator: " ").map { DisplayWidth.columns(of: $0) }.max() ?? 0
  let isCrowded = head + longest > columns && hangingIndent + longest <= columns
  return head <= columns / 2 && !isCrowded ? start : nil
}

private let hangingIndent = 2
