import FeedImport
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import TextOutput

/// Deletes old articles during `fetch`, once a day, if the configuration has `auto = true` below
/// `[retention]`.
@MainActor
struct DailyRetention {
  let configuration: LoadedConfiguration
  let stack: NewsStack
  let now: Date

  /// Returns true if today has had no deletion yet. A date in the future comes from a wrong clock.
  nonisolated static func isDue(last: Date?, now: Date) -> Bool {
    last.map { localDay($0) != localDay(now) } ?? true
  }

  /// Deletes the articles that the retention does not keep, unless that was done today.
  ///
  /// The next fetch continues an interrupted deletion.
  ///
  /// - Parameter isStopped: Returns true to stop before the next transaction.
  /// - Returns: The deletion; nil if it was not due.
  /// - Throws: ``CommandFailure`` from the store.
  func run(until isStopped: () -> Bool) async throws -> PruneReport? {
    let loaded = configuration
    let configuration = loaded.configuration
    guard configuration.appliesRetention, configuration.saysRetention,
      Self.isDue(last: try stack.reading { try stack.source.lastRetention() }, now: now)
    else { return nil }
    let feeds = try PruneDeletion.feeds(in: stack) { url, names in
      configuration.retention(ofFeed: url, inRegions: names)
    }
    let deletion = PruneDeletion(feeds, in: stack, at: now, sparing: try HookBacklog(of: stack) { loaded })
    let isComplete: Bool
    do throws(StoreError) {
      isComplete = try await deletion.run(until: isStopped)
    } catch {
      throw deletion.failure(error)
    }
    if isComplete {
      let now = now
      try await stack.change { try stack.source.noteRetention(at: now) }
    }
    return deletion.report
  }
}
