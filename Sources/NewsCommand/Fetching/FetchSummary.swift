import Foundation
import ManagedContext
import SQLiteStore

/// What `fetch --summary` prints behind its results: how regions did in the last week.
@MainActor
struct FetchSummary {
  /// The names of the regions; nil for all.
  let regions: [String]?
  /// Whether programs read it.
  let isJSON: Bool

  private static let days = 7

  /// Prints a line for each region, whatever the fetch brought.
  func print(of store: SQLiteStore, at now: Date) throws(StoreError) {
    let chosen = try regions.map { (names) throws(StoreError) in
      try StatisticsReader.regions(of: store).filter { names.contains($0.name) }.map(\.id)
    }
    let reader = StatisticsReader(store, by: .region, of: chosen, at: now, days: Self.days)
    let table = StatisticsTable(kind: "region", lines: try reader.statistics(), days: Self.days)
    if isJSON {
      Output.standard.write(table.json(event: "summary"))
    } else {
      let gap = Output.standard.hasWritten ? "\n" : ""
      Output.standard.write(gap + table.text(width: Output.standard.columns))
    }
  }
}
