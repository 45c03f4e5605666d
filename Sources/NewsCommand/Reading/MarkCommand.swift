import ArgumentParser
import ArticleDocuments
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import Sequences
import TextOutput

/// `newsimport mark read|unread|starred|unstarred ID...`
struct MarkCommand: SavingCommand {
  static let configuration = CommandConfiguration(
    commandName: "mark",
    abstract: "Mark articles as read or starred, or remove these marks.",
    discussion: """
      Examples:
        newsimport mark starred 4711 4705
        newsimport mark read --region world --until 1w
        newsimport mark starred --feed example.org --match harbour
        newsimport search ferry --json | jq .id | newsimport mark read -
      newsimport prune never deletes starred articles. Showing an article does not mark it. A mark of one copy of a \
      story holds for all, also in attached stores. Marks of their articles are kept in this store.
      Exit status: 66 if a number has no article; the other articles are marked.
      """)

  /// The articles' new state.
  enum Mark: String, ExpressibleByArgument, CaseIterable {
    case read, unread, starred, unstarred
  }

  @OptionGroup var storeOptions: StoreOptions
  @Argument(help: "The new state.") var mark: Mark
  @Argument(
    help: ArgumentHelp(
      "The articles' numbers; - reads them from standard input, one per line.", valueName: "id"))
  var ids: [String] = []
  @OptionGroup var configurationOptions: ConfigurationOptions
  @Option(
    help: ArgumentHelp(
      "All articles of this region, or of a query of the configuration (@NAME). May be repeated.",
      valueName: "region|@query"), completion: .regions)
  var region: [String] = []
  @OptionGroup var feeds: FeedOptions
  @OptionGroup var conditions: ConditionOptions
  @OptionGroup var stories: StoryOptions
  @OptionGroup var words: MatchOptions
  @OptionGroup var bounds: BoundOptions
  @Flag(help: "One JSON object: mark, region, changed, known.") var json = false

  func validate() throws {
    let request = try request()
    let isChosen = !region.isEmpty || feeds.all || !request.options.isEmpty
    if ids.isEmpty && !isChosen {
      throw ValidationError(
        "Name articles by their numbers, or choose them with --region, --feed or another option; --all means all."
      )
    }
    // A word that is not a number may be the value of an unknown option, which the parser reports.
    if ids.contains(where: { $0 == "-" || ArticleNumber(argument: $0) != nil }) && isChosen {
      throw ValidationError("Name articles by their numbers, or choose them with options, not both.")
    }
    if let query = ids.first(where: { $0.hasPrefix("@") }) {
      throw ValidationError("Choose the articles of a query with --region \(query).")
    }
  }

  private func request() throws -> ArticleRequest {
    try feeds.request(of: region, conditions, stories, words, bounds)
  }

  func perform() async throws {
    let numbers = try ArticleNumber.all(ids)
    if ids.isEmpty { try await markChosen() } else { try await markArticles(numbers) }
  }

  @MainActor
  private func markArticles(_ numbers: [ArticleNumber]) async throws {
    let stack = try NewsStack.needed(storeOptions)
    try stack.readAttachedStores()
    let ids = numbers.map { ($0, stack.articleID($0)) }
    let wanted = FetchPredicate<Article>.ids(ids.compactMap(\.1))
    let (there, changed) = try await stack.change {
      let there = try stack.source.context.fetchIDs(FetchRequest(Article.self, where: wanted))
      let mark = self.mark
      return (there, try stack.source.setMark(mark.articleMark, mark.isSet, where: .ids(there)))
    }
    if !there.isEmpty || numbers.isEmpty {
      printResult(changed: changed, known: there.count - changed)
    }
    let known = Set(there)
    let missing = ids.filter { number, id in id.map { !known.contains($0) } ?? true }.map(\.0)
    if let failure = CommandFailure.reporting(missing: missing) { throw failure }
  }

  @MainActor
  private func markChosen() async throws {
    let stack = try NewsStack.needed(storeOptions)
    try stack.readAttachedStores()
    let chooser = ArticleChooser(stack) { try configurationOptions.load() }
    let chosen = try chooser.articles(try request())
    let wanted = try chooser.predicate(of: chosen)
    let mark = mark
    let (count, changed) = try stack.reading {
      (
        try stack.source.context.count(FetchRequest(Article.self, where: wanted)),
        try stack.source.changed(by: mark.articleMark, mark.isSet, among: wanted)
      )
    }
    for part in changed.chunks(of: Self.part) {
      _ = try await stack.change {
        try stack.source.setMark(mark.articleMark, mark.isSet, where: .ids(part))
      }
    }
    printResult(changed: changed.count, known: count - changed.count)
  }

  /// The number of articles that are saved together. A million marks in one save would take 270 MB.
  private static let part = 20_000

  /// The only region; nil for none or several.
  private var shownRegion: String? { region.count == 1 ? region[0] : nil }

  @MainActor
  private func printResult(changed: Int, known: Int) {
    if json {
      writeJSON(mark.json(changed: changed, known: known, region: shownRegion))
    } else {
      Output.standard.print(mark.report(changed: changed, known: known, region: shownRegion))
    }
  }
}

extension MarkCommand.Mark {
  fileprivate var articleMark: ArticleMark {
    switch self {
    case .read, .unread: .read
    case .starred, .unstarred: .starred
    }
  }

  fileprivate var isSet: Bool { self == .read || self == .starred }

  /// Returns the command that lists the articles to mark next.
  ///
  /// - Parameter region: Nil for all regions.
  fileprivate func next(in region: String?) -> String {
    let filter = articleMark == .read ? "--unread" : "--starred"
    return "newsimport list \(region.map { "\(printable($0)) " } ?? "")\(filter)"
  }

  /// Returns the result as JSON; see ``report(changed:known:region:)``.
  func json(changed: Int, known: Int, region: String?) -> JSONLine {
    ["mark": rawValue, "region": region, "changed": changed, "known": known]
  }

  /// Returns the result as text.
  ///
  /// - Parameters:
  ///   - changed: How many articles were changed.
  ///   - known: How many articles already had the state.
  func report(changed: Int, known: Int, region: String?) -> String {
    let rest = known == 0 ? "" : ", \(grouped(known)) already \(known == 1 ? "was" : "were")"
    return
      "marked  \(counted(changed, "article")) \(rawValue)\(rest).   Next: \(next(in: region))\n"
  }
}
