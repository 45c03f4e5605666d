import ArgumentParser
import Foundation
import ManagedContext
import NewsModel
import SQLiteStore
import WebAddress
import TextOutput

/// `newsimport search QUERY...`
struct SearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Find articles by their words, the best first.",
    discussion: """
      Examples:
        newsimport search channel ports
        newsimport search '"channel ports" OR ferr*' --region world --since 30d
        newsimport search 'title:storm -football' --json | jq -r .url

      All words have to be there, in the title, the text, the authors or the tags, however they are accented and in \
      whatever case. "A phrase" stands in quotation marks, ferr* begins so, OR stands between alternatives, NOT or - \
      before what is unwanted (inside of the shell's quotes); parentheses group; title:, text:, author: and tag: say where. Anything else in a word \
      is text: C++, it's and foo-bar need no quotation marks. Characters of Chinese, Japanese and Thai are each a word.

      The index is a file beside the store, STORE.search, made and brought up to date by the first search after a \
      fetch, or by newsimport store index; it may be deleted at any time. Attached stores are not searched. Of more \
      than 10,000 articles with the words those that came last are ranked.
      """)

  @OptionGroup var storeOptions: StoreOptions
  @Argument(help: ArgumentHelp("What to look for.", valueName: "query")) var query: [String]
  @Option(help: "Only articles of this region.", completion: .regions) var region: String?
  @Option(
    help: "Only articles since then, such as \(Since.examples).",
    transform: Since.init(argument:))
  var since: Since?
  @Option(help: "Only articles before then; as for --since.", transform: Since.init(argument:)) var until:
    Since?
  @Option(help: "At most so many (default: 20).", transform: limitOfArticles) var limit = 20
  @OptionGroup var records: RecordOptions<SearchField>

  func validate() throws {
    try Since.checkSpan(from: since, to: until, "--until")
  }
}

extension SearchCommand {
  @MainActor
  func run() async throws {
    let expression: SearchExpression
    do throws(SearchExpression.Mistake) {
      expression = try SearchExpression(query.joined(separator: " "), columns: ArticleSearch.names)
    } catch {
      let advice = error.hasNoText ? "see" : "put text with such signs into \"quotation marks\", see"
      throw CommandFailure(.usage, "search: \(error.cause); \(advice) newsimport search --help")
    }
    let library = try SearchLibrary(storeOptions)
    var request = SearchRequest(expression, limit: limit)
    request.candidates = max(request.candidates, limit)
    request.since = since?.date.timeIntervalSince1970
    request.until = until?.date.timeIntervalSince1970
    request.groups = try region.map { try library.feeds(ofRegion: $0) }
    try library.catchUp()
    var printer = ArticlePrinter(records, title: query.joined(separator: " "), more: [])
    printer.begin()
    try library.forEachArticle(request) { listed in
      printer.write(listed)
      return !Output.standard.isClosed
    }
    printer.finish()
    if printer.isEmpty, let hint = MistypedField.hint(query.joined(separator: " ")) {
      Output.error.print("no articles.   \(printable(hint))\n")
    } else if printer.isEmpty && printer.isForPeople {
      let hint =
        try library.hasArticles
        ? "Try other words, fewer of them, or the beginning of one: ferr*"
        : "Nothing was fetched yet.   Next: newsimport fetch --all"
      Output.error.print("no articles.   \(hint)\n")
    }
  }
}

extension StoreCommand {
  /// `newsimport store index`
  struct Index: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "index",
      abstract: "Bring the index of newsimport search up to date, which a search does by itself.",
      discussion: """
        Examples:
          newsimport store index
          */10 * * * *  newsimport fetch --due -q; newsimport store index -q
        """)

    @OptionGroup var storeOptions: StoreOptions
    @Flag(name: .shortAndLong, help: "Print nothing.") var quiet = false
  }
}

extension StoreCommand.Index {
  @MainActor
  func run() async throws {
    let library = try SearchLibrary(storeOptions)
    guard !library.index.isReadOnly else { throw SearchLibrary.cannotWrite(library.index.path) }
    try library.catchUp()
    let size = (try? FileManager.default.attributesOfItem(atPath: library.index.path)[.size] as? NSNumber)?
      .intValue
    if !quiet {
      Output.standard.print("indexed  \(printable(library.index.path))  \(byteText(size ?? 0))\n")
    }
  }
}
