import ArgumentParser
import ArticleDocuments
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import TextOutput

/// `newsimport show ID...`
struct ShowCommand: PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show an article as text, with numbered links.",
    discussion: """
      newsimport list prints the number of an article at the end of its line. An article that its publisher has changed has \
      versions, numbered from 1; newsimport diff compares them. Above each of several articles, a rule has its number and marks.
      Examples:
        newsimport show 4711
        newsimport show 4711 --html > article.html
        newsimport show 4711 --version 1
        newsimport search ferry --fields id | newsimport show -
      """)

  @OptionGroup var storeOptions: StoreOptions
  @Argument(
    help: ArgumentHelp(
      "The articles' numbers; - reads them from standard input, one per line.", valueName: "id"))
  var ids: [String]
  @OptionGroup var paging: PagerOptions
  var pagerConfiguration: ConfigurationOptions? { nil }
  @Flag(help: "The publisher's HTML, not sanitized.") var html = false
  @Flag(help: "One JSON object per line, with every field of newsimport list --fields.") var json = false
  @Option(
    help: ArgumentHelp(
      "A version of the articles; 1 is the first one, as it was first imported.", valueName: "n"))
  var version: Int?
  @Option(
    help: ArgumentHelp(
      "The version of that time, such as \(Since.examples).", valueName: "date"),
    transform: Since.init(argument:))
  var at: Since?

  func validate() throws {
    guard !html || !json else { throw ValidationError("Give --html or --json, not both.") }
    guard version == nil || at == nil else { throw ValidationError("Give --version or --at, not both.") }
    guard !ids.isEmpty else { throw ValidationError("Name the articles by their numbers.") }
  }

  func perform() async throws {
    let numbers = try ArticleNumber.all(ids)
    let stack = try NewsStack.needed(storeOptions, for: .reading)
    let regions = FeedRegions(stack.source)
    for (place, number) in numbers.enumerated() {
      let article = try stack.existingArticle(number)
      var listed = try stack.reading {
        let feed = try stack.source.feed(of: article)
        return ListedArticle(
          article, number: number, feed, in: regions,
          marks: try stack.source.marks(of: [article.id])[article.id] ?? [],
          otherFeeds: try stack.source.otherFeeds(of: article, in: feed))
      }
      let history = try stack.history(of: article, number)
      if let version = try chosenVersion(of: history) {
        try stack.warnOfMissingVersions()
        listed.version = ListedVersion(version, of: history, try stack.values(version, of: article))
      }
      if json {
        writeJSON(JSONLine(ArticleFields.all, of: listed) + (listed.version?.json ?? [:]))
      } else if html {
        Output.standard.write(markup(of: listed))
      } else {
        let page = ArticlePage(
          listed, hasVersions: !history.former.isEmpty,
          columns: Output.standard.columns ?? ArticlePage.standardColumns, .standard)
        Output.standard.write((place > 0 ? "\n" : "") + (numbers.count > 1 ? page.rule : "") + page.text)
      }
    }
    try stack.reading { try regions.check() }
  }

  /// Returns the number of the version that the user wants; nil for the current one without its number.
  private func chosenVersion(of history: ArticleHistory) throws -> Int? {
    if let version { try history.check(version) }
    guard let at else { return version }
    // explain and lists show minutes. A time without seconds counts to its minute's end, so that it can be
    // copied.
    let isMinute = at.date.timeIntervalSince1970.truncatingRemainder(dividingBy: 60) == 0
    if let number = history.number(at: isMinute ? at.date.addingTimeInterval(59.999) : at.date) {
      return number
    }
    throw CommandFailure(
      .noInput,
      "article \(history.article) was first imported \(localMinute(history.seen(1))); no version of \(localMinute(at.date)) is known"
    )
  }
}

extension ArticlePage.Highlights {
  /// The highlighting on standard output.
  @MainActor
  fileprivate static let standard = Self(
    title: { Style.bold($0, on: .standard) }, rule: { Style.dim($0, on: .standard) },
    deletion: { Style.marked($0, .removed, on: .standard) })
}

/// Prints a publisher's text; on a terminal, without control characters.
@MainActor
private func markup(of listed: ListedArticle) -> String {
  let html = listed[Article.schema.contentHTML] ?? listed[Article.schema.summary] ?? ""
  let whole = html.hasSuffix("\n") ? html : html + "\n"
  return Output.standard.isTerminal ? printableLines(whole) : whole
}
