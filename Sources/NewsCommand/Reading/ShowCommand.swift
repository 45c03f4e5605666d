import ArgumentParser
import Foundation
import ManagedContext
import NewsModel
import TextOutput

/// `newsimport show ID...`
struct ShowCommand: PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show an article as text, with numbered links.",
    discussion: """
      newsimport list prints the number of an article at the end of its line.
      Examples:
        newsimport show 4711
        newsimport show 4711 --html > article.html
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

  func validate() throws {
    guard !html || !json else { throw ValidationError("Give --html or --json, not both.") }
    guard !ids.isEmpty else { throw ValidationError("Name the articles by their numbers.") }
  }

  func perform() async throws {
    let numbers = try ArticleNumber.all(ids)
    guard let stack = try NewsStack.existing(storeOptions, for: .reading) else {
      throw CommandFailure(
        .noInput, "\(numbers.first.map { "\($0): no such article, " } ?? "")no store exists yet")
    }
    let regions = FeedRegions(stack.source)
    for (place, number) in numbers.enumerated() {
      guard let article = try stack.article(number) else {
        throw CommandFailure(.noInput, try stack.reading { try stack.source.noArticle(number) })
      }
      let listed = try stack.reading {
        let feed = try stack.source.feed(of: article)
        return ListedArticle(
          article, number: number, feed, in: regions,
          marks: try stack.source.marks(of: [article.id])[article.id] ?? [],
          otherFeeds: try stack.source.otherFeeds(of: article, in: feed))
      }
      if json {
        writeJSON(JSONLine(ArticleFields.all, of: listed))
      } else if html {
        Output.standard.write(markup(of: article))
      } else {
        let page = ArticlePage(listed, columns: Output.standard.columns ?? 80)
        Output.standard.write((place > 0 ? "\n" : "") + page.text)
      }
    }
    try stack.reading { try regions.check() }
  }
}

/// Prints text of the publisher; on a terminal, without control characters.
@MainActor
private func markup(of article: Article) -> String {
  let html = article.contentHTML ?? article.summary ?? ""
  let whole = html.hasSuffix("\n") ? html : html + "\n"
  return Output.standard.isTerminal ? printableLines(whole) : whole
}
