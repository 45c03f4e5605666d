import ArgumentParser
import FeedImport
import Foundation
import ManagedContext
import NewsModel
import SQLiteStore
import WebAddress
import TextOutput

/// `newsimport doctor [REGION...] [--fix]`
struct DoctorCommand: SavingCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract:
      "Find feeds that have moved, ended, failed or gone silent, that lack a secret or a region, or that are duplicates; --fix repairs moved feeds.",
    discussion: """
      A feed that has moved gets its new address automatically after three good fetches over two days; --fix changes it at \
      once. If another feed has that address, the two are merged; an article that both have is kept once. A \
      feed is failing after 5 failures in a row, and silent if it has had no article for 8 times its publishing interval and at least \
      a week. Two feeds are duplicates if their last documents are the same, or if their addresses differ only in http \
      and https, in www. or in a slash at the end. Without regions, a store of up to 1 GB is also checked for damage; \
      newsimport store check is more thorough.
      Examples:
        newsimport doctor tech
        newsimport doctor --fix --dry-run
      """)

  @OptionGroup var storeOptions: StoreOptions
  @OptionGroup var configurationOptions: ConfigurationOptions
  @Argument(
    help: ArgumentHelp("The regions; all feeds by default.", valueName: "region"), completion: .regions)
  var regions: [String] = []
  @Flag(help: "Repair the feeds that have moved.") var fix = false
  @Flag(help: "With --fix: only print the repairs.") var dryRun = false
  @Flag(help: "One JSON object for each finding on standard output.") var json = false

  func validate() throws {
    guard fix || !dryRun else { throw ArgumentParser.ValidationError("--dry-run needs --fix.") }
  }

  func perform() async throws {
    guard
      let stack = try NewsStack.existing(
        storeOptions, for: fix && !dryRun ? .writing : .reading)
    else {
      Output.error.print(
        "nothing to examine: no store exists yet.   Next: newsimport region add NAME URL\n")
      return
    }
    let names = regions
    var feeds: [Feed] = []
    for name in names {
      let region = try stack.region(named: name)
      feeds += try stack.reading { try stack.source.feeds(of: region) }
    }
    if names.isEmpty { feeds = try stack.reading { try stack.source.feeds() } }
    var seen: Set<ManagedObjectID> = []
    feeds = feeds.filter { seen.insert($0.id).inserted }
    let loaded = try configurationOptions.load()
    let bound = try ConfiguredFeeds.boundElsewhere(loaded, feeds, stack)
    let configuration = loaded.configuration
    let configurationErrors = try ConfiguredFeeds.selection(loaded, stack) { feeds.map(\.outline) }.unusable
    let duplicates = try FeedDuplicates.pairs(among: feeds) { feed in
      try stack.reading { try stack.source.articleCount(of: feed) } > 0
    }
    // Named regions restrict the answer to their feeds.
    let unassigned = names.isEmpty ? Set(try stack.reading { try stack.source.regionlessFeeds() }) : []
    let findings =
      try feeds.flatMap { feed in
        let problem = try FeedProblem(of: feed, isUnassigned: unassigned.contains(feed.id), at: Date()) {
          try stack.reading { try stack.source.brokenSince(feed) }
        }
        return FeedFinding.all(
          of: feed, problem, isBound: bound.contains(feed.id) || feed.isMoveForeign,
          hasTable: configuration.table(ofFeed: feed.url) != nil,
          configurationError: configurationErrors[feed.id], at: Date())
      }
      + duplicates.map { FeedFinding($0, hasTable: configuration.table(ofFeed: $0.feed.url) != nil) }
    let movable = findings.filter { $0.kind == .moved && !$0.isBound }
    let repairable = fix && !dryRun ? movable.filter { !$0.hasTable } : []
    let repaired = Set(repairable.map(\.feed.id))
    // Repaired feeds have their own lines.
    let untouched = findings.filter { $0.kind != .moved || !repaired.contains($0.feed.id) }
    let moves: [FeedMoves.Move]
    do {
      moves = try await repair(repairable, in: stack)
    } catch {
      printFindings(untouched, [], json: json)
      throw error
    }
    printFindings(untouched, moves, json: json)
    if fix {
      for finding in movable where finding.hasTable {
        Output.error.warn(
          "\(finding.feed.url): its table in the configuration has the old "
            + "address; write the new one there, then run doctor --fix again")
      }
    }
    let found = Set(findings.map(\.feed.id))
    var problems = problems(feeds.filter { !found.contains($0.id) }, at: Date())
    // The state of feeds that were never polled is unknown.
    let neverPolled = feeds.count { $0.lastOutcome == nil && $0.notBefore == nil }
    if findings.isEmpty, neverPolled > 0 {
      problems.append("\(counted(neverPolled, "feed")) \(neverPolled == 1 ? "was" : "were") never polled")
    }
    if dryRun { try printPlannedRepairs(movable.filter { !$0.hasTable }, in: stack) }
    let damage = names.isEmpty ? try damage(of: stack) : nil
    // A reader stops at "all feeds are well", so damage must not follow it.
    if damage == nil || !findings.isEmpty {
      Output.error.print(summary(findings, repaired: repaired, self, problems))
    }
    if let damage { throw reportDamage(damage, of: stack, json: json) }
  }
}

