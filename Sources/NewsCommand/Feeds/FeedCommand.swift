import ArgumentParser

/// `newsimport feed …`
struct FeedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feed", abstract: "List, show, move, remove and rename feeds.",
    subcommands: [List.self, Show.self, Move.self, Remove.self, Rename.self])

  /// `newsimport feed show FEED`
  struct Show: AsyncParsableCommand {
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
  }

  /// `newsimport feed move FEED REGION`
  struct Move: AsyncParsableCommand, SavingCommand {
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
  }

  /// `newsimport feed remove FEED`
  struct Remove: AsyncParsableCommand, SavingCommand {
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
  }

  /// `newsimport feed rename OLD NEW`
  struct Rename: AsyncParsableCommand, SavingCommand {
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
  }
}

/// The feed that a command is about.
struct FeedArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The feed's address, or a part of it.", valueName: "feed")) var feed: String
}
