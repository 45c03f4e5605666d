public import ArgumentParser
import Foundation
import ArticleDocuments
import ManagedContext
import NewsConfiguration
public import NewsModel
import TextOutput

/// `newsimport stats [REGION|@QUERY...]`
struct StatsCommand: PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract:
      "Print statistics of regions or feeds: their health, their articles, and the cost of polling them.",
    discussion: """
      A feed is failing if its last fetch failed, and stale if it has had no new article for 8 times its publishing interval and at \
      least a week, or its host has refused each request for so long. New articles are those dated in the last days (UTC). Minor edits are changes to an article's markup or dates alone, which do not count as edits. Edits, 304 rate and bytes cover at most the last 30 answers of each feed.
      Examples:
        newsimport stats
        newsimport stats --by feed world --days 30
        newsimport stats --json | jq -r 'select(.failing > 0) | .region'
        newsimport stats --format html -o stats.html
      Each Monday, as a mail from cron:
        0 8 * * 1  newsimport stats --days 7; newsimport doctor
      """)

  @OptionGroup var storeOptions: StoreOptions
  @OptionGroup var configurationOptions: ConfigurationOptions
  @OptionGroup var sources: ArticleSources
  @OptionGroup var feeds: FeedOptions
  @OptionGroup var paging: PagerOptions
  var pagerConfiguration: ConfigurationOptions? { configurationOptions }
  @Option(help: "The subject of each line.") var by = StatisticsReader.Subject.region
  @Option(help: "The number of days for which new articles are counted, 1 to 90.") var days = 14
  @Flag(
    help: """
      One JSON object per line: region or feed, feeds, healthy, failing, stale, gone, unasked, articles, new_per_day, \
      edit_rate, not_modified_rate, bytes_per_day, days, markup_changes, date_changes; of a feed also title, regions.
      """)
  var json = false
  @Option(help: "A table, or a web page with charts of articles, hours, answers and growth.")
  var format = Format.text
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write; - or none is standard output.", valueName: "file"),
    completion: .file())
  var output: String?

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, html
  }

  func validate() throws {
    guard format == .html || output == nil else {
      throw ArgumentParser.ValidationError("-o writes a page; add --format html, or leave it out.")
    }
    guard output?.isEmpty != true else {
      throw ArgumentParser.ValidationError("-o needs the name of a file.")
    }
    guard format == .text || !json && by == .region else {
      throw ArgumentParser.ValidationError("A page has its own lines; leave --json and --by out.")
    }
    guard (1...90).contains(days) else {
      throw ArgumentParser.ValidationError("--days is a number from 1 to 90.")
    }
  }

  func perform() async throws {
    let request = try self.feeds.request(of: sources.names)
    let stack = try NewsStack.needed(storeOptions, for: .reading)
    let (regions, feeds) = try chosenParts(request, stack)
    if format == .html { return try writePage(of: regions, feeds, stack) }
    var subject = by
    func statistics() throws -> [FeedStatistics] {
      try stack.reading {
        try StatisticsReader(
          by: subject, of: regions, inFeeds: feeds, at: Date(), days: days, stack.store.statistics
        ).statistics()
      }
    }
    var lines = try statistics()
    // Feeds in no region get their own lines.
    if lines.isEmpty, feeds != nil, subject == .region {
      subject = .feed
      lines = try statistics()
    }
    let isWhole = lines.isEmpty && regions == nil && feeds == nil
    let regionless = try isWhole ? stack.reading { try stack.source.regionlessCount() } : 0
    let table = StatisticsTable(kind: subject.rawValue, lines: lines, days: days)
    if json {
      Output.standard.write(table.json)
    } else if lines.isEmpty {
      Output.error.print(emptyListText("\(subject.rawValue)s", regionless: regionless))
    } else {
      Output.standard.write(table.text(width: Output.standard.columns))
    }
  }
}

extension StatsCommand {
  /// Returns the keys for named regions, and for feeds that a query or an option names; nil for all.
  @MainActor
  private func chosenParts(
    _ request: ArticleRequest, _ stack: NewsStack
  ) throws -> (regions: [Int64]?, feeds: [Int64]?) {
    let chooser = ArticleChooser(stack) { try configurationOptions.load() }
    var choice = try chooser.articles(request).choice
    for query in sources.names where query.hasPrefix("@") {
      let chosen = try chooser.articles(ArticleRequest(names: [query], feeds: request.feeds))
      guard chosen.words.isEmpty, chosen.choice.isOfWholeFeeds else {
        throw CommandFailure(
          .usage,
          "\(query): the query chooses some of the articles of its feeds; stats counts the articles of whole feeds"
        )
      }
    }
    let names = sources.names.filter { !$0.hasPrefix("@") }
    let regions = try names.map { try stack.region(named: $0).id.key }
    // Whole regions need no feed list.
    if names.count == sources.names.count { choice.sources = [] }
    guard let feeds = choice.ofFeeds else { return (regions.isEmpty ? nil : regions, nil) }
    let keys = try stack.reading {
      try stack.source.context.fetchIDs(FetchRequest(Feed.self, where: feeds)).map(\.key)
    }
    return (regions.isEmpty || names.count < sources.names.count ? nil : regions, keys)
  }
}

extension StatsCommand {
  /// Writes a page about regions and feeds; nil for all.
  @MainActor
  private func writePage(of regions: [Int64]?, _ feeds: [Int64]?, _ stack: NewsStack) throws {
    let now = Date()
    let reader = StatisticsReader(
      by: .region, of: regions, inFeeds: feeds, at: now, days: days, stack.store.statistics)
    let page = try stack.reading {
      let overview = try reader.overview()
      return StatisticsPage(
        title: sources.names.isEmpty ? "News statistics" : "News statistics: \(sources.title)",
        regions: try reader.statistics(), overview,
        feeds: try stack.source.notes(about: overview, of: stack.store.number), created: now)
    }
    guard let path = output, path != "-" else { return Output.standard.write(page.html) }
    let file = try WholeFile(path, sparing: stack.location, configurationOptions)
    try file.write(page.html)
    let size = try file.finish()
    Output.standard.print("saved  \(printable(file.path))  \(byteText(size))\n")
  }
}

extension StatisticsReader.Subject: ExpressibleByArgument {}
