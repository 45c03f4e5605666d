import ArticleDocuments
import HTMLText
import NewsModel
import TextOutput

/// Statistics as a table or as JSON.
struct StatisticsTable {
  /// The lines' subject: "region" or "feed".
  let kind: String
  let lines: [FeedStatistics]
  /// The number of days in the sparkline.
  let days: Int

  private struct Column {
    let title: String
    var isText = false
    /// The rank at which a narrow terminal omits the column; nil for a column that stays.
    var omission: Int?
    let value: (FeedStatistics) -> String
  }

  /// Returns the columns. Columns with warnings are never omitted.
  ///
  /// - Parameter room: The largest name width; nil for complete names.
  private func columns(namesIn room: Int?) -> [Column] {
    // A single feed's state is one word instead of four numbers.
    let health =
      kind == "feed"
      ? [Column(title: "state", isText: true) { $0.states.first { $0.value > 0 }?.key.rawValue ?? "" }]
      : [Column(title: "feeds", omission: 7) { grouped($0.feeds) }]
        + [(FeedState.healthy, 5), (.failing, nil), (.stale, 8), (.gone, 9)].map { state, omission in
          let warns = state != .healthy && lines.contains { $0.states[state] ?? 0 > 0 }
          return Column(title: state.rawValue, omission: warns ? nil : omission) {
            grouped($0.states[state] ?? 0)
          }
        }
    let name = Column(title: kind, isText: true) { line in
      room.map { shown(line.name, in: $0) } ?? printable(line.name)
    }
    // Missed answers are rare, and then important.
    let missed =
      lines.contains { $0.missedAnswers > 0 } ? [Column(title: "missed") { grouped($0.missedAnswers) }] : []
    return [name] + health + missed + [
      Column(title: "articles") { grouped($0.articles) },
      Column(title: "new/day", omission: 6) { Self.short($0.newPerDay) },
      Column(title: "edits", omission: 3) { Self.percent($0.editRate, decimals: true) },
      Column(title: "minor edits", omission: 1) {
        $0.answers > 0 ? grouped($0.markupChanges + $0.dateChanges) : "-"
      },
      Column(title: "304 rate", omission: 4) { Self.percent($0.notModifiedRate, decimals: false) },
      Column(title: "bytes/day", omission: 2) {
        $0.answers > 0 ? byteText(Int($0.bytesPerDay)) : "-"
      },
      Column(title: "last \(counted(days, "day"))", isText: true, omission: 0) { Sparkline.text($0.days) },
    ]
  }

  /// Returns a name that fits into the first column. Feed addresses often differ only at their ends.
  private func shown(_ name: String, in room: Int) -> String {
    kind == "feed"
      ? DisplayWidth.cutMiddle(of: printable(name), to: room) : DisplayWidth.cut(printable(name), to: room)
  }

  /// Name widths: the largest, the smallest beside optional columns, and the smallest beside the columns that
  /// are omitted last.
  private static let (longestName, usualName, shortestName) = (60, 24, 12)
  /// The first rank that is omitted only beside the shortest names.
  private static let lastOmissions = 6

  /// Returns the table with its headline. On a narrow terminal, names are cut, then columns are omitted.
  ///
  /// - Parameter width: The terminal's columns; nil for the complete table.
  func text(width: Int?) -> String {
    guard let width else { return text(columns(namesIn: nil)) }
    let omissions = columns(namesIn: nil).compactMap(\.omission).sorted()
    let longest = lines.map { DisplayWidth.columns(of: printable($0.name)) }.max() ?? 0
    let room = min(longest, Self.longestName)
    var cut = columns(namesIn: room)
    for count in 0...omissions.count {
      cut = columns(namesIn: room)
      cut.removeAll { column in column.omission.map(omissions.prefix(count).contains) ?? false }
      let excess = Self.width(of: rows(cut)) - width
      if excess <= 0 { break }
      let isLast = omissions.dropFirst(count).allSatisfy { $0 >= Self.lastOmissions }
      if count == omissions.count || room - excess >= (isLast ? Self.shortestName : Self.usualName) {
        cut[0] = columns(namesIn: max(kind.count, room - excess))[0]
        break
      }
    }
    return text(cut)
  }

  private static func width(of rows: [[String]]) -> Int {
    rows.first.map { row in
      row.indices.map { column in rows.map { DisplayWidth.columns(of: $0[column]) }.max() ?? 0 }
        .reduce(2 * (row.count - 1), +)
    } ?? 0
  }

  /// Returns the cell texts, with the headline first.
  private func rows(_ columns: [Column]) -> [[String]] {
    [columns.map(\.title)] + lines.map { line in columns.map { $0.value(line) } }
  }

  private func text(_ columns: [Column]) -> String {
    var rows = rows(columns)
    // Names that are equal after the cut are printed in full on their own lines.
    var counts: [String: Int] = [:]
    for row in rows { counts[row[0], default: 0] += 1 }
    var names: [Int: String] = [:]
    for (place, line) in lines.enumerated() where counts[rows[place + 1][0], default: 0] > 1 {
      names[place + 1] = printable(line.name) + "\n"
      rows[place + 1][0] = ""
    }
    let widths = columns.indices.map { column in rows.map { DisplayWidth.columns(of: $0[column]) }.max() ?? 0
    }
    return rows.enumerated().map { number, row in
      let cells = columns.indices.map { place in
        let missing = String(repeating: " ", count: widths[place] - DisplayWidth.columns(of: row[place]))
        return columns[place].isText ? row[place] + missing : missing + row[place]
      }
      return (names[number] ?? "") + cells.joined(separator: "  ").trimmedEnd + "\n"
    }.joined()
  }

  /// One line with a JSON object for each subject. Scripts rely on the format.
  var json: String {
    lines.map { statistics in
      let name: JSONLine = [kind: statistics.name, "feeds": statistics.feeds]
      let states = [FeedState.healthy, .failing, .stale, .gone, .neverPolled].map { state in
        (state.rawValue, (statistics.states[state] ?? 0) as any RecordValue)
      }
      let figures: JSONLine = [
        "articles": statistics.articles, "new_per_day": Self.rounded(statistics.newPerDay),
        "edit_rate": statistics.editRate.map(Self.rounded),
        "not_modified_rate": statistics.notModifiedRate.map(Self.rounded),
        "bytes_per_day": statistics.answers > 0 ? Int(statistics.bytesPerDay) : nil as Int?,
        "days": statistics.days,
        "markup_changes": statistics.markupChanges, "date_changes": statistics.dateChanges,
      ]
      let missed: JSONLine = ["missed_answers": statistics.missedAnswers]
      let feed: JSONLine =
        kind == "feed" ? ["title": statistics.title, "regions": statistics.regions] : [:]
      return (name + JSONLine(states) + figures + feed + missed).line
    }.joined()
  }

  private static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

  /// Formats numbers below ten with one decimal place.
  private static func short(_ number: Double) -> String {
    number > 0 && number < 9.95 ? "\((number * 10).rounded() / 10)" : grouped(Int(number.rounded()))
  }

  private static func percent(_ share: Double?, decimals: Bool) -> String {
    guard let share else { return "-" }
    return decimals ? "\((share * 1000).rounded() / 10)%" : "\(Int((share * 100).rounded()))%"
  }
}
