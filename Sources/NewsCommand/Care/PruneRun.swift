import FeedImport
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import WebAddress
import TextOutput

/// A `prune` run: applies each feed's retention, reports what would be deleted, asks, and deletes.
@MainActor
final class PruneRun {
  private let command: PruneCommand
  private let stack: NewsStack
  private let now = Date()
  /// The feeds with a limited retention.
  private let feeds: [PruneReport.Feed]
  /// The articles that wait for a hook.
  private let backlog: HookBacklog

  init(_ command: PruneCommand) throws {
    self.command = command
    let rule = try PruneRule(command)
    stack = try NewsStack.needed(command.storeOptions, for: command.dryRun ? .reading : .writing)
    if let name = command.region { _ = try stack.region(named: name) }
    feeds = try PruneDeletion.feeds(in: stack, ofRegion: command.region, rule.retention)
    backlog = try HookBacklog(of: stack) { try command.configurationOptions.load() }
  }

  func run() async throws {
    let isSure = command.yes && !command.dryRun
    let canAsk = Question.isPossible && !command.json && !command.dryRun
    if !isSure {
      let report = try await preview()
      guard canAsk, report.articles > 0 else {
        print(report)
        if !command.dryRun, report.articles > 0 { throw unconfirmed }
        return
      }
      print(report)
      Output.standard.finish()
      guard try Question.isConfirmed("delete \(counted(report.articles, "article"))", isGiven: false) else {
        Output.error.print("nothing was deleted\n")
        return
      }
    }
    try await delete(reportsAll: isSure)
  }

  /// Deletes, and prints the result.
  ///
  /// - Parameter reportsAll: True if the deletions by region have not been reported yet.
  private func delete(reportsAll: Bool) async throws {
    let signals = SignalWatch {}
    let status = StatusLine(isWanted: !command.json)
    let deletion = PruneDeletion(feeds, in: stack, at: now, sparing: backlog)
    let isComplete: Bool
    do throws(StoreError) {
      isComplete = try await deletion.run {
        status.show("\(grouped($0)) deleted")
      } until: {
        signals.status != nil
      }
    } catch {
      status.clear()
      throw deletion.failure(error, signals.status)
    }
    status.clear()
    let report = deletion.report
    if !isComplete, let signal = signals.status {
      if command.json { print(report) }
      throw CommandFailure(
        signal, "stopped: \(counted(report.articles, "article")) deleted, the others are unchanged")
    }
    if reportsAll { print(report) } else { Output.standard.print(report.sum) }
  }

  /// Counts what would be deleted.
  private func preview() async throws -> PruneReport {
    let deletion = PruneDeletion(feeds, in: stack, at: now, sparing: backlog, isPreview: true)
    do throws(StoreError) {
      _ = try await deletion.run { false }
    } catch {
      throw CommandFailure(error, store: stack.location)
    }
    return deletion.report
  }

  private func print(_ report: PruneReport) {
    if command.json {
      Output.standard.write(report.json)
    } else {
      Output.standard.print(report.text(byFeed: command.region != nil, columns: Output.standard.columns))
    }
  }

  /// The failure for a prune that needs a confirmation and cannot ask for it.
  private var unconfirmed: CommandFailure {
    var words = ["newsimport", "prune"]
    if let keep = command.keep { words += ["--keep", printable(keep.text)] }
    if let count = command.keepLast { words += ["--keep-last", "\(count)"] }
    if let region = command.region { words += ["--region", shellWord(region)] }
    return CommandFailure(
      .usage,
      "nothing was deleted: no terminal to ask on; to delete: \(words.joined(separator: " ")) --yes")
  }
}

/// The retention's source: the command line, or else the configuration.
private enum PruneRule {
  case given(Retention, source: String)
  case configured(Configuration)

  /// - Throws: ``CommandFailure`` with status 64 if no source states a retention.
  init(_ command: PruneCommand) throws {
    if let keep = command.keep {
      self = .given(Retention(age: keep.length), source: "--keep")
    } else if let count = command.keepLast {
      self = .given(Retention(count: count), source: "--keep-last")
    } else {
      let loaded = try command.configurationOptions.load()
      guard loaded.configuration.saysRetention else {
        throw CommandFailure(
          .usage,
          "prune: no retention is set; give --keep 90d or --keep-last 500, or write keep = \"90d\" "
            + "below [retention] in \(loaded.path)")
      }
      self = .configured(loaded.configuration)
    }
  }

  func retention(
    ofFeed url: WebAddress, inRegions names: [String]
  ) -> (retention: Retention, source: String)? {
    switch self {
    case .given(let retention, let source): (retention, source)
    case .configured(let configuration): configuration.retention(ofFeed: url, inRegions: names)
    }
  }
}
