import ArgumentParser
import FeedImport
import Foundation
import ManagedContext
import NewsModel
import TextOutput

/// `newsimport list REGION`
struct ListCommand: MainCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the articles of a region, newest first.",
    discussion: """
      If you mark articles read, a terminal shows the titles of unread articles in bold, or with * before them.
      Examples:
        newsimport list world --since 1d --limit 20
        newsimport list world --json --fields title,url,content_html
        newsimport list world --fields url -0 | xargs -0 -n 1 archive
        newsimport list world --limit 50 --format rss > world.xml
      """)

  @OptionGroup var storeOptions: StoreOptions
  @Argument(help: "The region.", completion: .regions) var region: String
  @Option(
    help: "Only articles since then, such as \(Since.examples).",
    transform: Since.init(argument:))
  var since: Since?
  @Flag(help: "Only articles that are not marked as read.") var unread = false
  @Flag(help: "Only starred articles.") var starred = false
  @Option(help: "The largest number of articles.", transform: limitOfArticles) var limit: Int?
  @OptionGroup var records: RecordOptions<ArticleFields>
  @Flag(help: "With --format json, csv and tsv: also print content_html.") var full = false

  func validate() throws {
    if full && (!records.hasRecords || records.fields != nil) {
      throw ValidationError("--full needs --format json, csv or tsv, without --fields.")
    }
  }

  func perform() async throws {
    let stack = try NewsStack.existing(storeOptions, forRegion: region, for: .reading)
    try stack.readAttachedStores()
    _ = try stack.region(named: region)
    var marked: [ArticleMark: Bool] = [:]
    if unread { marked[.read] = false }
    if starred { marked[.starred] = true }
    // If the user never marks articles read, titles are not shown in bold.
    let marksUnread = try stack.reading { try stack.source.hasReadMarks() }
    var printer = ArticlePrinter(
      records, title: region, more: full ? [ArticleFields.contentHTML] : [],
      marksUnread: marksUnread)
    printer.begin()
    var written = 0
    try stack.reading {
      try stack.source.forEachArticle(
        ofRegionNamed: region, since: since?.date, marked: marked, limit: limit
      ) { article, feed, marks in
        printer.write(ListedArticle(article, number: stack.source.number(of: article), feed, marks: marks))
        written += 1
        // The first articles are written early, so that a reader of the pipe need not wait for all.
        if written == 100 { Output.standard.finish() }
        return !Output.standard.isClosed
      }
    }
    printer.finish()
    if printer.isEmpty && printer.isForPeople {
      let hint =
        since != nil
        ? "Try an earlier --since"
        : marked.isEmpty
          ? "Next: newsimport fetch \(shellWord(region))"
          : "Next: newsimport list \(shellWord(region))"
      Output.error.print("no articles.   \(hint)\n")
    }
  }
}
