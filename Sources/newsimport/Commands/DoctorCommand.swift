import ArgumentParser
import FeedImport
import Foundation
import ManagedContext
import NewsModel

/// `newsimport doctor [REGION...] [--fix]`
struct DoctorCommand: AsyncParsableCommand, SavingCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract:
      "Find feeds that have moved, ended, lack a secret or have fallen silent; with --fix, mend what can be mended.",
    discussion: """
      A feed that has moved gets its new address by itself after three good fetches over two days; --fix does it at
      once. Where another feed has that address, the two become one; no article is lost or doubled.
      Example: newsimport doctor tech --fix
      """)

  @OptionGroup var storeOptions: StoreOptions
  @OptionGroup var configurationOptions: ConfigurationOptions
  @Argument(
    help: ArgumentHelp("The regions; all feeds by default.", valueName: "region"), completion: .regions)
  var regions: [String] = []
  @Flag(help: "Apply what was found.") var fix = false
  @Flag(help: "One JSON object for each finding on standard output.") var json = false

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
  let configuration = loaded.configuration
  let mistakes = Dictionary(
    try ConfiguredFeeds(loaded, feeds.map(\.outline), stack).unusable.map { ($0.feed, $0.cause) },
    uniquingKeysWith: { first, _ in first })
  let findings = feeds.compactMap { feed in
    FeedFinding(
      of: feed, isBound: bound.contains(feed.id) || feed.isMoveForeign,
      hasTable: configuration.table(ofFeed: feed.url) != nil, mistake: mistakes[feed.id], at: Date())
  }
  let movable = findings.filter { $0.kind == .moved && !$0.isBound }
  let mendable = command.fix ? movable.filter { !$0.hasTable } : []
  let mended = Set(mendable.map(\.feed.id))
  // What is mended has a line of its own.
  for finding in findings where !mended.contains(finding.feed.id) {
    Output.standard.write(command.json ? finding.json : finding.line)
  }
  if command.fix {
    for finding in movable where !mended.contains(finding.feed.id) {
      Output.error.write(
        "newsimport: \(printable(FeedAddress.printable(finding.feed.url))): it has a table in the configuration, which it "
          + "would lose; write its new address there, then run doctor --fix again\n")
    }
  }
  let troubles = troubles(feeds.filter { feed in !findings.contains { $0.feed.id == feed.id } }, at: Date())
  if !mendable.isEmpty { try await mend(mendable, json: command.json, in: stack) }
  Output.error.write(summary(findings, mended: mended, isFixing: command.fix, troubles))
}

/// Gives feeds their new addresses, and tells of each.
@MainActor
private func mend(_ findings: [FeedFinding], json: Bool, in stack: NewsStack) async throws {
  let context = BackgroundContext(parent: stack.root, name: "doctor", mergePolicy: .objectTrumps)
  do throws(StoreError) {
    for move in try await FeedMoves.settle(findings.map(\.feed.id), in: context) {
      if json {
        Output.standard.write(jsonLine(move))
        continue
      }
      let addresses = [move.from, move.to].map { printable(FeedAddress.printable($0)) }
      Output.standard.write(
        "fixed   \(addresses[0]) -> \(addresses[1])\(move.isMerged ? ", one with the feed of that address" : "")\n"
      )
    }
  } catch {
    throw CommandFailure(error, store: stack.path)
  }
}

/// What was mended, for machines: the finding with its end.
private func jsonLine(_ move: FeedMoves.Move) -> String {
  var line = JSONLine()
  line.add("feed", FeedAddress.printable(move.from))
  line.add("finding", FeedFinding.Kind.moved.rawValue)
  line.add("moved_to", FeedAddress.printable(move.to))
  line.addRaw("fixed", "true")
  line.addRaw("merged", move.isMerged ? "true" : "false")
  return line.line
}

/// What is no finding yet, but not well either, of feeds without a finding; empty when nothing is.
@MainActor
private func troubles(_ feeds: [Feed], at now: Date) -> [String] {
  var pauses: [Date] = []
  var failing = 0
  for feed in feeds {
    if case .notBefore(let date) = AskPolicy.refusal(to: feed.outline, at: now) {
      pauses.append(date)
    } else if feed.failures > 0 {
      failing += 1
    }
  }
  var troubles: [String] = []
  if let last = pauses.max() {
    let verb = pauses.count == 1 ? "pauses" : "pause"
    troubles.append(
      "\(counted(pauses.count, "feed")) \(verb) until \(iso8601(last))\(pauses.count == 1 ? "" : " at most")")
  }
  if failing > 0 { troubles.append("\(counted(failing, "feed")) failed last") }
  return troubles
}

