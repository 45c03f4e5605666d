import FeedImport
import Foundation
import ManagedContext
import NewsModel

/// A run that claims feeds as an import does, and notes them as polled without polling them.
struct Claimer {
  enum Step {
    case claimed(Int)
    case waited
    case end
  }

  private let claims: Claims
  private let context: BackgroundContext
  private var queue: PollQueue
  /// The claimed feeds of each part that are not noted as polled.
  private var open: [[FeedRequest]] = []

  /// - Parameter part: The number of feeds of a claim.
  init(in root: RootContext, _ wanted: WantedFeeds, part: Int) {
    claims = Claims(in: root)
    context = BackgroundContext(parent: root, name: "claimer", mergePolicy: .storeTrumps)
    queue = PollQueue(wanted, smallest: part, largest: part)
  }

  /// Returns all feeds of a store.
  static func wanted(in context: ManagedObjectContext) throws(StoreError) -> WantedFeeds {
    var wanted = WantedFeeds()
    let all = try context.fetchIDs(FetchRequest(Feed.self, sortedBy: [.ascending(\.nextFetch)]))
    for start in stride(from: 0, to: all.count, by: 1000) {
      let part = Array(all[start..<min(start + 1000, all.count)])
      for feed in try DataSource(context).feedOutlines(part) {
        wanted.append(Claims.Wanted(feed.id, at: feed.currentURL))
      }
    }
    return wanted
  }

  /// Claims the next part.
  mutating func claim(at now: Date) async throws(StoreError) -> Step {
    switch queue.next(at: .now, openPolls: claims.openPolls) {
    case .claim(let wanted):
      let part = try await claims.take(wanted, dueOnly: true, at: now)
      queue.note(held: part.held, hasRequests: !part.requests.isEmpty)
      if !part.requests.isEmpty { open.append(part.requests) }
      return .claimed(part.requests.count)
    case .wait(let time), .waitForPolls(let time):
      if open.isEmpty { try? await Task.sleep(for: time) }
      try await finish(keeping: 0, at: now)
      return .waited
    case .end:
      try await finish(keeping: 0, at: now)
      try await claims.releaseAll()
      return .end
    }
  }

  /// Notes the claimed feeds as polled, except those of the last parts.
  mutating func finish(keeping kept: Int, at now: Date) async throws(StoreError) {
    while open.count > kept {
      let requests = open.removeFirst()
      try await context.perform { (context) throws(StoreError) in
        try context.updateAll(
          Feed.self, where: .ids(requests.map(\.feed)),
          set: .set(\.nextFetch, to: now.addingTimeInterval(3600)))
        try context.save()
      }
      for request in requests { claims.end(request) }
    }
  }
}
