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
      abstract: "Tell what the store knows of a feed.",
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
      abstract: "Put a feed into another region.",
      discussion: """
        Of a feed in several regions --from says which one it leaves. The region is made if need be.
        Example: newsimport feed move blog.example.org tech --from world
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var name: FeedArgument
    @Argument(help: "The region that it goes to.", completion: .regions) var region: String
    @Option(help: "The region that it leaves.", completion: .regions) var from: String?
  }

  /// `newsimport feed remove FEED`
  struct Remove: AsyncParsableCommand, SavingCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Delete a feed with its articles, or take it out of a region.",
      discussion: """
        Deleting asks first. With --region nothing is deleted: the feed and its articles stay in the store, and it \
        is not fetched any more where it is in no other region.
        Examples:
          newsimport feed remove blog.example.org --region world
          newsimport feed remove https://blog.example.org/feed --yes
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var name: FeedArgument
    @Option(help: "Only out of this region.", completion: .regions) var region: String?
    @Flag(help: "Do not ask.") var yes = false
  }

  /// `newsimport feed rename OLD NEW`
  struct Rename: AsyncParsableCommand, SavingCommand {
    static let configuration = CommandConfiguration(
      commandName: "rename",
      abstract: "Give a feed another address or a title of your own; its articles and regions stay.",
      discussion: """
        A title of your own is shown and exported in place of the publisher's; an empty one brings that back.
        Examples:
          newsimport feed rename blog.example.org --title 'Blog of a friend'
          newsimport feed rename blog.example.org https://example.org/feed

        Where another feed has the address, the two become one. An article that both have is kept once, as that \
        feed has it; where its text differs, newsimport asks first. The feed is still found by the address that it had.
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var name: FeedArgument
    @Argument(help: ArgumentHelp("Its new address, http or https.", valueName: "new")) var address: String?
    @Option(help: "Its title from now on.") var title: String?
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
