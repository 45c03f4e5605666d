import ArgumentParser
import ArticleDocuments
import Foundation
import ManagedContext
import NewsModel
import TextOutput
import WebAddress

/// `newsimport export [REGION|@QUERY...]`
struct ExportCommand: MainCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the newest articles as a web page or a feed.",
    discussion: """
      Examples:
        newsimport export world -o ~/public_html/world.html
        newsimport export world --format rss --since 7d -o world.xml
        newsimport export @podcasts --format rss -o podcasts.xml
        newsimport export tech --format rss -o t.xml --self https://example.org/t.xml

      The page uses no scripts and no network, and follows the reader's light or dark setting. Publishers' HTML is \
      sanitized: scripts, styles, forms and frames are removed, and pictures and videos become links. The output file is \
      replaced only when the new one is complete. Without --limit, it has the newest 100 articles.
      With --format rss or jsonfeed, --self and --home state the addresses of the file and of a page that it belongs to. RSS \
      needs an address of a page: without --home, it is the site of --self, or http://localhost/.
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case html, rss, jsonfeed
  }

  @OptionGroup var storeOptions: StoreOptions
  @OptionGroup var configurationOptions: ConfigurationOptions
  @OptionGroup var sources: ArticleSources
  @OptionGroup var feeds: FeedOptions
  @OptionGroup var conditions: ConditionOptions
  @OptionGroup var stories: StoryOptions
  @OptionGroup var words: MatchOptions
  @OptionGroup var bounds: BoundOptions
  @Option(help: "The format of the output.") var format = Format.html
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write; - or none is standard output.", valueName: "file"),
    completion: .file())
  var output: String?

  @Option(
    name: .customLong("self"),
    help: ArgumentHelp("The address at which the feed will be.", valueName: "url"),
    transform: { WebAddress($0) })
  var address: WebAddress?
  @Option(
    help: ArgumentHelp("The address of the page that the feed belongs to.", valueName: "url"),
    transform: { WebAddress($0) })
  var home: WebAddress?

  /// The most articles without `--limit`.
  private static let usualLimit = 100
  /// The size in bytes of the pieces in which the output is written.
  private static let block = 64 << 10

  func validate() throws {
    if output?.isEmpty == true { throw ValidationError("-o needs the name of a file.") }
    for (option, address) in [("--self", address), ("--home", home)] {
      guard let address else { continue }
      guard format == .rss || format == .jsonfeed else {
        throw ValidationError(
          "\(option) is an address in a feed; add --format rss or jsonfeed, or leave it out.")
      }
      guard address.problem == nil else {
        throw ValidationError("\(option): \(address) is not an http or https address.")
      }
      guard !address.hasUser else {
        throw ValidationError(
          "\(option) has a user name, which readers of the feed would see; leave the name out.")
      }
    }
  }

  func perform() async throws {
    let request = try feeds.request(of: sources.names, conditions, stories, words, bounds)
    let stack = try NewsStack.needed(storeOptions, for: .reading)
    try stack.readAttachedStores()
    let chooser = ArticleChooser(stack) { try configurationOptions.load() }
    var chosen = try chooser.articles(request)
    chosen.choice.limit = chosen.choice.limit ?? Self.usualLimit
    let channel = FeedChannel(title: sources.title, home: home, address: address)
    var document: any ArticleDocument =
      switch format {
      case .html: try page(of: &chosen, request.inWords, chooser)
      case .rss: FeedDocument(RSSText.self, channel)
      case .jsonfeed: FeedDocument(JSONFeedText.self, channel)
      }
    let path = output.flatMap { $0 == "-" ? nil : $0 }
    let file = try path.map { try WholeFile($0, sparing: stack.location, configurationOptions) }
    var bytes = Array(document.head.utf8)
    func writeBlock() throws {
      if let file { try file.write(bytes) } else { Output.standard.write(bytes) }
      bytes.removeAll(keepingCapacity: true)
    }
    var count = 0
    var failure: (any Error)?
    try chooser.forEach(chosen) { listed in
      let start = bytes.count
      document.write(listed, to: &bytes)
      if bytes.count > start { count += 1 }
      if bytes.count >= Self.block {
        do { try writeBlock() } catch { failure = error }
      }
      return failure == nil && !Output.standard.isClosed
    }
    if let failure { throw failure }
    bytes += document.tail.utf8
    try writeBlock()
    if let file {
      let size = try file.finish()
      Output.standard.print(
        "saved  \(printable(file.path))  \(counted(count, "article"))  \(byteText(size))\n")
    }
  }

  /// Begins a page, and replaces the choice by the articles that its outline has.
  @MainActor
  private func page(
    of chosen: inout ChosenArticles, _ conditions: [String], _ chooser: ArticleChooser
  ) throws -> HTMLPage {
    let now = Date()
    var outline = PageOutline()
    try chooser.forEach(chosen, columns: Article.withoutContent) { listed in
      outline.add(listed, at: now)
      return true
    }
    let isLimited = outline.articles.count == chosen.choice.limit
    let hasCopies = chosen.choice.hasCopies
    chosen = ChosenArticles(choice: ArticleChoice())
    chosen.choice.articles = outline.articles
    chosen.choice.hasCopies = hasCopies
    return HTMLPage(
      title: sources.title, conditions: conditions, isLimited: isLimited, outline: outline, created: now)
  }
}
