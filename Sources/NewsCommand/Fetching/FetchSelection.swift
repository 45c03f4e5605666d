import FeedImport
import Foundation
import ManagedContext
import NewsModel
import WebAddress

/// Which feeds of a fetch are asked, and why the others are not.
@MainActor
struct FetchSelection {
  /// What servers have asked for.
  let pauses: ServerPauses
  private let report: FetchReport
  private let now: Date
  /// The feeds that are this run's.
  let claims: Claims
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

  /// Requests for the feeds that may be asked, each once however many regions it is in; they are this run's until it
  /// has their answers.
  ///
  /// - Parameter dueOnly: Whether only those whose time has come are asked.
  /// - Throws: ``CommandFailure`` of the store.
  func requests(dueOnly: Bool) async throws -> [FeedRequest] {
    let wanted = askable().filter { feed in
      if !dueOnly || AskPolicy.isDue(feed, at: now) { return true }
      report.skip(feed, .notDue(feed.nextFetch ?? now))
      return false
    }
    guard !wanted.isEmpty else { return [] }
    report.wrongClockDates = wanted.filter { AskPolicy.isFromWrongClock($0, at: now) }.compactMap(
      \.scheduledAt)
    do throws(StoreError) {
      let taken = try await claims.take(wanted.map(\.id), dueOnly: dueOnly, at: now)
      let mine = Set(taken.map(\.feed))
      for feed in wanted where !mine.contains(feed.id) { report.skip(feed, .claimed) }
      return taken
    } catch {
      throw CommandFailure(error, store: storePath)
    }
  }

  /// Those of `requests` that were kept from being asked and are still this run's: it was held up for so long that
  /// another may have taken them.
  func reclaimed(_ requests: [FeedRequest], _ withheld: [ManagedObjectID]) async -> [FeedRequest] {
    // Where the store does not tell, they are left to the next fetch.
    let mine = (try? await claims.renew(withheld, at: Date())) ?? []
    let others = Set(withheld).subtracting(mine)
    for feed in report.feeds where others.contains(feed.id) { report.skip(feed, .claimed) }
    return requests.filter { mine.contains($0.feed) }
  }

  /// Gives up what was claimed and brought no answer; a store that fails here keeps claims that expire.
  func releaseClaims(of feeds: [ManagedObjectID]) async {
    try? await claims.release(feeds)
  }

  private func askable() -> [FeedOutline] {
    report.feeds.filter { feed in
      if report.mistakes[feed.id] != nil { return false }
      let refusal = AskPolicy.refusal(to: feed, at: now) ?? pauses.refusal(of: feed.currentURL, at: now)
      guard let refusal else { return true }
      report.skip(feed, refusal)
      return false
    }
  }
}
