import ArgumentParser
import ArticleDocuments
import FeedImport
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import SQLiteStore

/// `newsimport explain FEED|ID`
struct ExplainCommand: PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Print when a feed is polled next and why, or where an article comes from and how it changed.",
    discussion: """
      Examples:
        newsimport explain https://world.example.com/rss.xml
        newsimport explain 4711
      """)

  @OptionGroup var storeOptions: StoreOptions
  @OptionGroup var configurationOptions: ConfigurationOptions
  @Argument(
    help: ArgumentHelp(
      "The feed's address, or a part of it, or the number of an article.", valueName: "feed"),
    completion: .feeds)
  var feed: String
  @OptionGroup var paging: PagerOptions
  var pagerConfiguration: ConfigurationOptions? { configurationOptions }
  @Flag(help: "One JSON object.") var json = false

  func perform() async throws {
    let stack = try NewsStack.existing(storeOptions, forFeed: self.feed, for: .reading)
    if let number = ArticleNumber(argument: self.feed) {
      // An article number in an attached store looks like a host with a port.
      let isOfFeed =
        try number.store != nil
        && !stack.reading { try stack.source.feeds(containing: self.feed, limit: 1) }.isEmpty
      if try !isOfFeed || stack.mayHave(number), let article = try stack.article(number) {
        try stack.warnOfMissingVersions()
        let explanation = try ArticleExplanation(article, number, in: stack)
        return json ? writeJSON(explanation.json) : Output.standard.print(explanation.text)
      }
      if !isOfFeed {
        throw CommandFailure(.noInput, try stack.reading { try stack.source.noArticle(number) })
      }
    }
    // Zero, and numbers that are too large.
    guard !self.feed.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      throw CommandFailure(
        .noInput, "\(self.feed): no such article; newsimport list shows their numbers")
    }
    let feed = try stack.feed(at: self.feed)
    let explanation = try FeedExplainer([feed], configurationOptions, in: stack).explanation(of: feed)
    if json {
      writeJSON(explanation.json + ["title": feed.shownTitle] + explanation.laterFields)
    } else {
      Output.standard.print(explanation.text)
    }
  }
}

extension NewsStack {
  /// Returns true for a number in the main store or in an attached store; any other number is a host with a
  /// port.
  fileprivate func mayHave(_ number: ArticleNumber) throws -> Bool {
    guard let name = number.store else { return true }
    return try reading { try source.attachedStore(named: name) } != nil
  }
}

extension ArticleExplanation {
  /// Reads what the store knows about an article.
  ///
  /// - Throws: ``CommandFailure`` from the store.
  init(_ article: StoredRow<Article>, _ number: ArticleNumber, in stack: NewsStack) throws {
    let history = try stack.history(of: article, number)
    self = try stack.reading {
      let feed = try stack.source.feed(of: article)
      let copies = try stack.source.copies(ofStories: article.story.map { [$0] } ?? [])
        .copies(of: article.story, in: article.feed)
      let copiesOfOthers = copies.filter { $0.article != article.id }
      let feeds = Dictionary(
        stack.source.context.objects(Feed.self, with: copiesOfOthers.map(\.feed)).map { ($0.id, $0) },
        uniquingKeysWith: { first, _ in first })
      let others = copiesOfOthers.compactMap { copy in
        feeds[copy.feed].map { Copy(article: stack.number(of: copy.article), feed: $0) }
      }
      // Archiving does not move the log, so an archived article's log is read from the same feed in this
      // store.
      let polled = try feed.map { feed in
        let same = try stack.source.context.fetch(FetchRequest(Feed.self, where: \.url == feed.url))
        return same.first { stack.source.isOwn($0.id) } ?? feed
      }
      return ArticleExplanation(
        article: article, history: history, feed: feed,
        regions: try feed.map { try stack.source.regions(of: $0).map(\.name) } ?? [],
        log: try polled.map { try stack.source.log(of: $0) } ?? [], copies: others,
        marks: try stack.source.marks(of: [article.id])[article.id] ?? [],
        storePath: stack.attached.first { $0.store.number == article.id.store }?.store.name, now: Date())
    }
  }
}

/// Explains feeds. The configuration and server pauses are read once.
@MainActor
struct FeedExplainer {
  private let stack: NewsStack
  private let loaded: LoadedConfiguration
  private let configured: ImportSelection
  private let pauses: ServerPauses
  private let now: Date

  /// - Throws: ``CommandFailure`` from the store or the configuration.
  init(_ feeds: [Feed], _ options: ConfigurationOptions, in stack: NewsStack) throws {
    self.stack = stack
    now = stack.now
    loaded = try options.load()
    configured = try ConfiguredFeeds.selection(loaded, stack, feeds)
    pauses = try stack.pauses(at: now)
  }

  /// Returns a feed's current state. The initializer must have received the feed.
  ///
  /// - Throws: ``CommandFailure`` from the store.
  func explanation(of feed: Feed) throws -> FeedExplanation {
    try stack.reading {
      FeedExplanation(
        feed: feed, regions: try stack.source.regions(of: feed).map(\.name),
        formerAddresses: try stack.source.formerAddresses(of: feed), log: try stack.source.log(of: feed),
        server: pauses.refusal(of: feed.currentURL, at: now),
        limit: pauses.wait(of: feed.currentURL, at: now),
        claim: try Claims.expiry(of: feed.currentURL, in: stack.main.context, stack.store),
        configurationError: configured.unusable[feed.id],
        hasTable: loaded.configuration.table(ofFeed: feed.url) != nil, now: now)
    }
  }
}
