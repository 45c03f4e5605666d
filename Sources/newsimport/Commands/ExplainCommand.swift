import ArgumentParser
import FeedImport
import Foundation
import ManagedContext
import NewsModel

/// `newsimport explain FEED`
struct ExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Tell when a feed is asked next and why, and how it has answered.",
    discussion: "Example: newsimport explain https://world.example.com/rss.xml")

  @OptionGroup var storeOptions: StoreOptions
  @OptionGroup var configurationOptions: ConfigurationOptions
  @Argument(help: ArgumentHelp("The feed's address, or a part of it.", valueName: "feed")) var feed: String
  @Flag(help: "One JSON object.") var json = false

  func run() async throws {
    try await explain(self)
  }
}

@MainActor
private func explain(_ command: ExplainCommand) async throws {
  guard let stack = try NewsStack.existing(command.storeOptions) else {
    throw CommandFailure(
      .noInput,
      "\(printable(command.feed)): no such feed, there is no store yet; add one: newsimport region add NAME URL"
    )
  }
  let feed = try feed(command.feed, in: stack)
  let now = Date()
  let loaded = try command.configurationOptions.load()
  let configured = try ConfiguredFeeds(loaded, [feed.outline], stack)
  let explanation = try stack.reading {
    return FeedExplanation(
      feed: feed, regions: try stack.source.regions(of: feed).map(\.name),
      formerAddresses: try stack.source.formerAddresses(of: feed), log: try stack.source.log(of: feed),
      server: try stack.pauses(at: now).refusal(of: feed.currentURL, at: now),
      mistake: configured.unusable.first?.cause,
      hasTable: loaded.configuration.table(ofFeed: feed.url) != nil, now: now)
  }
  Output.standard.write(command.json ? explanation.json : explanation.text)
}

/// The feed of an address, or the only one that has the text in its address.
///
/// - Throws: ``CommandFailure`` with status 66 when there is none or more than one.
@MainActor
private func feed(_ text: String, in stack: NewsStack) throws -> Feed {
  if let feed = try stack.reading({ try stack.source.feed(at: text) }) { return feed }
  let found = try stack.reading { try stack.source.feeds(containing: text, limit: 6) }
  if found.count == 1 { return found[0] }
  let shown = FeedAddress.printable(text)
  if found.isEmpty {
    throw CommandFailure(.noInput, "\(shown): no such feed; newsimport region list --json has them all")
  }
  let names = found.prefix(5).map { FeedAddress.printable($0.url) }.joined(separator: ", ")
  throw CommandFailure(.noInput, "\(shown): more than one feed: \(names)\(found.count > 5 ? ", …" : "")")
}
