import ArgumentParser
import ArticleDocuments
import FeedImport
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import TextOutput

/// `newsimport explain FEED`
struct ExplainCommand: PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Print the stored data of a feed, when it is polled next, and why.",
    discussion: "Example: newsimport explain https://world.example.com/rss.xml")

  @OptionGroup var storeOptions: StoreOptions
  @OptionGroup var configurationOptions: ConfigurationOptions
  @OptionGroup var name: FeedArgument
  @OptionGroup var paging: PagerOptions
  var pagerConfiguration: ConfigurationOptions? { configurationOptions }
  @Flag(help: "One JSON object.") var json = false

  func perform() async throws {
    let stack = try NewsStack.needed(storeOptions, for: .reading)
    let feed = try stack.feed(at: name.feed)
    let explanation = try FeedExplanation(of: feed, configurationOptions, in: stack)
    if json { writeJSON(explanation.json) } else { Output.standard.print(explanation.text) }
  }
}

extension FeedExplanation {
  /// Reads what is known about a feed.
  ///
  /// - Throws: ``CommandFailure`` from the store or the configuration.
  init(of feed: Feed, _ options: ConfigurationOptions, in stack: NewsStack) throws {
    let (loaded, now) = (try options.load(), stack.now)
    let surroundings = try stack.reading { try FeedSurroundings(of: feed, stack.store.statistics) }
    let configured = try ConfiguredFeeds([feed], loaded, stack, inRegions: [feed.id: surroundings.regions])
      .selection()
    let pauses = try stack.pauses(at: now)
    self = try stack.reading {
      FeedExplanation(
        feed: feed, surroundings: surroundings, log: try stack.source.log(of: feed),
        server: pauses.refusal(of: feed.currentURL, at: now),
        limit: pauses.wait(of: feed.currentURL, at: now),
        claim: try Claims.expiry(of: feed.currentURL, in: stack.main.context, stack.store),
        configurationError: configured.unusable[feed.id],
        hasTable: loaded.configuration.table(ofFeed: feed.url) != nil, now: now)
    }
  }
}
