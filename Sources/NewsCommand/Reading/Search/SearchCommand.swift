import ArgumentParser
import ArticleDocuments
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import TextOutput
import TextSearch

/// `newsimport search QUERY...`
struct SearchCommand: PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Search articles, the best hits first.",
    discussion: """
      Examples:
        newsimport search channel ports
        newsimport search '"channel ports" OR ferr*' --region world --since 30d
        newsimport search 'title:storm -football' --json | jq -r .url

      An article must contain all words, in the title, the text, the authors or the tags. Case, accents and vowel points are \
      ignored in every language: strasse finds Straße. Write "a phrase" in quotation marks, ferr* for words that begin so, *boat* for words with a part, OR between alternatives, and NOT or - \
      before unwanted words (inside the shell's quotes). Parentheses group; title:, text:, author: and tag: name a field. Any other character in a word \
      is text: C++, it's and foo-bar need no quotation marks. Each Chinese, Japanese, Korean or Thai character is a word, and so is an emoji.

      The index is a file next to the store, STORE.search, or in tables of the server. It is created and updated by the first search after a \
      fetch, or by newsimport store index, and may be deleted at any time. The best 20 articles are printed, on a terminal the best 100, or --limit. Attached stores are searched, too; their indexes are in the folder STORE.attached. Of more \
      than 10,000 matching articles, only the latest are ranked.
      """)

  @OptionGroup var storeOptions: StoreOptions
  @Argument(help: ArgumentHelp("The words to search.", valueName: "query")) var query: [String]
  @OptionGroup var configurationOptions: ConfigurationOptions
  @Option(
    help: ArgumentHelp(
      "Only articles of this region, or of a query of the configuration (@NAME). May be repeated.",
      valueName: "region|@query"), completion: .regions)
  var region: [String] = []
  @OptionGroup var feeds: FeedOptions
  @OptionGroup var conditions: ConditionOptions
  @OptionGroup var stories: StoryOptions
  @OptionGroup var bounds: BoundOptions
  @OptionGroup var records: RecordOptions<SearchFields>
  @OptionGroup var paging: PagerOptions

  var pagerConfiguration: ConfigurationOptions? { configurationOptions }

  /// The most articles without `--limit`, except on a terminal.
  private static let usualLimit = 20
  /// The count up to which all found articles are counted.
  private static let mostCounted = 10_000

  func perform() async throws {
    let wanted = try feeds.request(of: region, conditions, stories, bounds)
    let expression: SearchExpression
    do throws(ArticleSearch.InvalidWords) {
      expression = try ArticleSearch.expression(query.joined(separator: " "))
    } catch {
      throw CommandFailure(.usage, "search: \(error.cause); see newsimport search --help")
    }
    let library = try SearchLibrary(storeOptions)
    let chooser = ArticleChooser(library.stack) { try configurationOptions.load() }
    let chosen = try chooser.articles(wanted)
    var printer = ArticlePrinter(records, title: query.joined(separator: " "))
    let limit = ListLimit(
      chosen, isOnTerminal: printer.isForPeople && Output.standard.isTerminal,
      elsewhere: Self.usualLimit)
    let read = limit.read ?? Self.usualLimit
    var request = SearchRequest(expression, limit: read)
    request.candidates = max(request.candidates, read)
    try library.catchUp()
    printer.begin()
    var (written, isCut) = (0, false)
    try library.forEachArticle(request, among: chosen, marks: printer.marks) { listed in
      guard !limit.isFull(written) else {
        isCut = true
        return false
      }
      printer.write(listed)
      written += 1
      return !Output.standard.isClosed
    }
    printer.finish()
    if isCut {
      Output.standard.finish()
      let found = try library.articles(with: expression, limit: Self.mostCounted + 1)
      var all = chosen
      all.choice.restrict(to: found)
      Output.standard.print(limit.text(of: found.count <= Self.mostCounted ? try chooser.count(all) : nil))
    }
    if printer.isEmpty, let hint = try hint(library, expression, wanted, isForPeople: printer.isForPeople) {
      Output.error.print("no articles.   \(hint)\n")
    }
  }

  /// Returns a way to find more; nil without one. Programs get only hints about probable mistakes.
  @MainActor
  private func hint(
    _ library: SearchLibrary, _ expression: SearchExpression, _ wanted: ArticleRequest, isForPeople: Bool
  ) throws -> String? {
    if region.isEmpty, let name = try searchedRegion(library) {
      return
        "\(printable(name)) is a region, and was searched as a word; did you mean --region \(shellWord(name))?"
    }
    guard isForPeople else { return nil }
    guard try library.hasArticles else { return "Nothing was fetched yet.   Next: newsimport fetch --all" }
    let options = wanted.options + (region.isEmpty ? [] : ["--region"])
    if !options.isEmpty, try !library.articles(with: expression, limit: 1).isEmpty {
      return "Others have these words: leave out \(options.joined(separator: ", "))"
    }
    return "Try other words, fewer of them, or a part of one: *boat*"
  }

  /// The region that one of several search words names.
  @MainActor
  private func searchedRegion(_ library: SearchLibrary) throws -> String? {
    guard query.count > 1 else { return nil }
    return try library.stack.reading {
      for word in query {
        let name = word.first == "@" ? String(word.dropFirst()) : word
        for spelling in [name, name.lowercased()] {
          if let region = try library.stack.source.region(named: spelling) { return region.name }
        }
      }
      return nil
    }
  }
}

extension StoreCommand {
  /// `newsimport store index`
  struct Index: MainCommand {
    static let configuration = CommandConfiguration(
      commandName: "index",
      abstract: "Update the index of newsimport search; a search does this automatically.",
      discussion: """
        Examples:
          newsimport store index
          */10 * * * *  newsimport fetch --due -q; newsimport store index -q
        """)

    @OptionGroup var storeOptions: StoreOptions
    @Flag(name: .shortAndLong, help: "Print nothing.") var quiet = false

    func perform() async throws {
      let library = try SearchLibrary(storeOptions)
      guard !library.index.isReadOnly else {
        throw library.stack.location.cannotWrite(index: library.index.name)
      }
      try library.catchUp()
      guard !quiet else { return }
      for (name, bytes) in try library.sizes() {
        Output.standard.print("indexed  \(printable(name))  \(byteText(bytes))\n")
      }
    }
  }
}
