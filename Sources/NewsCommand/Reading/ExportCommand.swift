import ArgumentParser
import Foundation
import ManagedContext
import NewsModel
import TextOutput

/// `newsimport export REGION`
struct ExportCommand: MainCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the newest articles of a region as a web page or a feed.",
    discussion: """
      Examples:
        newsimport export world -o ~/public_html/world.html
        newsimport export world --format rss --since 7d -o world.xml

      The page uses no scripts and no network, and follows the reader's light or dark setting. Publishers' HTML is \
      sanitized: scripts, styles, forms and frames are removed, and pictures and videos become links. The output file is \
      replaced only when the new one is complete.
      """)

  /// The values of `--format`.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case html, rss, jsonfeed
  }

  @OptionGroup var storeOptions: StoreOptions
  @Argument(help: "The region.", completion: .regions) var region: String
  @Option(help: "The format of the output.") var format = Format.html
  @Option(
    help: "Only articles since then, such as \(Since.examples).",
    transform: Since.init(argument:))
  var since: Since?
  @Option(help: "The largest number of articles (default: 100).", transform: limitOfArticles) var limit = 100
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write; - or none is standard output.", valueName: "file"),
    completion: .file())
  var output: String?

  func validate() throws {
    if output?.isEmpty == true { throw ValidationError("-o needs the name of a file.") }
  }

  func perform() async throws {
    let stack = try NewsStack.existing(storeOptions, forRegion: region, for: .reading)
    try stack.readAttachedStores()
    _ = try stack.region(named: region)
    var document: any ArticleDocument =
      switch format {
      case .html: HTMLPage(title: region, created: Date())
      case .rss: FeedDocument(RSSText.self, title: region)
      case .jsonfeed: FeedDocument(JSONFeedText.self, title: region)
      }
    let path = output.flatMap { $0 == "-" ? nil : $0 }
    let file = try path.map { try WholeFile($0, sparing: stack.path) }
    func write(_ text: String) throws {
      if let file { try file.write(text) } else { Output.standard.write(text) }
    }
    var count = 0
    var failure: (any Error)?
    try write(document.head)
    try stack.reading {
      try stack.source.forEachArticle(
        ofRegionNamed: region, since: since?.date, limit: limit
      ) { article, feed, marks in
        let item = document.item(
          ListedArticle(article, number: stack.source.number(of: article), feed, marks: marks))
        if !item.isEmpty { count += 1 }
        do { try write(item) } catch { failure = error }
        return failure == nil && !Output.standard.isClosed
      }
    }
    if let failure { throw failure }
    try write(document.tail)
    if let file {
      let size = try file.finish()
      Output.standard.print(
        "saved  \(printable(file.path))  \(counted(count, "article"))  \(byteText(size))\n")
    }
  }
}
