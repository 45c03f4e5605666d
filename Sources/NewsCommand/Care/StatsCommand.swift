public import ArgumentParser
import Foundation
import ManagedContext
public import NewsModel
import SQLiteStore

/// `newsimport stats [REGION...]`
struct StatsCommand: MainCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract:
      "Print statistics of regions or feeds: their health, their articles, and the cost of polling them.",
    discussion: """
      A feed is failing if its last fetch failed, and stale if it has had no new article for 8 times its publishing interval and at \
      least a week. New articles are those dated in the last days (UTC). markup/dates counts the articles of which only markup or dates have changed, which are not edits. Edits, 304 rate and bytes cover at most the last 30 answers of each feed. A ~ marks \
      an estimate, where counting would take too long.
      Examples:
        newsimport stats
        newsimport stats --by feed world --days 30
        newsimport stats --json | jq -r 'select(.failing > 0) | .region'
      Each Monday, as a mail from cron:
        0 8 * * 1  newsimport stats --days 7; newsimport doctor
      """)

  @OptionGroup var storeOptions: StoreOptions
  @Argument(
    help: ArgumentHelp("The regions; all by default.", valueName: "region"), completion: .regions)
  var regions: [String] = []
  @Option(help: "The subject of each line.") var by = StatisticsReader.Subject.region
  @Option(help: "The number of days for which new articles are counted, 1 to 90.") var days = 14
  @Flag(
    help: """
      One JSON object per line: region or feed, feeds, healthy, failing, stale, gone, unasked, articles, new_per_day, \
      edit_rate, not_modified_rate, bytes_per_day, days, estimated, markup_changes, date_changes.
      """)
  var json = false

  func validate() throws {
    guard (1...90).contains(days) else {
      throw ArgumentParser.ValidationError("--days is a number from 1 to 90.")
    }
  }

  func perform() async throws {
    let store = try NewsStack.readOnly(storeOptions)
    let lines: [FeedStatistics]
    var regionless = 0
    do {
      let all = try StatisticsReader.regions(store.statisticsQuery)
      let wanted = try regions.map { name in
        guard let region = all.first(where: { $0.name == name }) else {
          throw CommandFailure(
            .noInput, "\(name): no such region; \(regionHint(name, all.map(\.name)))")
        }
        return region.id
      }
      lines = try StatisticsReader(
        by: by, of: wanted.isEmpty ? nil : wanted, at: Date(), days: days, store.statisticsQuery
      ).statistics()
      if lines.isEmpty, wanted.isEmpty {
        regionless = try StatisticsReader.regionlessCount(store.statisticsQuery)
      }
    } catch let error as StoreError {
      throw CommandFailure(error, store: store.name)
    }
    let table = StatisticsTable(kind: by.rawValue, lines: lines, days: days)
    if json {
      Output.standard.write(table.json())
    } else if lines.isEmpty {
      Output.error.print(emptyListText("\(by.rawValue)s", regionless: regionless))
    } else {
      Output.standard.write(table.text(width: Output.standard.columns))
    }
  }
}

extension StatisticsReader.Subject: ExpressibleByArgument {}

extension SQLiteStore {
  /// Runs the statements of ``StatisticsReader``.
  var statisticsQuery: StatisticsReader.Query {
    { (text, visit) throws(StoreError) in try self.query(text, visit: visit) }
  }
}
