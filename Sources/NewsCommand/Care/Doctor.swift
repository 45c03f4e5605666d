import ArticleDocuments
import FeedImport
import Foundation
import HTTPDownload
import ManagedContext
import NewsConfiguration
import NewsModel
import SQLiteStore
import WebAddress
import TextOutput

/// A `doctor` run: examines feeds, repairs moved ones, and prints the findings.
@MainActor
struct Doctor {
  let command: DoctorCommand
  let stack: NewsStack

  func run() async throws {
    let examination = try FeedExamination(
      of: feeds(), isOfAll: command.regions.isEmpty, command.configurationOptions.load(), in: stack)
    let findings = examination.findings
    let movable = findings.filter { $0.kind == .moved && !$0.isBound }
    let repairable = command.fix ? movable.filter { !$0.hasTable } : []
    let repaired = Set(repairable.map(\.id))
    // Repaired feeds have their own lines.
    let open = findings.filter { $0.kind != .moved || !repaired.contains($0.id) }
    let moves: [FeedMoves.Move]
    do {
      moves = try await repair(repairable)
    } catch {
      try printFindings(open, [])
      throw error
    }
    try printFindings(open, moves)
    if command.fix {
      for finding in movable where finding.hasTable {
        Output.error.warn(
          "\(finding.url): its table in the configuration has the old "
            + "address; write the new one there, then run doctor --fix again")
      }
    }
    let problems = examination.problems
    if command.regions.isEmpty, let certificates = DownloaderConfiguration.certificateVariables {
      Output.error.warn(
        "\(certificates.ignored) is ignored, because \(certificates.used) names another file with trusted "
          + "certificates; unset one of them")
    }
    let machinesDiffer = command.regions.isEmpty ? try reportMachines() : false
    let damage = command.regions.isEmpty ? try damage() : nil
    // "All feeds are well" is printed only if nothing else is wrong, because a reader stops there.
    if damage == nil && !machinesDiffer || !findings.isEmpty {
      Output.error.print(summary(findings, open, repaired: repaired.count, problems))
    }
    if let damage { throw reportDamage(damage) }
  }

  /// Returns the feeds in the named regions, or all feeds; each once.
  private func feeds() throws -> [ManagedObjectID] {
    if command.regions.isEmpty { return try stack.reading { try stack.source.feedIDs() } }
    var seen: Set<ManagedObjectID> = []
    return try command.regions.flatMap { name in
      let region = try stack.region(named: name)
      return try stack.reading { try stack.source.feedIDs(of: region) }
    }.filter { seen.insert($0).inserted }
  }

  /// Changes moved feeds to their new addresses.
  private func repair(_ findings: [FeedFinding]) async throws -> [FeedMoves.Move] {
    guard !findings.isEmpty else { return [] }
    try await HookRunner.keepWaiting(in: stack) { try command.configurationOptions.load() }
    let deletion = ArticleDeletion(
      in: stack.root, name: "doctor",
      sparing: try HookBacklog(of: stack) { try command.configurationOptions.load() })
    return try await stack.saving { try await FeedMoves.settle(findings.map(\.id), by: deletion) }
  }

  // MARK: Output

  /// Prints findings and repairs in one table.
  private func printFindings(_ findings: [FeedFinding], _ moves: [FeedMoves.Move]) throws {
    if command.json {
      let regions = try stack.reading { try stack.source.regionNames(of: findings.map(\.id)) }
      for finding in findings { writeJSON(finding.json(in: regions[finding.id] ?? [])) }
      for move in moves { writeJSON(object(move)) }
      return
    }
    let fixed = moves.map { move in
      let merged = move.isMerged ? ", merged with the feed at that address" : ""
      return ["fixed", move.from.description, "-> \(move.to)\(merged)"]
    }
    Output.standard.print(aligned: findings.map(\.row) + fixed)
  }

  /// Returns a repair as JSON: the finding with its result.
  private func object(_ move: FeedMoves.Move) -> JSONLine {
    [
      "feed": move.from.withoutPassword, "finding": FeedFinding.Kind.moved.rawValue,
      "moved_to": move.to.withoutPassword, "fixed": true, "merged": move.isMerged,
    ]
  }

  /// Reports machines that poll with different configurations.
  ///
  /// - Returns: True if such machines exist.
  private func reportMachines() throws -> Bool {
    let now = stack.now
    let machines = FetcherUse.differing(try stack.reading { try stack.source.fetchers() }, at: now)
    guard !machines.isEmpty else { return false }
    let cause = { (date: (Date) -> String) in
      let names = machines.map { "\($0.host) (last at \(date($0.polled)))" }
      return "feeds are polled with different configurations: \(names.joined(separator: ", "))"
    }
    if command.json {
      writeJSON(["feed": nil as String?, "finding": "configuration", "cause": cause(iso8601)])
    } else {
      Output.error.warn(
        printable("\(cause(localMinute)); newsimport config check prints that of this machine"))
    }
    return true
  }

  /// Looks for damage, if that takes a short time. Nil if no damage is found.
  private func damage() throws -> String? {
    let check = try stack.reading { try stack.store.quickCheck() }
    for name in check.missingIndexes {
      Output.error.warn("the index \(name) is missing: reading is slower until the next import adds it")
    }
    return check.damage
  }

  /// Reports damage as JSON.
  ///
  /// - Returns: The failure, with status 65 and the message for people.
  private func reportDamage(_ damage: String) -> CommandFailure {
    if command.json { writeJSON(["feed": nil as String?, "finding": "damage", "cause": damage]) }
    return CommandFailure(
      .badInput,
      "\(stack.location.name): the store is damaged: \(damage); newsimport store check shows all of it; \(stack.location.adviceForRepair)"
    )
  }

  /// - Parameter open: The findings that were not repaired.
  private func summary(
    _ findings: [FeedFinding], _ open: [FeedFinding], repaired: Int, _ problems: [String]
  ) -> String {
    guard !findings.isEmpty else {
      return problems.isEmpty
        ? "no findings: all feeds are well\n"
        : "no findings, but \(problems.joined(separator: ", ")): newsimport explain FEED shows why\n"
    }
    let kinds = FeedFinding.Kind.allCases.compactMap { kind -> String? in
      let count = open.count { $0.kind == kind }
      return count > 0 ? "\(grouped(count)) \(kind.rawValue)" : nil
    }
    let parts = (repaired == 0 ? [] : ["\(grouped(repaired)) fixed"]) + kinds
    let also = problems.isEmpty ? "" : "; also \(problems.joined(separator: ", "))"
    return "\(counted(findings.count, "finding")): \(parts.joined(separator: ", "))\(also)\(hint(open))\n"
  }

  private func hint(_ open: [FeedFinding]) -> String {
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
}
