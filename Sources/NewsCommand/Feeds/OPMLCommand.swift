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
    commandName: "opml", abstract: "Import and export lists of feeds in OPML.",
    subcommands: [Import.self, Export.self])

  /// `newsimport opml import FILE|-`
  struct Import: SavingCommand {
    static let configuration = CommandConfiguration(
      commandName: "import",
      abstract: "Add the feeds of an OPML file, or of a list of addresses, to regions; nothing is fetched.",
      discussion: """
        Without --region, the innermost outline around a feed becomes its region, and so do its categories; feeds without \
        both go to "imported". A file without markup is read as a list of addresses, one per line; lines that begin with # are \
        skipped. feed://, rss://, pcast://, podcast:// and itpc:// before an address are read as http://. Feeds that are already \
        in the store are not changed.
        Examples:
          newsimport opml import --dry-run feeds.opml
          newsimport opml import --region tech tech.opml
          newsimport opml import --region tech - < addresses.txt
        """)

    @OptionGroup var storeOptions: StoreOptions
    @Argument(help: "The file; - is standard input.", completion: .file()) var file: String
    @Option(help: "The region for all feeds of the file.", completion: .regions) var region: String?
    @Flag(help: "Print what would be added, and add nothing.") var dryRun = false
    @Flag(help: "One JSON object for each region: region, added, known, ended, refused.") var json = false

    func perform() async throws {
      let (file, region) = (self.file, self.region)
      if let region { try checkRegionName(region) }
      let bytes = try InputFile.read(file, limit: 256 << 20)
      let list: FeedList
      do throws(OPML.Failure) {
        list = try FeedList(bytes)
      } catch {
        throw CommandFailure(.badInput, "\(file): \(error.cause)")
      }
      // A text does not contain NUL bytes.
      guard !list.isText || !bytes.contains(0) else { throw noList(file) }
      guard !list.entries.isEmpty else {
        throw CommandFailure(.badInput, "\(file): it contains no feeds; is it OPML, or a list of addresses?")
      }
      var urls: [String: [WebAddress]] = [:]
      var names: [String] = []
      var called: [WebAddress: FeedName] = [:]
      var refused: [String: Int] = [:]
      var refusals = RefusedAddresses(of: file)
      // A feed that is also in a folder is not added to the default region.
      let isInFolder = Set(
        list.entries.lazy.filter { $0.folder != nil || !$0.categories.isEmpty }
          .compactMap { try? WebAddress(listed: $0.url) })
      for entry in list.entries {
        let folders =
          region.map { [$0] } ?? distinct((entry.folder.map { [$0] } ?? []) + entry.categories).map(cleanName)
        let regions = folders.isEmpty ? ["imported"] : folders
        guard !entry.isScraped else {
          refused[regions[0], default: 0] += 1
          refusals.add(page: entry.url)
          continue
        }
        let url: WebAddress
        do throws(WebAddress.Problem) {
          url = try WebAddress(listed: entry.url)
        } catch {
          refused[regions[0], default: 0] += 1
          refusals.add(entry.url, line: entry.line, error)
          continue
        }
        for name in regions where !folders.isEmpty || !isInFolder.contains(url) {
          if urls[name] == nil { names.append(name) }
          urls[name, default: []].append(url)
        }
        let page = entry.homePage.flatMap { try? WebAddress(listed: $0).text }
        let title = entry.title == entry.url ? nil : entry.title
        if title != nil || page != nil { called[url] = FeedName(title: title, homePage: page) }
      }
      if names.isEmpty, list.isText, !list.entries.contains(where: { $0.url.contains("://") }) {
        throw noList(file)
      }
      Output.error.print(refusals.text)
      guard !names.isEmpty else {
        let whose =
          refusals.count == 1 ? "its only feed has no" : "none of its \(grouped(refusals.count)) feeds has an"
        let cause =
          refusals.pages == refusals.count
          ? "it contains no feeds, only pages that the other program makes feeds from"
          : "\(whose) http or https address"
        throw CommandFailure(.badInput, "\(file): \(cause)")
      }
      guard names.count <= FeedListImport.mostRegions else {
        throw CommandFailure(
          .badInput,
          "\(file): \(grouped(names.count)) folders, more than \(grouped(FeedListImport.mostRegions)); nothing was "
            + "added; put all feeds into one region with --region")
      }
      let feeds = FeedListImport(names.map { (region: $0, urls: urls[$0] ?? []) }, names: called)
      let outcomes =
        dryRun
        ? try feeds.preview(in: NewsStack.ifThere(storeOptions, for: .reading))
        : try await feeds.run(in: NewsStack(storeOptions))
      if json {
        let others = refused.keys.filter { urls[$0] == nil }.sorted().map {
          FeedListImport.Outcome(region: $0)
        }
        for outcome in outcomes + others {
          writeJSON(outcome.json(refused: refused[outcome.region] ?? 0))
        }
      } else {
        Output.standard.print(outcomes.map { $0.text(isDone: !dryRun) }.joined())
        if refusals.count > 0 {
          Output.standard.print("refused  \(grouped(refusals.count)) (\(refusals.reason))\n")
        }
      }
      if list.isTruncated {
        throw CommandFailure(
          .badInput,
          "\(file): cut off before its end; the feeds before the cut \(dryRun ? "would be" : "were") added")
      }
      if json || dryRun { return }
      let next = names.count > 3 ? "--all" : names.map(shellWord).joined(separator: " ")
      Output.standard.print("Next: newsimport fetch \(next)\n")
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
      let stack =
        if let name = regions.first {
          try NewsStack.existing(storeOptions, forRegion: name, for: .reading)
        } else {
          try NewsStack.needed(storeOptions, for: .reading)
        }
      let wanted = try regions.isEmpty ? stack.reading { try stack.source.regions().map(\.name) } : regions
      // All regions are resolved before the first is written.
      let regions = try wanted.map { try stack.region(named: $0) }
      var seen: Set<ManagedObjectID> = []
      let folders = try regions.filter { seen.insert($0.id).inserted }.map { region in
        // Other programs cannot fetch a feed that comes from files.
        let feeds = try stack.reading { try stack.source.feeds(of: region).filter { !$0.isFromFiles } }
        let outlines = feeds.map {
          OPML.Outline(
            url: WebAddress.asciiText($0.url.withoutPassword), title: $0.shownTitle,
            homePage: $0.homePage.map { WebAddress.asciiText($0) })
        }
        return (name: region.name, feeds: outlines)
      }
      for part in OPML.document(of: folders, title: "newsimport") { Output.standard.write(part) }
    }
  }
}

private func noList(_ file: String) -> CommandFailure {
  CommandFailure(.badInput, "\(file): neither OPML nor a list of http and https addresses, one per line")
}

/// Makes a region name from a folder name. Drops characters that cannot be typed or shown, and a start that
/// would mark an option or a query; shortens long names.
private func cleanName(_ folder: String) -> String {
  let name = folder.unicodeScalars.filter { !Unicode.Scalar.isUnsafe($0.value) }
  var bounded = ""
  let start = name.drop { $0 == "-" || $0 == "@" || $0.properties.isWhitespace }
  for character in String(String.UnicodeScalarView(start)) {
    guard bounded.utf8.count + String(character).utf8.count <= Region.mostBytesOfName else { break }
    bounded.append(character)
  }
  bounded = bounded.trimmingCharacters(in: .whitespaces)
  return bounded.isEmpty ? "imported" : bounded
}
