import FeedImport
import Foundation
import ManagedContext
import NewsModel

/// Which feeds of a fetch are asked, and why the others are not.
@MainActor
struct FetchSelection {
  /// What servers have asked for.
  let pauses: ServerPauses
  private let report: FetchReport
  private let now: Date
  private let claims: Claims
  private let storePath: String

  /// - Parameter report: Learns of the feeds that are not asked.
  init(_ report: FetchReport, _ stack: NewsStack, now: Date) throws {
    self.report = report
    self.now = now
    pauses = try stack.pauses(at: now)
    claims = Claims(
      in: BackgroundContext(parent: stack.root, name: "claims", mergePolicy: .storeTrumps))
    storePath = stack.path
  }

  /// Requests for all feeds that may be asked, each once however many regions it is in.
  func all() -> [FeedRequest] {
    askable().map(FeedRequest.init)
  }

  /// Requests for the feeds that are due; they are this run's until it has their answers.
  ///
  /// - Throws: ``CommandFailure`` of the store.
  func due(for duration: TimeInterval) async throws -> [FeedRequest] {
    let due = askable().filter { feed in
      if AskPolicy.isDue(feed, at: now) { return true }
      report.skip(feed, .notDue(feed.nextFetch ?? now))
      return false
    }
    guard !due.isEmpty else { return [] }
    do throws(StoreError) {
      let taken = try await claims.take(due.map(\.id), for: duration, at: now)
      let mine = Set(taken.map(\.feed))
      for feed in due where !mine.contains(feed.id) { report.skip(feed, .claimed) }
      return taken
    } catch {
      throw CommandFailure(error, store: storePath)
    }
  }

  /// Gives up what was claimed and brought no answer; a store that fails here keeps claims that expire.
  func releaseClaims(of feeds: [ManagedObjectID]) async {
    try? await claims.release(feeds)
  }

  private func askable() -> [Feed] {
    report.feeds.filter { feed in
      let refusal = AskPolicy.refusal(to: feed, at: now) ?? pauses.refusal(of: feed.currentURL, at: now)
      guard let refusal else { return true }
      report.skip(feed, refusal)
      return false
    }
  }
}
