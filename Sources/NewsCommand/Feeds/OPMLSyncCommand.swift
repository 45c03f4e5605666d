import ArgumentParser
import FeedImport
import ManagedContext
import NewsModel
import TextOutput
import WebAddress

extension OPMLCommand {
  /// `newsimport opml sync [FILE|URL]`
  struct Sync: SavingCommand {
    static let configuration = CommandConfiguration(
      commandName: "sync",
      abstract: "Change regions as a list has changed since the last sync.",
      discussion: """
        The first sync adds the feeds of the list, as opml import does. Each later one adds the feeds that the list has gained, and removes \
        from its regions those that it has lost; the feeds and their articles are kept. Nothing else changes: feeds that only \
        you have added to a region stay, and those that you remove from it do not come back. A feed stays if another list that is followed has it in the same region.
        A list without feeds, or one that is cut off, changes nothing, and a damaged one removes nothing. If the list has lost more than half of its feeds, the command \
        asks first. A server is asked only for a list that has changed.
        The last state belongs to the address, or to the file's path, and to --region: always give the same. With --forget, the list is no \
        longer followed, and its feeds stay. Without a file or an address, all lists that are followed are synced; a list that \
        fails does not keep the others from it, and the first one gives the exit status.
        Examples:
          newsimport opml sync https://example.org/team.opml
          newsimport opml sync --region tech --dry-run tech.opml
          0 * * * *  newsimport opml sync --quiet
        Exit status: 0 the regions are as the list, 64 more than half of the feeds are lost and --yes is missing, 65 the list is damaged or has no feeds, 66 the file is missing, 69 the list could not be downloaded.
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @Argument(
      help: "The file, or its address (http or https) (default: all lists that are followed).",
      completion: .file())
    var file: String?
    @Option(help: "The region for all feeds of the list.", completion: .regions) var region: String?
    @Flag(help: "Print what would change, and change nothing.") var dryRun = false
    @Flag(help: "Do not ask.") var yes = false
    @Flag(name: .shortAndLong, help: "Print nothing if nothing changes.") var quiet = false
    @Flag(help: "Forget the list.") var forget = false

    func validate() throws {
      guard file != nil || !forget && region == nil else {
        throw ValidationError("--region and --forget need a file or an address.")
      }
      guard !forget || !(dryRun || yes) else {
        throw ValidationError("--forget takes neither --dry-run nor --yes.")
      }
      guard !dryRun || !yes else { throw ValidationError("Give --dry-run or --yes, not both.") }
    }

    func perform() async throws {
      guard let file else { return try await syncAll() }
      if let region { try checkRegionName(region) }
      let place = try FeedListPlace(file)
      guard let key = place.key else {
        throw CommandFailure(
          .usage, "-: a sync needs a file or an address, to recognize the list the next time")
      }
      let existing = try NewsStack.ifThere(storeOptions, for: dryRun ? .reading : .writing)
      if forget { return try await stopFollowing(key, place, existing) }
      let pauses = try existing.map { try $0.pauses(at: $0.now) } ?? ServerPauses()
      let known = try existing.flatMap { stack in
        try stack.reading { try stack.source.followedList(at: key, inRegion: region ?? "") }
      }
      guard
        let contents = try await place.read(
          since: known.flatMap(Self.validators(of:)), obeying: pauses, configurationOptions.load)
      else { return printUnchanged(place) }
      guard !contents.list.isTruncated else {
        throw CommandFailure(.badInput, "\(place.name): cut off before its end; nothing was changed")
      }
      let plan = try FeedListPlan.checked(contents.list, of: place.name, inRegion: region)
      let old = known.flatMap { existing?.source.feeds(of: $0) } ?? ListedRegions([])
      let (gained, lost) = (plan.regions.subtracting(old), old.subtracting(plan.regions))
      guard !contents.list.isDamaged || lost.count == 0 else {
        throw CommandFailure(
          .badInput,
          "\(place.name): its tags are damaged, and \(counted(lost.count, "feed")) may be missing for that reason; nothing was changed"
        )
      }
      let loss =
        "remove \(grouped(lost.count)) of the \(counted(old.count, "feed")) that \(printable(place.name)) had"
      if old.isMostlyLost(in: plan.regions), !dryRun, try !Question.isConfirmed(loss, isGiven: yes) {
        return Output.error.print("nothing was changed\n")
      }
      if known != nil, gained.count + lost.count == 0 {
        printUnchanged(place)
        if contents.validators == known.flatMap(Self.validators(of:)) { return }
      }
      try await apply(gained, lost, of: plan, contents.validators, key, to: existing)
    }

    /// Syncs all lists that are followed, each as if its place and region were given.
    @MainActor
    private func syncAll() async throws {
      let lists = try NewsStack.ifThere(storeOptions, for: .reading).map { stack in
        try stack.reading { try stack.source.followedLists().map { ($0.place, $0.region) } }
      }
      if (lists ?? []).isEmpty {
        return Output.error.print("no lists; newsimport opml sync FILE follows one\n")
      }
      var status: ExitStatus?
      for (place, region) in lists ?? [] {
        var sync = self
        (sync.file, sync.region) = (place, region.isEmpty ? nil : region)
        do {
          try await sync.perform()
        } catch let failure as CommandFailure {
          if let message = failure.message { Output.error.warn(printable(message)) }
          status = status ?? failure.status
        }
      }
      if let status { throw CommandFailure(status) }
    }

    /// Forgets a list.
    @MainActor
    private func stopFollowing(_ key: String, _ place: FeedListPlace, _ stack: NewsStack?) async throws {
      let isKnown = try await stack?.change {
        guard let list = try stack?.source.followedList(at: key, inRegion: region ?? "") else { return false }
        stack?.main.context.delete(list)
        return true
      }
      guard isKnown == true else {
        let lists = try stack.map { stack in try stack.reading { try stack.source.followedLists() } } ?? []
        let others = lists.filter { $0.place == key && $0.region != region ?? "" }
          .map { $0.region.isEmpty ? "without --region" : "with --region \(shellWord($0.region))" }
        throw CommandFailure(
          .noInput,
          "\(place.name): not followed\(region.map { " in region \(printable($0))" } ?? "")"
            + (others.isEmpty ? "" : "; it is \(printable(others.joined(separator: " and ")))"))
      }
      Output.standard.print("forgot  \(printable(place.name)).   Its feeds stay in their regions.\n")
    }

    /// Adds and removes feeds, and records the list.
    @MainActor
    private func apply(
      _ gained: ListedRegions, _ lost: ListedRegions, of plan: FeedListPlan,
      _ validators: SingleDownload.Validators?, _ key: String, to existing: NewsStack?
    ) async throws {
      let feeds = FeedListImport(gained, names: plan.called)
      if dryRun {
        Output.standard.print(try feeds.preview(in: existing).map { $0.text(isDone: false) }.joined())
        guard let existing else { return }
        let leaving = try existing.reading { try remove(lost, of: plan, key, in: existing.source) }
        existing.main.context.reset()
        return Output.standard.print(leaving.joined())
      }
      let stack = try existing ?? NewsStack(storeOptions)
      let outcomes = try await feeds.run(in: stack).filter { !quiet || $0.hasNews }
      Output.standard.print(outcomes.map { $0.text() }.joined())
      if lost.count > 0 { try await HookRunner.keepWaiting(in: stack) { try configurationOptions.load() } }
      let leaving = try await stack.change {
        let leaving = try remove(lost, of: plan, key, in: stack.source)
        let list = try stack.source.note(
          plan.regions, ofListAt: key, inRegion: region ?? "", at: stack.now)
        (list.etag, list.lastModified, list.validatorsURL) = (
          validators?.etag, validators?.lastModified, validators?.address
        )
        return leaving
      }
      Output.standard.print(leaving.joined())
    }

    /// Removes feeds from regions; the next save writes that.
    ///
    /// - Returns: A line for each feed.
    private func remove(
      _ lost: ListedRegions, of plan: FeedListPlan, _ key: String, in source: DataSource
    ) throws(StoreError) -> [String] {
      let list = try source.followedList(at: key, inRegion: region ?? "")
      return try source.removeLost(lost, from: list, nowWith: plan.regions).compactMap { leaving in
        if leaving.isKept {
          return quiet
            ? nil
            : "kept  \(leaving.feed.url) in region \(printable(leaving.region)): another list that is followed has it\n"
        }
        // A feed that only changes its region is not in the new one yet.
        let rest = leaving.isAlone && !dryRun ? leftAloneText : ""
        return
          "\(dryRun ? "would remove" : "removed")  \(leaving.feed.url) from region \(printable(leaving.region))\(rest)\n"
      }
    }

    @MainActor
    private func printUnchanged(_ place: FeedListPlace) {
      let region = region.map { "  \(printable($0))" } ?? ""
      if !quiet { Output.standard.print("unchanged  \(printable(place.name))\(region)\n") }
    }

    /// Returns the validators of the last download; nil without any.
    private static func validators(of list: FollowedList) -> SingleDownload.Validators? {
      guard let address = list.validatorsURL else { return nil }
      return SingleDownload.Validators(etag: list.etag, lastModified: list.lastModified, address: address)
    }
  }
}