/// Prints on standard error what `--fix` would do.
@MainActor
private func printPlannedRepairs(_ findings: [FeedFinding], in stack: NewsStack) throws {
  for finding in findings {
    guard let target = finding.feed.movedTo else { continue }
    let isMerge = try stack.reading { try stack.source.hasFeed(withURL: target) }
    Output.error.print(
      "would fix  \(finding.feed.url) -> \(target)"
        + "\(isMerge ? ", merged with the feed at that address" : "")\n")
  }
}

/// Checks a store for damage, unless it is too large; nil for no damage.
@MainActor
private func damage(of stack: NewsStack) throws -> String? {
  let mostBytes = 1_000_000_000
  guard try stack.reading({ try stack.store.info() }).bytes <= mostBytes else { return nil }
  return try stack.reading { try stack.store.quickDamage() }
}

/// Reports damage as JSON.
///
/// - Returns: The failure with status 65 and the message for people.
@MainActor
private func reportDamage(_ damage: String, of stack: NewsStack, json: Bool) -> CommandFailure {
  if json {
    writeJSON(["feed": RecordValue.null, "finding": "damage", "cause": damage])
  }
  return CommandFailure(
    .badInput,
    "\(stack.path): the store is damaged: \(damage); run newsimport store check for all details, then restore a backup"
  )
}

/// Prints findings and repairs in one table.
@MainActor
private func printFindings(_ findings: [FeedFinding], _ moves: [FeedMoves.Move], json: Bool) {
  if json {
    for object in findings.map(\.json) + moves.map(object) { writeJSON(object) }
    return
  }
  let fixed = moves.map { move in
    let merged = move.isMerged ? ", merged with the feed at that address" : ""
    return ["fixed", move.from.description, "-> \(move.to)\(merged)"]
  }
  Output.standard.print(aligned(findings.map(\.row) + fixed))
}

/// Changes moved feeds to their new addresses.
@MainActor
private func repair(_ findings: [FeedFinding], in stack: NewsStack) async throws -> [FeedMoves.Move] {
  guard !findings.isEmpty else { return [] }
  let context = BackgroundContext(parent: stack.root, name: "doctor", mergePolicy: .objectTrumps)
  do throws(StoreError) {
    return try await FeedMoves.settle(findings.map(\.feed.id), in: context)
  } catch {
    throw CommandFailure(error, store: stack.path)
  }
}

/// Returns a repair as JSON: the finding with its result.
private func object(_ move: FeedMoves.Move) -> JSONLine {
  [
    "feed": move.from.withoutPassword, "finding": FeedFinding.Kind.moved.rawValue,
    "moved_to": move.to.withoutPassword, "fixed": true, "merged": move.isMerged,
  ]
}

/// Returns warning signs in feeds without a finding; empty for none.
@MainActor
private func problems(_ feeds: [Feed], at now: Date) -> [String] {
  var pauses: [Date] = []
  var failing = 0
  for feed in feeds {
    if case .notBefore(let date) = PollPolicy.refusal(to: feed.outline, at: now) {
      pauses.append(date)
    } else if feed.failures > 0 {
      failing += 1
    }
  }
  var problems: [String] = []
  if let last = pauses.max() {
    let verb = pauses.count == 1 ? "pauses" : "pause"
    problems.append(
      "\(counted(pauses.count, "feed")) \(verb) until \(localMinute(last))\(pauses.count == 1 ? "" : " at most")"
    )
  }
  if failing > 0 {
    problems.append("\(counted(failing, "feed")) failed when last fetched (newsimport feed list --failing)")
  }
  return problems
}

@MainActor
private func summary(
  _ findings: [FeedFinding], repaired: Set<ManagedObjectID>, _ command: DoctorCommand, _ problems: [String]
) -> String {
  guard !findings.isEmpty else {
    return problems.isEmpty
      ? "no findings: all feeds are well\n"
      : "no findings, but \(problems.joined(separator: ", ")): newsimport explain FEED shows why\n"
  }
  let open = findings.filter { $0.kind != .moved || !repaired.contains($0.feed.id) }
  let kinds = FeedFinding.Kind.allCases.compactMap { kind -> String? in
    let count = open.count { $0.kind == kind }
    return count > 0 ? "\(grouped(count)) \(kind.rawValue)" : nil
  }
  let parts = (repaired.isEmpty ? [] : ["\(grouped(repaired.count)) fixed"]) + kinds
  let also = problems.isEmpty ? "" : "; also \(problems.joined(separator: ", "))"
  return
    "\(counted(findings.count, "finding")): \(parts.joined(separator: ", "))\(also)\(hint(open, command))\n"
}

/// Returns the advice for findings.
@MainActor
private func hint(_ open: [FeedFinding], _ command: DoctorCommand) -> String {
  if command.dryRun { return ".  Nothing was changed" }
  if !command.fix, open.contains(where: { $0.kind == .moved && !$0.isBound && !$0.hasTable }) {
    return ".  Apply with --fix"
  }
  if open.contains(where: \.isBound) {
    return ".  Add the new address, with its headers or credentials, yourself"
  }
  if open.contains(where: { $0.kind == .duplicate }) {
    return ".  Merge duplicates with newsimport feed rename"
  }
  return !command.fix && open.contains(where: \.isKept) ? ".  Change the table, then apply with --fix" : ""
}
