import ArgumentParser
import ArticleDocuments
import NewsModel
import TextOutput

/// `newsimport list [REGION|@QUERY...]`
struct ListCommand: PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List articles, newest first.",
    discussion: """
      On a terminal, the newest 100 articles are listed, or --limit; otherwise all.
      If you mark articles read, a terminal shows the titles of unread articles in bold, or with * before them.
      Examples:
        newsimport list world --since 1d --limit 20
        newsimport list world tech --unread --match 'ferry OR harbour'
        newsimport list --feed example.org --with-attachment --fields url
        newsimport list @podcasts --json --fields title,url,content_html
        newsimport list world --fields url -0 | xargs -0 -n 1 archive
        newsimport list world --limit 50 --format rss > world.xml
        newsimport list world --unread --format mbox > news.mbox && mutt -f news.mbox
      """)

  @OptionGroup var storeOptions: StoreOptions
  @OptionGroup var configurationOptions: ConfigurationOptions
  @OptionGroup var sources: ArticleSources
  @OptionGroup var feeds: FeedOptions
  @OptionGroup var conditions: ConditionOptions
  @OptionGroup var stories: StoryOptions
  @OptionGroup var words: MatchOptions
  @OptionGroup var bounds: BoundOptions
  @OptionGroup var records: RecordOptions<ArticleFields>
  @OptionGroup var paging: PagerOptions
  @Flag(help: "With --format json, csv and tsv: print all fields.") var full = false

  var pagerConfiguration: ConfigurationOptions? { configurationOptions }

  func validate() throws {
    if full && (!records.hasRecords || records.fields != nil) {
      throw ValidationError("--full needs --format json, csv or tsv, without --fields.")
    }
  }

  func perform() async throws {
    let request = try feeds.request(of: sources.names, conditions, stories, words, bounds)
    let stack = try NewsStack.needed(storeOptions, for: .reading)
    try stack.readAttachedStores()
    let chooser = ArticleChooser(stack) { try configurationOptions.load() }
    var chosen = try chooser.articles(request)
    var printer = ArticlePrinter(records, title: sources.title, more: full ? ArticleFields.further : [])
    // If the user never marks articles read, titles are not shown in bold.
    if printer.isForPeople, Output.standard.isTerminal || !Style.isPlain(.standard) {
      printer.marksUnread = try stack.reading { try stack.source.hasReadMarks() }
    }
    let limit = ListLimit(chosen, isOnTerminal: printer.isForPeople && Output.standard.isTerminal)
    let all = chosen
    chosen.choice.limit = limit.read
    var isCut = false
    printer.begin()
    var written = 0
    try chooser.forEach(chosen, columns: printer.columns, marks: printer.marks) { listed in
      guard !limit.isFull(written) else {
        isCut = true
        return false
      }
      printer.write(listed)
      written += 1
      // The first articles, which are read alone, are written early: a reader of the pipe need not wait for
      // all.
      if written == 1 || written == 50 { Output.standard.finish() }
      return !Output.standard.isClosed
    }
    printer.finish()
    if isCut {
      Output.standard.finish()
      Output.standard.print(limit.text(of: try chooser.count(all)))
    }
    if printer.isEmpty && printer.isForPeople {
      Output.error.print("no articles.   \(request.hint)\n")
    }
  }
}
