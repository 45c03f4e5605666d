import ArgumentParser
import ArticleDocuments
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import TextOutput
import Threading
import Sequences

/// `newsimport watch [REGION|@QUERY...]`
struct WatchCommand: MainCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Print articles as soon as any process saves them.",
    discussion: """
      Prints a line for each new or edited article. A change of markup or dates alone is no edit. A new copy of a story that was there before is printed only with --copies. \
      It runs until Ctrl-C, or until the reader of its output ends. It \
      also follows a region that is removed and added again.
      Examples:
        newsimport watch world tech
        newsimport watch --feed example.org --match 'ferry OR harbour'
        newsimport watch --json | jq -r 'select(.event == "new") | .url'
      """)

  @OptionGroup var storeOptions: StoreOptions
  @OptionGroup var configurationOptions: ConfigurationOptions
  @OptionGroup var sources: ArticleSources
  @OptionGroup var feeds: FeedOptions
  @OptionGroup var conditions: ConditionOptions
  @OptionGroup var stories: StoryOptions
  @OptionGroup var words: MatchOptions
  @Flag(help: "Also print articles of which only markup or dates have changed.") var allChanges = false
  @Flag(
    help: """
      One JSON object per line: event, which is new or edited (with --all-changes also markup or dates), and the fields of \
      newsimport list --json.
      """)
  var json = false

  static let needsThreads = true

  func perform() async throws {
    let chosen = try chosenArticles()
    try await ArticleWatch(self, chosen).run()
  }

  /// The regions, without queries.
  fileprivate var regions: [String] { sources.names.filter { !$0.hasPrefix("@") } }

  @MainActor
  private func chosenArticles() throws -> ChosenArticles {
    let request = try feeds.request(of: sources.names, conditions, stories, words)
    let stack = try NewsStack.needed(storeOptions, for: .reading)
    let chosen = try ArticleChooser(stack) { try configurationOptions.load() }
      .unsearched(request) { _ in
        throw CommandFailure(
          .usage, "a query with match cannot be one of several here; watch it alone, or give --match")
      }
    guard chosen.choice.limit == nil, chosen.choice.until == nil else {
      throw CommandFailure(
        .usage, "a query with limit or until cannot be watched: articles are printed as they come")
    }
    return chosen
  }
}

/// A `watch` run: waits until a process saves, and prints the saved articles.
@MainActor
final class ArticleWatch {
  private let command: WatchCommand
  private let chosen: ChosenArticles
  private let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation
  /// The regions that no longer exist in the store.
  private var missing: Set<String> = []

