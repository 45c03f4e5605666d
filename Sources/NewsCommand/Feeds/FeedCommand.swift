import ArgumentParser
import FeedImport
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import TextOutput
import WebAddress

/// `newsimport feed …`
struct FeedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feed", abstract: "List, remove and rename feeds.",
    subcommands: [List.self, Remove.self, Rename.self])

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
      let stack = try NewsStack.needed(storeOptions)
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
      try await HookRunner.keepWaiting(in: stack) { try configurationOptions.load() }
      let deletion = ArticleDeletion(
        in: stack.root, name: "rename",
        sparing: try HookBacklog(of: stack) { try configurationOptions.load() })
      let id = feed.id
      let move = try await stack.saving { try await FeedMoves.rename(id, to: target, by: deletion) }
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

    /// Sets the user's title for a feed. An empty title restores the publisher's.
    @MainActor
    private func retitle(_ title: String) async throws {
      let stack = try NewsStack.needed(storeOptions)
      let (address, shown) = try await stack.change {
        let feed = try stack.feed(at: name.feed)
        feed.ownTitle = title.isEmpty ? nil : title
        return (feed.url, feed.shownTitle ?? "(no title)")
      }
      Output.standard.print("renamed  \(address) to \"\(printable(shown))\"\n")
    }

    /// Describes the articles that are deleted when a feed is merged with another.
    private func lostArticles(_ count: Int) -> String {
      "\(grouped(count)) of its articles that have another text in the other feed"
    }
  }
}

/// The feed that a command is about.
struct FeedArgument: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The feed's address, or a part of it.", valueName: "feed"), completion: .feeds)
  var feed: String
}
