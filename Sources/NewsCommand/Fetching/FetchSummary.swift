import Foundation
import ManagedContext
import NewsModel

/// The `fetch --summary` output after the results: region statistics for the last week.
@MainActor
struct FetchSummary {
  /// The region names; nil for all.
  let regions: [String]?
  let isJSON: Bool

  private static let days = 7

  /// Prints a line for each region, including regions without new articles.
  func print(_ query: StatisticsQuery, at now: Date) throws(StoreError) {
    let chosen = try regions.map { (names) throws(StoreError) in
      try StatisticsReader.regions(query).filter { names.contains($0.name) }.map(\.id)
    }
    let reader = StatisticsReader(by: .region, of: chosen, at: now, days: Self.days, query)
    let table = StatisticsTable(kind: "region", lines: try reader.statistics(), days: Self.days)
    if isJSON {
      Output.standard.write(table.json(event: "summary"))
    } else {
      let gap = Output.standard.hasWritten ? "\n" : ""
      Output.standard.write(gap + table.text(width: Output.standard.columns))
    }
  }
}
