import ArgumentParser
import FeedImport
import Foundation
import ManagedContext
import NewsModel
import TextOutput
import WebAddress

/// `newsimport feed …`
struct FeedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feed", abstract: "List, show, move, remove and rename feeds.",
    subcommands: [List.self, Show.self, Move.self, Remove.self, Rename.self])

  /// `newsimport feed show FEED`
  struct Show: MainCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Print the stored data of a feed.",
      discussion: "Example: newsimport feed show world.example.com")

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var name: FeedArgument
    @Flag(
      help: """
        One JSON object, with the fields of newsimport explain --json and title, home_page_url, articles, \
        newest_import.
        """)
    var json = false

    func perform() async throws {
      let stack = try NewsStack.existing(storeOptions, forFeed: name.feed, for: .reading)
      let feed = try stack.feed(at: name.feed)
      let explanation = try FeedExplanation(feed, configurationOptions, in: stack)
      let articles = try stack.reading { try stack.source.articleCount(of: feed) }
      let newest = try stack.reading { try stack.source.newestImport(of: feed) }
      if json {
        let page: JSONLine = [
          "title": feed.shownTitle, "home_page_url": feed.homePage, "articles": articles,
          "newest_import": newest,
        ]
        return writeJSON(explanation.json + page)
      }
      var lines = [("title", feed.shownTitle ?? "(no title)")]
      if let homePage = feed.homePage { lines.append(("site", homePage)) }
      let last = newest.map { ", the last one new at \(localMinute($0))" } ?? ""
      lines.append(("articles", grouped(articles) + last))
      Output.standard.print(FeedExplanation.text(of: lines) + explanation.text)
    }
  }

  /// `newsimport feed move FEED REGION`
  struct Move: SavingCommand {
    static let configuration = CommandConfiguration(
      commandName: "move",
      abstract: "Move a feed to another region.",
      discussion: """
        If the feed is in several regions, --from names the one that it leaves. A new region is created if necessary.
        Example: newsimport feed move blog.example.org tech --from world
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var name: FeedArgument
    @Argument(help: "The new region.", completion: .regions) var region: String
    @Option(help: "The region that the feed leaves.", completion: .regions) var from: String?

    func perform() async throws {
      try checkRegionName(region)
      let stack = try NewsStack.existing(storeOptions, forFeed: name.feed)
      let address = try stack.feed(at: name.feed).url
      let (move, known) = try await stack.change {
        let feed = try stack.feed(at: address.text)
        let known = try stack.source.regions().map(\.name)
        let regions = try stack.source.regions(of: feed).map(\.name)
        let move = try RegionChange(
          from: regions, leaving: from, to: region, feed: address.description)
        if let left = move.left { try stack.source.remove(feed, from: try stack.region(named: left)) }
        _ = try stack.source.add([feed.url], toRegionNamed: region)
        return (move, known)
      }
      let origin = move.left.map { " from \(printable($0))" } ?? ""
      let isNew = !known.contains(region)
      Output.standard.print(
        "moved  \(address)\(origin) to \(printable(region))\(isNew ? ", a new region" : "")\n"
      )
      // The region that the feed leaves is not suggested.
      if isNew, let question = suggestion(for: region, among: known.filter { $0 != move.left }) {
        Output.error.warn("\(printable(region)) is a new region; \(printable(question))")
      }
    }
  }

  /// `newsimport feed remove FEED`
  struct Remove: SavingCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Delete a feed with its articles, or remove it from a region.",
      discussion: """
        Asks before it deletes. With --region, nothing is deleted: the feed and its articles stay in the store, but a feed \
        that is in no other region is no longer fetched.
        Examples:
          newsimport feed remove blog.example.org --region world
          newsimport feed remove https://blog.example.org/feed --yes
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var name: FeedArgument
    @Option(help: "Remove the feed only from this region.", completion: .regions) var region: String?
    @Flag(help: "Do not ask.") var yes = false

    func perform() async throws {
      let stack = try NewsStack.existing(storeOptions, forFeed: name.feed)
      let feed = try stack.feed(at: name.feed, isDeletion: region == nil)
      let address = feed.url.description
      let regions = try stack.reading { try stack.source.regions(of: feed).map(\.name) }
      if let name = region {
        let region = try stack.region(named: name)
        guard regions.contains(name) else {
          let places =
            regions.isEmpty ? "in no region" : "in \(regions.map(printable).joined(separator: ", "))"
          throw CommandFailure(.noInput, "\(address): not in region \(printable(name)); it is \(places)")
        }
        try stack.reading { try stack.source.remove(feed, from: region) }
        try await stack.save()
        let rest = regions.count > 1 ? "" : "; it is now in no region, and no longer fetched"
        Output.standard.print("removed  \(address) from region \(printable(name))\(rest)\n")
        return
      }
      let count = try stack.reading { try stack.source.articleCount(of: feed) }
      let starred = try stack.reading { try stack.source.starredCount(of: feed) }
      let what =
        "\(address) and its \(counted(count, "article"))"
        + (starred > 0 ? ", \(grouped(starred)) of them starred" : "")
      let places =
        regions.isEmpty
        ? ""
        : ", of \(regions.count == 1 ? "region" : "regions") \(regions.map(printable).joined(separator: ", "))"
      guard try Question.isConfirmed("remove \(what)\(places)", isGiven: yes) else {
        Output.error.print("nothing was removed\n")
        return
      }
      let context = BackgroundContext(parent: stack.root, name: "remove", mergePolicy: .objectTrumps)
      do throws(StoreError) {
        try await FeedRemoval.remove(feed.id, in: context)
      } catch {
        throw CommandFailure(error, store: stack.path)
      }
      Output.standard.print("removed  \(what)\n")
    }
  }

  /// `newsimport feed rename OLD NEW`
  struct Rename: SavingCommand {
    static let configuration = CommandConfiguration(
      commandName: "rename",
      abstract: "Give a feed another address or a title of your own; its articles and regions stay.",
      discussion: """
        A title of your own is shown and exported instead of the publisher's; an empty one restores the publisher's.
        Examples:
          newsimport feed rename blog.example.org --title 'Blog of a friend'
          newsimport feed rename blog.example.org https://example.org/feed

        If another feed has the new address, the two are merged. An article that both have is kept once, with the text \
        of that other feed; if the texts differ, newsimport asks first. The feed can still be found by its old address.
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var name: FeedArgument
    @Argument(help: ArgumentHelp("Its new address, http or https.", valueName: "new")) var address: String?
    @Option(help: "The new title.") var title: String?
    @Flag(help: "Do not ask.") var yes = false

    func validate() throws {
      guard address != nil || title != nil else {
        throw ValidationError("Give the feed's new address, a --title, or both.")
      }
    }

    func perform() async throws {
      if let title = title { try await retitle(title) }
      guard let newAddress = address else { return }
      let target: WebAddress
      do throws(WebAddress.Problem) {
        target = try WebAddress(listed: newAddress)
      } catch {
        throw CommandFailure(
          .badInput,
          "\(WebAddress.withoutPassword(newAddress)): \(error); nothing was renamed\(schemeQuestion(newAddress))"
        )
      }
      let stack = try NewsStack.existing(storeOptions, forFeed: name.feed)
      let feed = try stack.feed(at: name.feed)
      let address = feed.url.description
      if feed.url == target {
        Output.error.print("\(address): this is already its address\n")
        return
      }
      let table = try configurationOptions.load().configuration.table(ofFeed: feed.url)
      let losses = try stack.reading {
        try FeedMoves.losses(of: feed, renamedTo: target, in: stack.main.context)
      }
      if losses > 0 {
        let action =
          "rename \(address) -> \(target), merged with the feed at that address, "
          + "and delete \(lostArticles(losses))"
        guard try Question.isConfirmed(action, isGiven: yes) else {
          Output.error.print("nothing was renamed\n")
          return
        }
      }
      let context = BackgroundContext(parent: stack.root, name: "rename", mergePolicy: .objectTrumps)
      let move: FeedMoves.Move?
      do throws(StoreError) {
        move = try await FeedMoves.rename(feed.id, to: target, in: context)
      } catch {
        throw CommandFailure(error, store: stack.path)
      }
      guard let move else { throw CommandFailure(.noInput, "\(address): it was removed meanwhile") }
      let merged = move.isMerged ? ", merged with the feed at that address" : ""
      let lost = move.lostArticles
      let gone = lost > 0 ? "; \(lostArticles(lost)) \(lost == 1 ? "is" : "are") gone" : ""
      Output.standard.print("renamed  \(address) -> \(move.to)\(merged)\(gone)\n")
      if table != nil {
        Output.error.warn(
          "\(address): its table in the configuration is for the old address; write the new one there"
        )
      }
    }

    /// Sets the user's title of a feed. An empty title restores the publisher's.
    @MainActor
    private func retitle(_ title: String) async throws {
      let stack = try NewsStack.existing(storeOptions, forFeed: name.feed)
      let (address, shown) = try await stack.change {
        let feed = try stack.feed(at: name.feed)
        feed.ownTitle = title.isEmpty ? nil : title
        return (feed.url, feed.shownTitle ?? "(no title)")
      }
      Output.standard.print("titled  \(address)  \(printable(shown))\n")
    }

    /// Describes the articles that are deleted when a feed is merged with another.
    private func lostArticles(_ count: Int) -> String {
      "\(grouped(count)) of its articles that have another text in the other feed"
    }
  }
}

/// The feed that a command is about.
struct FeedArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The feed's address, or a part of it.", valueName: "feed")) var feed: String
}
