import ArgumentParser
import FeedImport
import Foundation
import ManagedContext
import NewsModel

/// `newsimport explain FEED`
struct ExplainCommand: PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Print when a feed is polled next and why, and its latest answers.",
    discussion: "Example: newsimport explain https://world.example.com/rss.xml")

  @OptionGroup var storeOptions: StoreOptions
  @OptionGroup var configurationOptions: ConfigurationOptions
  @Argument(help: ArgumentHelp("The feed's address, or a part of it.", valueName: "feed")) var feed: String
  @OptionGroup var paging: PagerOptions
  var pagerConfiguration: ConfigurationOptions? { configurationOptions }
  @Flag(help: "One JSON object.") var json = false

  func perform() async throws {
    let stack = try NewsStack.existing(storeOptions, forFeed: self.feed, for: .reading)
    let feed = try stack.feed(at: self.feed)
    let explanation = try FeedExplainer([feed], configurationOptions, in: stack).explanation(of: feed)
    if json {
      writeJSON(explanation.json + ["title": feed.shownTitle] + explanation.laterFields)
    } else {
      Output.standard.print(explanation.text)
    }
  }
}

/// Explains feeds. The configuration and the pauses of servers are read once.
@MainActor
struct FeedExplainer {
  private let stack: NewsStack
  private let loaded: LoadedConfiguration
  private let configured: ImportSelection
  private let pauses: ServerPauses
  private let now = Date()

  /// - Throws: ``CommandFailure`` of the store or the configuration.
  init(_ feeds: [Feed], _ options: ConfigurationOptions, in stack: NewsStack) throws {
    self.stack = stack
    loaded = try options.load()
    configured = try ConfiguredFeeds.selection(loaded, stack) { feeds.map(\.outline) }
    pauses = try stack.pauses(at: now)
  }

  /// Returns the current state of one of the feeds, from the store and the configuration.
  ///
  /// - Throws: ``CommandFailure`` of the store.
  func explanation(of feed: Feed) throws -> FeedExplanation {
    try stack.reading {
      FeedExplanation(
        feed: feed, regions: try stack.source.regions(of: feed).map(\.name),
        formerAddresses: try stack.source.formerAddresses(of: feed), log: try stack.source.log(of: feed),
        server: pauses.refusal(of: feed.currentURL, at: now),
        configurationError: configured.unusable[feed.id],
        hasTable: loaded.configuration.table(ofFeed: feed.url) != nil, now: now)
    }
  }
}
