import ArgumentParser
import Foundation
import ManagedContext
import NewsModel
import TextOutput

/// `newsimport mark read|unread|starred|unstarred ID...`
struct MarkCommand: SavingCommand {
  static let configuration = CommandConfiguration(
    commandName: "mark",
    abstract: "Mark articles as read or starred, or remove these marks.",
    discussion: """
      Examples:
        newsimport mark starred 4711 4705
        newsimport mark read --region world --before 1w
        newsimport search ferry --json | jq .id | newsimport mark read -
      newsimport prune never deletes starred articles. Showing or opening an article does not mark it.
      Exit status: 66 if a number has no article; the other articles are marked.
      """)

  /// The new state of the articles.
  enum Mark: String, ExpressibleByArgument, CaseIterable {
    case read, unread, starred, unstarred
  }

  @OptionGroup var storeOptions: StoreOptions
  @Argument(help: "The new state.") var mark: Mark
  @Argument(
    help: ArgumentHelp(
      "The articles' numbers; - reads them from standard input, one per line.", valueName: "id"))
  var ids: [String] = []
  @Option(help: "All articles of this region.", completion: .regions) var region: String?
  @Option(
    help: "With --region: only articles since then, such as \(Since.examples).",
    transform: Since.init(argument:))
  var since: Since?
  @Option(
    help: "With --region: only articles before then, written like --since.",
    transform: Since.init(argument:))
  var before: Since?
  @Flag(help: "One JSON object: mark, region, changed, known.") var json = false

  func validate() throws {
    if ids.isEmpty && region == nil {
      throw ValidationError("Name articles by their numbers, or a region with --region.")
    }
    if !ids.isEmpty && region != nil {
      throw ValidationError("Name articles by their numbers, or give --region, not both.")
    }
    guard region != nil || since == nil && before == nil else {
      throw ValidationError("--since and --before need --region.")
    }
    try Since.checkSpan(from: since, to: before, "--before")
  }

  func perform() async throws {
    let numbers = try ArticleNumber.all(ids)
    if let region {
      try await markRegion(named: region)
    } else {
      try await markArticles(numbers)
    }
  }

  @MainActor
  private func markArticles(_ numbers: [Int64]) async throws {
    let stack = try NewsStack.needed(storeOptions)
    let wanted = FetchPredicate<Article>.ids(numbers.compactMap(stack.source.articleID))
    let (there, changed) = try await stack.change {
      let there = try stack.source.context.fetchIDs(FetchRequest(Article.self, where: wanted))
      let mark = self.mark
      return (there, try stack.source.setMark(mark.articleMark, mark.isSet, where: .ids(there)))
    }
    if !there.isEmpty || numbers.isEmpty {
      printResult(changed: changed, known: there.count - changed)
    }
    let known = Set(there.map(\.key))
    let missing = numbers.filter { !known.contains($0) }
    if let failure = try stack.reading({ try stack.source.reportMissing(missing) }) { throw failure }
  }

  @MainActor
  private func markRegion(named name: String) async throws {
    let stack = try NewsStack.existing(storeOptions, forRegion: name)
    _ = try stack.region(named: name)
    let wanted = DataSource.articles(
      ofRegionNamed: name, since: since?.date, before: before?.date)
    let (count, changed) = try await stack.change {
      let count = try stack.source.context.count(FetchRequest(Article.self, where: wanted))
      let mark = self.mark
      return (count, try stack.source.setMark(mark.articleMark, mark.isSet, where: wanted))
    }
    printResult(changed: changed, known: count - changed)
  }

  @MainActor
  private func printResult(changed: Int, known: Int) {
    if json {
      writeJSON(mark.json(changed: changed, known: known, region: region))
    } else {
      Output.standard.print(mark.report(changed: changed, known: known, region: region))
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
  fileprivate func next(in region: String) -> String {
    let filter = articleMark == .read ? "--unread" : "--starred"
    return "newsimport list \(region) \(filter)"
  }

  /// Returns the result as JSON; see ``report(changed:known:region:)``.
  func json(changed: Int, known: Int, region: String?) -> JSONLine {
    ["mark": rawValue, "region": region, "changed": changed, "known": known]
  }

  /// Returns the result as text.
  ///
  /// - Parameters:
  ///   - changed: The number of articles that were changed.
  ///   - known: The number of articles that already had the state.
  func report(changed: Int, known: Int, region: String?) -> String {
    let rest = known == 0 ? "" : ", \(grouped(known)) already \(known == 1 ? "was" : "were")"
    return
      "marked  \(counted(changed, "article")) \(rawValue)\(rest).   Next: \(next(in: printable(region ?? "REGION")))\n"
  }
}
