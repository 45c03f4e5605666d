import ArgumentParser
import FeedImport
import Foundation
import ManagedContext
import NewsModel

/// `newsimport doctor [REGION...] [--fix]`
struct DoctorCommand: AsyncParsableCommand, SavingCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Find feeds that have moved, ended or fallen silent; with --fix, mend what can be mended.",
    discussion: """
      A feed that has moved gets its new address by itself after three good fetches over two days; --fix does it at
      once. Where another feed has that address, the two become one; no article is lost or doubled.
      Example: newsimport doctor tech --fix
      """)

  @OptionGroup var storeOptions: StoreOptions
  @OptionGroup var configurationOptions: ConfigurationOptions
  @Argument(help: ArgumentHelp("The regions; all feeds by default.", valueName: "region")) var regions:
    [String] = []
  @Flag(help: "Apply what was found.") var fix = false

  func run() async throws {
    try await examine(self)
  }
}

@MainActor
private func examine(_ command: DoctorCommand) async throws {
  guard let stack = try NewsStack.existing(command.storeOptions) else {
    Output.error.write("nothing to examine, there is no store yet.   Next: newsimport region add NAME URL\n")
    return
  }
  let names = command.regions
  var feeds: [Feed] = []
  for name in names {
    let region = try stack.region(named: name)
    feeds += try stack.reading { try stack.source.feeds(of: region) }
  }
  if names.isEmpty { feeds = try stack.reading { try stack.source.feeds() } }
  var seen: Set<ManagedObjectID> = []
  feeds = feeds.filter { seen.insert($0.id).inserted }
  let loaded = try command.configurationOptions.load()
  let bound = try ConfiguredFeeds.boundElsewhere(loaded, feeds, stack)
  let findings = feeds.compactMap { FeedFinding(of: $0, isBound: bound.contains($0.id), at: Date()) }
  for finding in findings { Output.standard.write(finding.line) }
  let configured = loaded.configuration.feeds
  let movable = findings.filter { $0.kind == .moved && !$0.isBound }
  let moved = movable.map(\.feed).filter { configured[$0.url] == nil }
  guard command.fix, !movable.isEmpty else {
    Output.error.write(summary(findings, canFix: !movable.isEmpty))
    return
  }
  let context = BackgroundContext(parent: stack.root, name: "doctor", mergePolicy: .objectTrumps)
  for finding in movable where configured[finding.feed.url] != nil {
    Output.error.write(
      "newsimport: \(printable(FeedAddress.printable(finding.feed.url))): it has a table in the configuration, which it "
        + "would lose; write its new address there, then run doctor --fix again\n")
  }
  do throws(StoreError) {
    for move in try await FeedMoves.settle(moved.map(\.id), in: context) {
      let addresses = [move.from, move.to].map { printable(FeedAddress.printable($0)) }
      Output.standard.write(
        "fixed   \(addresses[0]) -> \(addresses[1])\(move.isMerged ? ", one with the feed of that address" : "")\n"
      )
    }
  } catch {
    throw CommandFailure(error, store: stack.path)
  }
}

private func summary(_ findings: [FeedFinding], canFix: Bool) -> String {
  guard !findings.isEmpty else { return "no findings: all feeds are well\n" }
  let kinds = FeedFinding.Kind.allCases.compactMap { kind -> String? in
    let count = findings.count { $0.kind == kind }
    return count > 0 ? "\(grouped(count)) \(kind.rawValue)" : nil
  }
  let hint =
    if canFix {
      ".  Apply with --fix"
    } else {
      findings.contains(where: \.isBound) ? ".  Add the new address, and what it needs, yourself" : ""
    }
  return "\(counted(findings.count, "finding")): \(kinds.joined(separator: ", "))\(hint)\n"
}

/// Something that is not as it should be with a feed.
@MainActor
struct FeedFinding {
  /// What it is.
  enum Kind: String, CaseIterable {
    case moved, gone, failing, silent
  }

  let feed: Feed
  let kind: Kind
  /// It has moved to where its header fields and credentials must not be sent: nobody but the user can follow.
  let isBound: Bool
  private let words: String

  /// Failures in a row that are worth telling.
  private static let manyFailures = 5
  /// How many times its own rhythm a feed may be silent.
  private static let longSilence = 8.0

  /// The most telling finding; nil when the feed is well.
  init?(of feed: Feed, isBound: Bool, at now: Date) {
    self.feed = feed
    self.isBound = isBound && !feed.isGone410
    if feed.isGone410 {
      (kind, words) = (.gone, "its publisher ended it (HTTP 410)")
    } else if let target = feed.movedTo {
      let bound = isBound ? ", another host, to which its credentials or headers are not sent" : ""
      (kind, words) = (.moved, "-> \(FeedAddress.printable(target))\(bound)")
    } else if feed.failures >= Self.manyFailures {
      (kind, words) = (.failing, "\(feed.failures) failures in a row: \(feed.lastError ?? "")")
    } else if let gap = feed.rhythm, let newest = feed.newestArticle,
      now.timeIntervalSince(newest) > max(Double(gap) * Self.longSilence, 7 * 86400)
    {
      let times = Int(now.timeIntervalSince(newest) / Double(max(1, gap)))
      (kind, words) = (.silent, "since \(iso8601(newest)), \(grouped(times)) times its rhythm")
    } else {
      return nil
    }
  }

  /// The finding in one line.
  var line: String {
    kind.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
      + "\(printable(FeedAddress.printable(feed.url)))  \(printable(words))\n"
  }
}
