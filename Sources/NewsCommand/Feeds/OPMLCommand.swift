import ArgumentParser
import ArticleDocuments
import FeedImport
import FeedParsing
import Foundation
import ManagedContext
import NewsModel
import WebAddress
import TextOutput

/// `newsimport opml …`
struct OPMLCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "opml", abstract: "Import, follow and export lists of feeds in OPML.",
    subcommands: [Import.self, Sync.self, Export.self])

  /// `newsimport opml import FILE|URL|-`
  struct Import: SavingCommand {
    static let configuration = CommandConfiguration(
      commandName: "import",
      abstract: "Add the feeds of an OPML file, or of a list of addresses, to regions; no feed is fetched.",
      discussion: """
        Without --region, the innermost outline around a feed becomes its region, and so do its categories; feeds without \
        both go to "imported". A file without markup is read as a list of addresses, one per line; lines that begin with # are \
        skipped. feed://, rss://, pcast://, podcast:// and itpc:// before an address are read as http://. Feeds that are already \
        in the store are not changed.
        Examples:
          newsimport opml import --dry-run feeds.opml
          newsimport opml import --region tech tech.opml
          newsimport opml import --region tech - < addresses.txt
          newsimport opml import https://example.org/feeds.opml
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @Argument(help: "The file, or its address (http or https); - is standard input.", completion: .file())
    var file: String
    @Option(help: "The region for all feeds of the file.", completion: .regions) var region: String?
    @Flag(help: "Print what would be added, and add nothing.") var dryRun = false
    @Flag(help: "One JSON object for each region: region, added, known, ended, refused.") var json = false

    func perform() async throws {
      if let region { try checkRegionName(region) }
      let place = try FeedListPlace(file)
      let stack = try NewsStack.ifThere(storeOptions, for: .reading)
      let pauses = try stack.map { try $0.pauses(at: $0.now) } ?? ServerPauses()
      // The list is not kept during the import.
      guard
        let (plan, isTruncated) = try await place.read(obeying: pauses, configurationOptions.load).map({
          (try FeedListPlan.checked($0.list, of: place.name, inRegion: region), $0.list.isTruncated)
        })
      else { return }
      let feeds = FeedListImport(plan.regions, names: plan.called)
      let outcomes =
        dryRun ? try feeds.preview(in: stack) : try await feeds.run(in: NewsStack(storeOptions))
      write(outcomes, of: plan)
      if isTruncated {
        throw CommandFailure(
          .badInput,
          "\(place.name): cut off before its end; the feeds before the cut \(dryRun ? "would be" : "were") added"
        )
      }
      if json || dryRun { return }
      let names = plan.regions.lists.map(\.region)
      let next = names.count > 3 ? "--all" : names.map(shellWord).joined(separator: " ")
      Output.standard.print("Next: newsimport fetch \(next)\n")
    }

    @MainActor
    private func write(_ outcomes: [FeedListImport.Outcome], of plan: FeedListPlan) {
      guard json else {
        Output.standard.print(outcomes.map { $0.text(isDone: !dryRun) }.joined())
        if plan.refusals.count > 0 {
          Output.standard.print("refused  \(grouped(plan.refusals.count)) (\(plan.refusals.reason))\n")
        }
        return
      }
      let known = Set(outcomes.map(\.region))
      let others = plan.refused.keys.filter { !known.contains($0) }.sorted().map {
        FeedListImport.Outcome(region: $0)
      }
      for outcome in outcomes + others {
        writeJSON(outcome.json(refused: plan.refused[outcome.region] ?? 0))
      }
    }
  }

  /// `newsimport opml export [REGION...]`
  struct Export: MainCommand {
    static let configuration = CommandConfiguration(
      commandName: "export",
      abstract: "Write the feeds of regions, or of all, as OPML on standard output.",
      discussion: """
        Each region becomes an outline with its feeds. Passwords in addresses are omitted.
        Example: newsimport opml export > feeds.opml
        """)

    @OptionGroup var storeOptions: StoreOptions
    @Argument(help: ArgumentHelp("The regions (default: all).", valueName: "region"), completion: .regions)
    var regions: [String] =
      []

    func perform() async throws {
      let stack = try NewsStack.needed(storeOptions, for: .reading, region: regions.first)
      let wanted = try regions.isEmpty ? stack.reading { try stack.source.regions().map(\.name) } : regions
      // All regions are resolved before the first is written.
      let regions = try wanted.map { try stack.region(named: $0) }
      var seen: Set<ManagedObjectID> = []
      let folders = try regions.filter { seen.insert($0.id).inserted }.map { region in
        var outlines: [OPML.Outline] = []
        try stack.reading {
          try stack.source.forEachPart(of: stack.source.feedIDs(of: region)) { feeds in
            // Other programs cannot fetch a feed that comes from files.
            outlines += feeds.filter { !$0.isFromFiles }.map {
              OPML.Outline(
                url: WebAddress.asciiText($0.url.withoutPassword), title: $0.shownTitle,
                homePage: $0.homePage.map { WebAddress.asciiText($0) })
            }
          }
        }
        return (name: region.name, feeds: outlines)
      }
      for part in OPML.document(of: folders, title: "newsimport") { Output.standard.write(part) }
    }
  }
}
