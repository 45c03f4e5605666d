import ArgumentParser
import ManagedContext
import NewsModel
import TextOutput
import WebAddress

extension FeedCommand {
  /// `newsimport feed remove FEED...`
  struct Remove: SavingCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Delete feeds with their articles, or remove them from a region.",
      discussion: """
        Asks once before it deletes. With --region, nothing is deleted: the feeds and their articles stay in the store, but \
        a feed that is in no other region is no longer fetched.
        Examples:
          newsimport feed remove blog.example.org --region world
          newsimport feed remove https://blog.example.org/feed --yes
          newsimport feed remove - --yes < addresses.txt
        Exit status: 1 if some of several feeds cannot be removed; the others are removed.
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @Argument(
      help: ArgumentHelp(
        "The feeds' addresses, or parts of them; - reads them from standard input, one per line.",
        valueName: "feed"), completion: .feeds)
    var feeds: [String]
    @Option(help: "Remove the feeds only from this region.", completion: .regions) var region: String?
    @Flag(help: "Do not ask.") var yes = false

    func perform() async throws {
      let words = try givenAddresses(feeds)
      let stack = try NewsStack.needed(storeOptions)
      var named = try NamedFeeds(words, in: stack, isDeletion: region == nil)
      if let region {
        try await HookRunner.keepWaiting(in: stack) { try configurationOptions.load() }
        try await remove(&named, from: region, in: stack)
      } else if !named.feeds.isEmpty {
        let deletion = try FeedDeletion(named.feeds, in: stack)
        guard try deletion.isConfirmed(isGiven: yes) else {
          Output.error.print("nothing was removed\n")
          return
        }
        try await deletion.run(in: stack) { try configurationOptions.load() }
      }
      try named.finish()
    }

    @MainActor
    private func remove(_ named: inout NamedFeeds, from name: String, in stack: NewsStack) async throws {
      let feeds = named.feeds.map { (id: $0.id, address: $0.url.description) }
      let regions = try await stack.change {
        let region = try stack.region(named: name)
        let regions = try stack.source.regionNames(of: feeds.map(\.id))
        let members = feeds.map(\.id).filter { regions[$0]?.contains(name) == true }
        try stack.source.remove(members, from: region)
        return regions
      }
      for (id, address) in feeds {
        let places = regions[id] ?? []
        guard places.contains(name) else {
          let rest =
            places.isEmpty ? "in no region" : "in \(places.map(printable).joined(separator: ", "))"
          named.fail(
            CommandFailure(.noInput, "\(address): not in region \(printable(name)); it is \(rest)"), of: id)
          continue
        }
        let rest = places.count > 1 ? "" : leftAloneText
        Output.standard.print("removed  \(address) from region \(printable(name))\(rest)\n")
      }
    }
  }
}
