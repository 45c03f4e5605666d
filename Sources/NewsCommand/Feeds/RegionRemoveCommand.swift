import ArgumentParser
import ManagedContext
import NewsModel
import TextOutput

extension RegionCommand {
  /// `newsimport region remove NAME`
  struct Remove: SavingCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove a region; its feeds and articles stay in the store.",
      discussion: """
        Asks first if the region has feeds, because the list of its feeds is lost. newsimport opml export saves it in a file. newsimport \
        feed remove deletes feeds with their articles.
        Examples:
          newsimport opml export world > world.opml
          newsimport region remove world --yes
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @Argument(help: "The region.", completion: .regions) var name: String
    @Flag(help: "Print what would be removed, and remove nothing.") var dryRun = false
    @Flag(help: "Do not ask.") var yes = false

    func validate() throws {
      guard !dryRun || !yes else { throw ValidationError("Give --dry-run or --yes, not both.") }
    }

    func perform() async throws {
      let stack = try NewsStack.needed(storeOptions, for: dryRun ? .reading : .writing, region: name)
      let region = try stack.region(named: name)
      let (left, all) = try stack.reading {
        (try stack.source.exclusiveCount(of: region), try stack.source.feedIDs(of: region).count)
      }
      let action = "remove region \(printable(name))\(keptFeeds(all, alone: left))"
      if dryRun { return Output.standard.print("would \(action)\n") }
      guard try Question.isConfirmed(action, isGiven: yes || all == 0) else {
        return Output.error.print("nothing was removed\n")
      }
      try await HookRunner.keepWaiting(in: stack) { try configurationOptions.load() }
      stack.source.context.delete(region)
      try await stack.save()
      Output.standard.print("removed  region \(printable(name))\(leftFeedsText(left, of: all))\n")
    }
  }
}

/// Describes the kept feeds, and how many are in no other region; empty for a region without feeds.
private func keptFeeds(_ all: Int, alone: Int) -> String {
  guard all > 0 else { return "" }
  let kept = ", but keep its \(counted(all, "feed"))"
  switch (all, alone) {
  case (_, 0): return kept
  case (1, _): return kept + ", which is in no other region"
  default: return kept + ", \(grouped(alone)) of which \(alone == 1 ? "is" : "are") in no other region"
  }
}
