import ArgumentParser
import Foundation
import ManagedContext
import NewsModel
import WebAddress
import TextOutput

/// `newsimport watch [REGION...]`
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Print articles as they are saved, by whatever process.",
    discussion: """
      Prints a line for each article that is new or edited, until it is stopped (Ctrl-C), or its reader ends. A store \
      that is replaced is watched on, and so is a region that comes back.
      Examples:
        newsimport watch world tech
        newsimport watch --json | jq -r 'select(.event == "new") | .url'
      """)

  @OptionGroup var storeOptions: StoreOptions
  @Argument(
    help: ArgumentHelp("The regions; all articles by default.", valueName: "region"), completion: .regions)
  var regions: [String] = []
  @Flag(
    help: """
      One JSON object a line: event, which is new or edited, and the fields of newsimport list --json.
      """)
  var json = false

  func run() async throws {
    try await ArticleWatch(self).run()
  }
}

/// One `watch`: sleeps until somebody saves, and prints what that was.
@MainActor
final class ArticleWatch {
  private let command: WatchCommand
  private let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation
  /// The regions that are not in the store any more.
  private var missing: Set<String> = []
  /// When a store was there last.
  private var seen = Date()

  init(_ command: WatchCommand) {
    self.command = command
    (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  func run() async throws {
    let wake = wake
    var store: WatchedStore? = try open()
    try store.map(checkRegions)
    var regionWatch = store.map(watchRegions)
    defer { regionWatch?.cancel() }
    let signals = SignalWatch { wake.yield() }
    if Output.error.isTerminal, Output.standard.isTerminal {
      let what =
        command.regions.isEmpty ? "all regions" : command.regions.map(printable).joined(separator: ", ")
      Output.error.tell("watching \(what); Ctrl-C ends this\n")
    }
    // Neither a store that goes nor a reader that ends wakes anybody.
    let clock = Task {
      while (try? await Task.sleep(for: .seconds(1), tolerance: .milliseconds(500))) != nil { wake.yield() }
    }
    defer { clock.cancel() }
    for await _ in wakes {
      if let status = signals.status {
        // The terminal has shown ^C, and the shell goes on behind it.
        if status == .interrupted, Output.error.isTerminal { Output.error.write("\n") }
        throw CommandFailure(status)
      }
      if Output.standard.isReaderGone { return }
      let next = look(after: store)
      if next !== store {
        regionWatch?.cancel()
        regionWatch = next.map(watchRegions)
        store = next
      }
      if let store {
        tellRegions(of: store)
        await print(ArticleNews(store.takeNews()), of: store) { signals.status == nil }
      }
      Output.standard.finish()
      if Output.standard.isClosed { return }
    }
  }

  /// - Parameter since: From when on articles are news that are there already; nil for none.
  private func open(since: Date? = nil) throws -> WatchedStore {
    let wake = wake
    return try WatchedStore(command.storeOptions, since: since) { wake.yield() }
  }

  private func checkRegions(in store: WatchedStore) throws {
    let names = store.regionNames
    for name in command.regions where !names.contains(name) {
      throw CommandFailure(.noInput, "\(name): no such region; \(regionHint(name, names))")
    }
  }

  /// Wakes whenever a region comes, goes or gets another name.
  private func watchRegions(of store: WatchedStore) -> Task<Void, Never> {
    let (changes, wake) = (store.regionChanges(), wake)
    return Task { for await _ in changes { wake.yield() } }
  }

  /// Says which of the regions went, by removal or another name, and which of those are there again.
  private func tellRegions(of store: WatchedStore) {
    let names = store.regionNames
    for name in command.regions {
      if names.contains(name) {
        guard missing.remove(name) != nil else { continue }
        Output.error.tell("newsimport: \(printable(name)): the region is there again, and watched\n")
      } else if missing.insert(name).inserted {
        Output.error.tell(
          "newsimport: \(printable(name)): the region was removed or renamed; one of that name will be watched\n"
        )
      }
    }
  }

  /// The store to be watched on: another one where that is in its place, none as long as there is none.
  private func look(after store: WatchedStore?) -> WatchedStore? {
    if let store, store.isThere {
      seen = Date()
      return store
    }
    // One that cannot be opened now may be a copy that is being made.
    let next = try? open(since: seen)
    let change: String? =
      switch (store != nil, next != nil) {
      case (true, true): "another store has taken the place of this one, and is watched"
      case (true, false): "the store is gone; one that takes its place will be watched"
      case (false, true): "a store is there again, and watched"
      case (false, false): nil
      }
    if let change {
      Output.error.tell("newsimport: \(printable(NewsStack.path(command.storeOptions))): \(change)\n")
    }
    return next
  }

  /// Prints articles page by page, as long as somebody wants them. An article that is gone again is left out.
  private func print(_ news: ArticleNews, of store: WatchedStore, _ isWanted: () -> Bool) async {
    let columns = Output.standard.columns
    for start in stride(from: 0, to: news.articles.count, by: Self.page) {
      let source = DataSource(store.context())
      let page = Array(news.articles[start..<min(start + Self.page, news.articles.count)])
      // A store that cannot be read any more is found to be gone with the next look.
      guard let found = try? source.articles(page, ofRegionsNamed: command.regions) else { return }
      for (article, feed) in found.sorted(by: Self.isEarlier) {
        let isEdit = news.isEdit(article.id)
        Output.standard.write(
          command.json
            ? Self.json(article, feed, isEdit: isEdit)
            : ArticleLine(article, number: article.id.key, feed).text(columns: columns))
      }
      await Task.yield()
      if Output.standard.isClosed || !isWanted() { return }
    }
  }

  private static let page = 200

  /// The articles of one document with the oldest first, as a stream has them.
  private static func isEarlier(_ one: (Article, Feed?), _ other: (Article, Feed?)) -> Bool {
    guard let left = one.0.sequence, let right = other.0.sequence, left != right else {
      return one.0.id.key < other.0.id.key
    }
    return left < right
  }

  private static func json(_ article: Article, _ feed: Feed?, isEdit: Bool) -> String {
    var line = JSONLine()
    line.add("event", isEdit ? "edited" : "new")
    let listed = ListedArticle(article, number: article.id.key, feed)
    for field in ArticleField.standard { line.add(field.rawValue, field.value(of: listed)) }
    return line.line
  }
}
