import ArgumentParser
import ManagedContext
import NewsModel
import TextOutput

extension RegionCommand {
  /// `newsimport region remove NAME`
  struct Remove: SavingCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove a region; without --with-feeds, its feeds and articles stay in the store.",
      discussion: """
        Asks first if the region has feeds, because the list of its feeds is lost. newsimport opml export saves it in a file.
        With --with-feeds, the feeds that are in no other region are deleted with their articles, also starred ones.
        Examples:
          newsimport opml export world > world.opml
          newsimport region remove world --yes
          newsimport region remove world --with-feeds --dry-run
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @Argument(help: "The region.", completion: .regions) var name: String
    @Flag(help: "Also delete its feeds with their articles, except feeds that are in other regions, too.")
    var withFeeds = false
    @Flag(help: "Print what would be removed, and remove nothing.") var dryRun = false
    @Flag(help: "Do not ask.") var yes = false

    func validate() throws {
      guard !dryRun || !yes else { throw ValidationError("Give --dry-run or --yes, not both.") }
    }

    func perform() async throws {
      let stack = try NewsStack.existing(storeOptions, forRegion: name, for: dryRun ? .reading : .writing)
      let region = try stack.region(named: name)
      let (left, all) = try stack.reading {
        (try stack.source.exclusiveCount(of: region), try stack.source.feedIDs(of: region).count)
      }
      if withFeeds, all > 0 {
        try await removeWithFeeds(region, staying: all - left, in: stack)
      } else {
        try await remove(region, feeds: all, alone: left, in: stack)
      }
    }

    /// Removes the region only.
    ///
    /// - Parameters:
    ///   - all: The number of its feeds.
    ///   - left: The number of feeds that are in no other region.
    @MainActor
    private func remove(_ region: Region, feeds all: Int, alone left: Int, in stack: NewsStack) async throws {
      let action = "remove region \(printable(name))\(keptFeeds(all, alone: left))"
      if dryRun { return Output.standard.print("would \(action)\n") }
      guard try Question.isConfirmed(action, isGiven: yes || all == 0) else { return printNothingRemoved() }
      try await HookRunner.keepWaiting(in: stack) { try configurationOptions.load() }
      stack.source.context.delete(region)
      try await stack.save()
      Output.standard.print("removed  region \(printable(name))\(leftFeedsText(left, of: all))\n")
    }

    /// Deletes the feeds that are in no other region, and then the region. If interrupted, the region stays
    /// with its other feeds.
    ///
    /// - Parameter staying: The number of feeds that are in other regions.
    @MainActor
    private func removeWithFeeds(_ region: Region, staying: Int, in stack: NewsStack) async throws {
      let deletion = try FeedDeletion(
        try stack.reading { try stack.source.exclusiveFeeds(of: region) }, in: stack)
      let what =
        deletion.losses.isEmpty
        ? "region \(printable(name))" : "region \(printable(name)), \(deletion.text)\(stayingFeeds(staying))"
      let action = deletion.losses.isEmpty ? what + keptFeeds(staying, alone: 0) : what
      if dryRun { return Output.standard.print("\(deletion.list)would remove  \(action)\n") }
      if !yes, Question.isPossible { Output.error.print(deletion.list) }
      guard try Question.isConfirmed("remove \(action)", isGiven: yes) else { return printNothingRemoved() }
      try await HookRunner.keepWaiting(in: stack) { try configurationOptions.load() }
      try await deletion.run(in: stack, prints: false) { try configurationOptions.load() }
      let name = name
      _ = try await stack.change {
        if let region = try stack.source.region(named: name) { stack.source.context.delete(region) }
      }
      let kept = deletion.losses.isEmpty ? "; its feeds are in other regions" : ""
      Output.standard.print("removed  \(what)\(kept)\n")
    }

    @MainActor
    private func printNothingRemoved() { Output.error.print("nothing was removed\n") }
  }
}

/// Describes the feeds that stay in other regions; empty for no feed.
private func stayingFeeds(_ count: Int) -> String {
  guard count > 0 else { return "" }
  return count == 1
    ? "; 1 feed stays, which is in another region, too"
    : "; \(grouped(count)) feeds stay, which are in other regions, too"
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
