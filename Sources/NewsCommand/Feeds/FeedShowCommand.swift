import ArgumentParser
import ArticleDocuments
import FeedImport
import Foundation
import ManagedContext
import NewsModel
import TextOutput

extension FeedCommand {
  /// `newsimport feed show FEED...`
  struct Show: PagedCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Print the stored data of feeds.",
      discussion: """
        Examples:
          newsimport feed show world.example.com
          newsimport feed show - --json < addresses.txt
        Exit status: 1 if some of several feeds do not exist; the others are printed.
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var paging: PagerOptions
    var pagerConfiguration: ConfigurationOptions? { configurationOptions }
    @OptionGroup var name: FeedArguments
    @Flag(
      help: """
        One JSON object for each feed, with the fields of newsimport explain --json and title, home_page_url, articles, \
        newest_import, language.
        """)
    var json = false

    func perform() async throws {
      let words = try name.words()
      let stack = try NewsStack.existing(storeOptions, forFeed: words[0], for: .reading)
      let named = try NamedFeeds(words, in: stack)
      let explainer = try FeedExplainer(named.feeds, configurationOptions, in: stack)
      for (place, feed) in named.feeds.enumerated() {
        if !json && place > 0 { Output.standard.print("\n") }
        try show(feed, try explainer.explanation(of: feed), in: stack)
        if Output.standard.isClosed { return }
      }
      try named.finish()
    }

    @MainActor
    private func show(_ feed: Feed, _ explanation: FeedExplanation, in stack: NewsStack) throws {
      let articles = try stack.reading { try stack.source.articleCount(of: feed) }
      let newest = try stack.reading { try stack.source.newestImport(of: feed) }
      if json {
        let page: JSONLine = [
          "title": feed.shownTitle, "home_page_url": feed.homePage, "articles": articles,
          "newest_import": newest, "language": feed.language,
        ]
        return writeJSON(explanation.json + page + explanation.laterFields)
      }
      var lines = [("title", feed.shownTitle ?? "(no title)")]
      if let homePage = feed.homePage { lines.append(("site", homePage)) }
      if let language = feed.language { lines.append(("language", language)) }
      let last = newest.map { ", the last one new at \(localMinute($0))" } ?? ""
      lines.append(("articles", grouped(articles) + last))
      Output.standard.print(FeedExplanation.text(of: lines) + explanation.text)
    }
  }
}