@MainActor
private func summary(
  _ findings: [FeedFinding], mended: Set<ManagedObjectID>, isFixing: Bool, _ troubles: [String]
) -> String {
  guard !findings.isEmpty else {
    return troubles.isEmpty
      ? "no findings: all feeds are well\n"
      : "no findings, but \(troubles.joined(separator: ", ")): newsimport explain FEED tells why\n"
  }
  let open = findings.filter { !mended.contains($0.feed.id) }
  let kinds = FeedFinding.Kind.allCases.compactMap { kind -> String? in
    let count = open.count { $0.kind == kind }
    return count > 0 ? "\(grouped(count)) \(kind.rawValue)" : nil
  }
  let parts = (mended.isEmpty ? [] : ["\(grouped(mended.count)) fixed"]) + kinds
  let also = troubles.isEmpty ? "" : "; also \(troubles.joined(separator: ", "))"
  return
    "\(counted(findings.count, "finding")): \(parts.joined(separator: ", "))\(also)\(hint(open, isFixing: isFixing))\n"
}

/// What to do about findings.
@MainActor
private func hint(_ open: [FeedFinding], isFixing: Bool) -> String {
  if !isFixing, open.contains(where: { $0.kind == .moved && !$0.isBound && !$0.hasTable }) {
    return ".  Apply with --fix"
  }
  if open.contains(where: \.isBound) { return ".  Add the new address, and what it needs, yourself" }
  return !isFixing && open.contains(where: \.isKept) ? ".  Change the table, then apply with --fix" : ""
}

/// Something that is not as it should be with a feed.
@MainActor
struct FeedFinding {
  /// What it is.
  enum Kind: String, CaseIterable {
    case moved, gone, secret, failing, silent
  }

  let feed: Feed
  let kind: Kind
  /// It has moved to where its header fields and credentials must not be sent: nobody but the user can follow.
  let isBound: Bool
  /// The feed has a table in the configuration, which it would lose with its address.
  let hasTable: Bool
  private let words: String

  /// Failures in a row that are worth telling.
  private static let manyFailures = 5
  /// How many times its own rhythm a feed may be silent.
  nonisolated static let longSilence = 8.0
  /// In seconds: how long any feed may be silent.
  nonisolated static let leastSilence = 7 * 86400.0

  /// The most telling finding; nil when the feed is well.
  ///
  /// - Parameter mistake: What the configuration lacks, so that the feed is not asked; nil for nothing.
  init?(of feed: Feed, isBound: Bool, hasTable: Bool, mistake: String?, at now: Date) {
    self.feed = feed
    self.hasTable = hasTable
    self.isBound = isBound && !feed.isGone410
    if feed.isGone410 {
      (kind, words) = (.gone, "its publisher ended it (HTTP 410)")
    } else if let target = feed.movedTo {
      let why =
        if isBound {
          ", another host, to which its credentials or headers are not sent"
        } else {
          hasTable ? "; write it in the feed's table of the configuration, which keeps the old one" : ""
        }
      (kind, words) = (.moved, "-> \(FeedAddress.printable(target))\(why)")
    } else if let mistake {
      (kind, words) = (.secret, mistake)
    } else if feed.failures >= Self.manyFailures {
      (kind, words) = (.failing, "\(feed.failures) failures in a row: \(feed.lastError ?? "")")
    } else if let gap = feed.rhythm, let newest = feed.newestArticle,
      now.timeIntervalSince(newest) > max(Double(gap) * Self.longSilence, Self.leastSilence)
    {
      let times = Int(now.timeIntervalSince(newest) / Double(max(1, gap)))
      (kind, words) = (.silent, "since \(iso8601(newest)), \(grouped(times)) times its rhythm")
    } else {
      return nil
    }
  }

  /// Whether it has moved, and its table in the configuration keeps it from getting its new address.
  var isKept: Bool { kind == .moved && hasTable && !isBound }

  /// The finding as one JSON object on one line.
  var json: String {
    var line = JSONLine()
    line.add("feed", FeedAddress.printable(feed.url))
    line.add("finding", kind.rawValue)
    if kind == .moved {
      line.add("moved_to", feed.movedTo.map(FeedAddress.printable))
      line.addRaw("fixed", "false")
      line.addRaw("only_by_you", isBound ? "true" : "false")
    } else {
      line.add("cause", words)
    }
    return line.line
  }

  /// The finding in one line.
  var line: String {
    kind.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
      + "\(printable(FeedAddress.printable(feed.url)))  \(printable(words))\n"
  }
}