  init(_ command: WatchCommand, _ chosen: ChosenArticles) {
    (self.command, self.chosen) = (command, chosen)
    (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  func run() async throws {
    let wake = wake
    let store = try WatchedStore(command.storeOptions) { wake.yield() }
    try checkRegions(in: store)
    let regionWatch = watchRegions(of: store)
    defer { regionWatch.cancel() }
    let signals = SignalWatch { [store = store.store] in
      store.stopWaiting()
      wake.yield()
    }
    if Output.error.isTerminal, Output.standard.isTerminal {
      let what =
        command.sources.names.isEmpty
        ? "all regions" : command.sources.names.map(printable).joined(separator: ", ")
      Output.error.print("watching \(what); Ctrl-C ends this\n")
    }
    // A clock wakes this task, because neither a removed store nor a closed output does.
    let clock = Task {
      while (try? await Task.sleep(for: .seconds(1), tolerance: .milliseconds(500))) != nil { wake.yield() }
    }
    defer { clock.cancel() }
    for await _ in wakes {
      if let status = signals.status {
        // The terminal has printed ^C; the shell's prompt belongs on the next line.
        if status == .interrupted, Output.error.isTerminal { Output.error.write("\n") }
        throw CommandFailure(status)
      }
      if Output.standard.isReaderGone { return }
      guard store.isThere else {
        throw CommandFailure(
          .noInput,
          "\(printable(NewsStack.location(command.storeOptions).name)): the store was removed or replaced")
      }
      reportRegions(of: store)
      let changes = store.takeNews()
      let unread = await print(ArticleNews(changes, all: command.allChanges), of: store) {
        signals.status == nil
      }
      if !unread.isEmpty { store.putBack(changes, of: unread) }
      Output.standard.finish()
      if Output.standard.isClosed { return }
    }
  }

  private func checkRegions(in store: WatchedStore) throws {
    let names = store.regionNames
    for name in command.regions where !names.contains(name) {
      throw CommandFailure(.noInput, "\(name): no such region; \(regionHint(name, names))")
    }
  }

  /// Wakes the watch whenever a region is added, removed or renamed.
  private func watchRegions(of store: WatchedStore) -> Task<Void, Never> {
    let (changes, wake) = (store.regionChanges(), wake)
    return Task { for await _ in changes { wake.yield() } }
  }

  /// Reports the regions that were removed or renamed, and the missing regions that exist again.
  private func reportRegions(of store: WatchedStore) {
    let names = store.regionNames
    for name in command.regions {
      if names.contains(name) {
        guard missing.remove(name) != nil else { continue }
        Output.error.warn("\(printable(name)): the region exists again, and is watched")
      } else if missing.insert(name).inserted {
        Output.error.warn(
          "\(printable(name)): the region was removed or renamed; a new one of that name will be watched"
        )
      }
    }
  }

  /// Prints articles page by page until the output is closed. Articles that were deleted in between are
  /// skipped.
  ///
  /// - Returns: The articles that could not be read, because the store is gone or its server is unavailable.
  private func print(
    _ news: ArticleNews, of store: WatchedStore, _ isWanted: () -> Bool
  ) async -> ArraySlice<ManagedObjectID> {
    let columns = Output.standard.columns
    var printed = 0
    for page in news.articles.chunks(of: Self.page) {
      let source = DataSource(store.context())
      guard let found = try? chosen.among(page, in: source) else { return news.articles[printed...] }
      printed += page.count
      let copies = chosen.choice.hasCopies ? [] : (try? copies(among: found.map(\.article), source)) ?? []
      let regions = FeedRegions(source)
      for (article, feed) in found.sorted(by: Self.isEarlier)
      where !(copies.contains(article.id) && news.event(of: article.id) == .new) {
        if command.json {
          writeJSON(Self.json(article, feed, regions, news.event(of: article.id)))
        } else {
          Output.standard.write(
            ArticleLine(article, number: ArticleNumber(article.id.key), feed).text(columns: columns))
        }
      }
      await Task.yield()
      if Output.standard.isClosed || !isWanted() { break }
    }
    return []
  }

  /// Returns the articles that are copies of earlier chosen articles.
  private func copies(among articles: [StoredRow<Article>], _ source: DataSource) throws -> Set<
    ManagedObjectID
  > {
    let stories = try source.copies(ofStories: articles.compactMap(\.story))
    guard !stories.stories.isEmpty else { return [] }
    let all = try chosen.among(stories.stories.joined().map(\.article), in: source)
    let chosen = Set(all.map(\.article.id))
    return Set(
      articles.filter { article in
        stories.copies(of: article.story, in: article.feed).contains {
          chosen.contains($0.article) && $0.article.key < article.id.key
        }
      }.map(\.id))
  }

  private static let page = 200

  /// Orders one document's articles from oldest to newest.
  private static func isEarlier(_ one: (StoredRow<Article>, Feed?), _ other: (StoredRow<Article>, Feed?))
    -> Bool
  {
    guard let left = one.0.sequence, let right = other.0.sequence, left != right else {
      return one.0.id.key < other.0.id.key
    }
    return left < right
  }

  private static func json(
    _ article: StoredRow<Article>, _ feed: Feed?, _ regions: FeedRegions, _ event: ArticleNews.Event
  ) -> JSONLine {
    let listed = ListedArticle(article, number: ArticleNumber(article.id.key), feed, in: regions)
    return ["event": event.name] + JSONLine(ArticleFields.standard, of: listed)
  }
}

extension ArticleNews.Event {
  /// The name, on which scripts rely.
  fileprivate var name: String {
    switch self {
    case .new: "new"
    case .changed(.edit): "edited"
    case .changed(.markup): "markup"
    case .changed(.dates): "dates"
    case .changed(.volatile): "volatile"
    }
  }
}
