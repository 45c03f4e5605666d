package import Foundation
import HTMLText
package import ManagedContext
package import NewsModel
import TextOutput
import WebAddress

/// Statistics as a self-contained page with charts, without scripts or network access (WHATWG HTML, SVG 2).
package struct StatisticsPage {
  /// What the page says about a feed.
  package struct FeedNote {
    let name: String
    /// The cause of the last failure; nil without one.
    let cause: String?

    package init(name: String, cause: String?) { (self.name, self.cause) = (name, cause) }
  }

  private let title: String
  private let regions: [FeedStatistics]
  private let overview: StatisticsOverview
  private let feeds: [Int64: FeedNote]
  private let created: Date

  /// - Parameters:
  ///   - title: The headline.
  ///   - regions: The lines of the regions.
  ///   - feeds: The feeds that the overview names, by their keys.
  ///   - created: The time of the page.
  package init(
    title: String, regions: [FeedStatistics], _ overview: StatisticsOverview, feeds: [Int64: FeedNote],
    created: Date
  ) {
    (self.title, self.regions, self.overview) = (title, regions, overview)
    (self.feeds, self.created) = (feeds, created)
  }

  /// The whole page.
  package var html: String {
    """
    \(HTMLPage.beginning(titled: SafeHTML.escaped(title), StatisticsPageStyle.text, hash: StatisticsPageStyle.hash))
    <header>
    <h1 dir="auto">\(SafeHTML.escaped(title))</h1>
    <p>\(HTMLPage.time(created, text: "As of \(localMinute(created)) \(localZone(at: created))"))</p>
    </header>
    <main>
    \(sections.joined(separator: "\n"))
    </main>
    <footer><p>Made by newsimport</p></footer>
    </body>
    </html>

    """
  }

  private var sections: [String] {
    [
      section("New articles", newArticles + regionTable),
      section("Publishing hours", publishingHours),
      overview.imported.isEmpty ? nil : section("Growth", growth),
      overview.failing.isEmpty ? nil : section("Failing feeds", failing),
      overview.slowest.isEmpty ? nil : section("Slowest feeds", slowest),
      overview.logs.isEmpty ? nil : section("Last answers", logs),
    ].compactMap { $0 }
  }

  private func section(_ title: String, _ html: String) -> String {
    "<section>\n<h2>\(title)</h2>\n\(html)\n</section>"
  }

  private func isolated(_ text: String) -> String { "<span dir=\"auto\">\(HTMLPage.isolated(text))</span>" }

  private func name(of feed: Int64) -> String { feeds[feed]?.name ?? "" }

  // MARK: Articles

  /// The dates of new articles, by local day.
  private var days: [(day: String, count: Int)] {
    var days: [(day: String, count: Int)] = []
    for (hour, count) in overview.hours.enumerated() {
      let day = localDay(overview.begin + TimeInterval(hour) * 3600)
      if days.last?.day == day { days[days.count - 1].count += count } else { days.append((day, count)) }
    }
    return days
  }

  private var newArticles: String {
    let days = days
    let all = days.map(\.count).reduce(0, +)
    let description = "New articles on each day from \(days.first?.day ?? "") to \(days.last?.day ?? "")"
    let chart = Chart.bars(days.map(\.count), description, style: "chart") { place, count in
      "\(days[place].day): \(counted(count, "article"))"
    }
    return """
      <dl>
      <div><dt>regions</dt><dd>\(grouped(regions.count))</dd></div>
      <div><dt>feeds with answers</dt><dd>\(grouped(overview.feedsWithAnswers))</dd></div>
      <div><dt>articles</dt><dd>\(grouped(overview.imported.map(\.count).reduce(0, +)))</dd></div>
      <div><dt>new in \(counted(days.count, "day"))</dt><dd>\(grouped(all))</dd></div>
      </dl>
      \(figure(chart, most: days.map(\.count).max(), days.first?.day, days.last?.day))

      """
  }

  /// Returns a chart of articles with its scale.
  ///
  /// - Parameters:
  ///   - most: The largest value, which is as high as the chart.
  ///   - first: The text below the left end.
  ///   - last: The text below the right end.
  private func figure(_ chart: String, most: Int?, _ first: String?, _ last: String?) -> String {
    """
    <figure><div class="most">\(counted(most ?? 0, "article"))</div>\(chart)\
    <div class="ends"><span>\(first ?? "")</span><span>\(last ?? "")</span></div></figure>
    """
  }

  private var regionTable: String {
    guard !regions.isEmpty else { return "" }
    let rows = regions.map { region in
      let chart = Chart.bars(region.days, "New articles by day (UTC) in \(region.name)", style: "small") {
        place, count in
        let date = overview.begin + TimeInterval(place) * 86400 + 43200
        return "\(localDay(date)): \(counted(count, "article"))"
      }
      let failing = region.states[.failing] ?? 0
      return [
        isolated(region.name), "<div class=\"row\">\(chart)\(grouped(region.days.max() ?? 0))</div>",
        grouped(region.articles), grouped(region.feeds),
        failing > 0 ? grouped(failing) : "",
      ]
    }
    return table(["region", "new by day (most)", "articles", "feeds", "failing"], rows, numbers: 2...4)
  }

  /// Returns a table. The first cell in each row names it.
  ///
  /// - Parameters:
  ///   - rows: HTML.
  ///   - numbers: The columns with numbers.
  private func table(_ titles: [String], _ rows: [[String]], numbers: ClosedRange<Int>) -> String {
    func cells(_ row: [String], _ tag: String, scope: String) -> String {
      row.enumerated().map { place, text in
        let tag = place == 0 ? "th" : tag
        let style = numbers.contains(place) ? " class=\"number\"" : ""
        return "<\(tag)\(tag == "th" ? " scope=\"\(scope)\"" : "")\(style)>\(text)</\(tag)>"
      }.joined()
    }
    let body = rows.map { "<tr>\(cells($0, "td", scope: "row"))</tr>" }.joined(separator: "\n")
    return """
      <div class="wide"><table>
      <thead><tr>\(cells(titles, "th", scope: "col"))</tr></thead>
      <tbody>
      \(body)
      </tbody></table></div>
      """
  }

  private var publishingHours: String {
    var counts = Array(repeating: 0, count: 7 * 24)
    for (hour, count) in overview.hours.enumerated() {
      let date = CivilDate(local: overview.begin + TimeInterval(hour) * 3600)
      // Weeks begin on Monday.
      counts[(date.weekday + 6) % 7 * 24 + Int(date.hour)] += count
    }
    let most = max(1, counts.max() ?? 1)
    let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    // Zero has a level of its own.
    let levels = counts.map { "level\(($0 * 4 + most - 1) / most)" }
    let chart = Chart.cells(levels, columns: 24, "New articles by weekday and hour") { place in
      "\(names[place / 24]) \(digits(Int64(place % 24))):00: \(counted(counts[place], "article"))"
    }
    let list = names.map { "<li>\($0)</li>" }.joined()
    return """
      <p>The hours of the publishers' dates, in local time. The fullest hour has \(counted(counts.max() ?? 0, "article")).</p>
      <figure class="hours"><ol aria-hidden="true">\(list)</ol>\(chart)\
      <div class="ends" aria-hidden="true"><span>0</span><span>6</span><span>12</span><span>18</span><span>24</span></div></figure>
      """
  }

  // MARK: Feeds

  private var logs: String {
    let most = overview.logs.map(\.outcomes.count).max() ?? 1
    let rows = overview.logs.map { feed, outcomes in
      let missing = Array(repeating: "none", count: most - outcomes.count)
      let words = missing.map { _ in "no answer yet" } + outcomes.map { $0?.rawValue ?? "unknown" }
      let failed = outcomes.count { $0 == .failed }
      let chart = Chart.cells(
        missing + outcomes.map(Self.style), columns: most,
        "\(counted(outcomes.count, "answer")), \(grouped(failed)) failed", style: "log"
      ) { words[$0] }
      return [isolated(name(of: feed)), chart, failed > 0 ? grouped(failed) : ""]
    }
    let left = overview.feedsWithAnswers - overview.logs.count
    let rest = left > 0 ? " \(counted(left, "feed")) with fewer failures are left out." : ""
    let legend: [(FetchOutcome?, String)] = [
      (.updated, "new or edited articles"), (.unchanged, "nothing new"), (.failed, "failed"),
      (.refused, "refused by its host"),
    ]
    let keys = legend.map { outcome, words in
      "<span>\(Chart.cells([Self.style(outcome)], columns: 1, words) { _ in words })\(words)</span>"
    }
    return """
      <p>The last \(most == 1 ? "answer" : "\(most) answers") of each feed, the newest at the right.\(rest)</p>
      <p class="legend">\(keys.joined())</p>
      \(table(["feed", "answers", "failed"], rows, numbers: 2...2))
      """
  }

  private static func style(_ outcome: FetchOutcome?) -> String {
    switch outcome {
    case .updated: "updated"
    case .unchanged: "unchanged"
    case .failed: "failed"
    case .refused: "refused"
    case nil: "none"
    }
  }

  private var failing: String {
    let rows = overview.failing.map { feed, failures in
      [isolated(name(of: feed)), isolated(feeds[feed]?.cause ?? ""), grouped(failures)]
    }
    return "<p>The feeds with most failures in a row.</p>\n"
      + table(["feed", "cause", "failures in a row"], rows, numbers: 2...2)
  }

  private var slowest: String {
    let rows = overview.slowest.map { feed, milliseconds in
      [isolated(name(of: feed)), "\(grouped(milliseconds)) ms"]
    }
    return table(["feed", "mean time"], rows, numbers: 1...1)
  }

  // MARK: Growth

  private var growth: String {
    let imported = overview.imported
    let first = imported.first?.day ?? 0
    let last = max(first, imported.last?.day ?? 0)
    // At most as many bars as can be told apart.
    let step = max(1, (last - first + 1 + 59) / 60)
    var totals: [Int] = []
    var (place, sum) = (0, 0)
    for begin in stride(from: first, through: last, by: Int64.Stride(step)) {
      while place < imported.count, imported[place].day < begin + step {
        sum += imported[place].count
        place += 1
      }
      totals.append(sum)
    }
    func day(_ number: Int64) -> String {
      localDay(Date(timeIntervalSince1970: TimeInterval(number) * 86400 + 43200))
    }
    let chart = Chart.bars(totals, "Articles in the store by the day they were saved", style: "chart") {
      place, total in
      "\(day(min(last, first + Int64(place + 1) * step - 1))): \(counted(total, "article"))"
    }
    return figure(chart, most: totals.last, day(first), day(last))
  }
}

extension DataSource {
  /// Returns what a page says about the feeds in a store's overview, by their keys.
  package func notes(
    about overview: StatisticsOverview, of store: StoreNumber
  ) throws(StoreError) -> [Int64: StatisticsPage.FeedNote] {
    let keys = overview.logs.map(\.feed) + overview.slowest.map(\.feed) + overview.failing.map(\.feed)
    let ids = Set(keys).map { ManagedObjectID(entity: NewsModel.Place.feed, store: store, key: $0) }
    var notes: [Int64: StatisticsPage.FeedNote] = [:]
    for feed in try context.fetch(FetchRequest(Feed.self, where: .ids(ids))) {
      notes[feed.id.key] = StatisticsPage.FeedNote(
        name: feed.shownTitle ?? feed.url.withoutPassword, cause: feed.lastFailure.map { "\($0)" })
    }
    return notes
  }
}
