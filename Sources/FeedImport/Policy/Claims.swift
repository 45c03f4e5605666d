public import Foundation
public import ManagedContext
public import NewsModel
import Threading

/// The exclusive rights of a run to poll feeds, so that overlapping runs never poll the same feed.
///
/// A claim is stored in the feed's row. It expires after a few minutes, and its run renews it. The claims of a process on
/// this machine that has died are void at once.
public final class Claims: Sendable {
  /// The time after which a claim expires, in seconds.
  public static let duration: TimeInterval = 300
  /// The interval between renewals, in seconds. One renewal may fail because the store is busy.
  static let renewal: TimeInterval = 100

  private struct State: Sendable {
    /// The earliest expiry of the claims that are not ``lost``.
    var expiry = Date.distantPast
    /// The feeds that were claimed and, at the last renewal, still were.
    var held: Set<ManagedObjectID> = []
    /// The claims that another run has taken over.
    var lost: Set<ManagedObjectID> = []
  }

  /// The number that identifies the claims of this run.
  let number = ClaimNumber.make()
  private let context: BackgroundContext
  private let state = Locked(State())

  /// Creates the claims of a run.
  ///
  /// - Parameter context: A context that only this object uses, a child of the root.
  public init(in context: BackgroundContext) {
    self.context = context
  }

  /// Claims feeds in one save.
  ///
  /// - Parameters:
  ///   - feeds: The feeds to poll.
  ///   - dueOnly: True to claim only feeds that are due at `now`.
  ///   - began: The start of the run. Feeds that another run has polled since are not claimed; nil to claim them, too.
  ///   - now: The start of the claims.
  /// - Returns: Requests for the feeds that no other run has claimed or polled in the meantime.
  public func take(
    _ feeds: [ManagedObjectID], dueOnly: Bool, since began: Date? = nil, at now: Date
  ) async throws(StoreError) -> [FeedRequest] {
    let (number, expiry) = (number, now.addingTimeInterval(Self.duration))
    try await context.perform { (context) throws(StoreError) in
      let wanted = FetchPredicate<Feed>.ids(feeds)
      let held = FetchRequest(Feed.self, where: wanted && \.claimedUntil > now)
      let numbers: [Int64?] = try context.fetchValues(held, \Feed.claim)
      let dead = Set(numbers).filter { $0.map(ClaimNumber.isOfDead) == true }
      let isFree =
        \Feed.claimedUntil == nil || \Feed.claimedUntil <= now
        || \Feed.claimedUntil > now.addingTimeInterval(Self.longest) || .among(\.claim, Array(dead))
      var mayBePolled = dueOnly ? PollPolicy.areDue(at: now) : PollPolicy.mayBePolled(at: now)
      // A later date is that of a wrong clock.
      if let began { mayBePolled = mayBePolled && !(\.lastFetch > began && \.lastFetch <= now) }
      try context.updateAll(
        Feed.self, where: wanted && isFree && mayBePolled,
        set: .set(\.claim, to: number), .set(\.claimedUntil, to: expiry))
    }
    try await context.save()
    let requests = try await requests(for: feeds)
    state.withLock { state in
      state.expiry = state.held.isEmpty ? expiry : min(state.expiry, expiry)
      state.held.formUnion(requests.map(\.feed))
    }
    return requests
  }

  /// Returns requests for those of some feeds that this run claims.
  func requests(for feeds: [ManagedObjectID]) async throws(StoreError) -> [FeedRequest] {
    let number = number
    return try await context.perform { (context) throws(StoreError) in
      context.reset()
      let mine = FetchRequest(Feed.self, where: .ids(feeds) && \.claim == number)
      return try FeedRequest.all(mine, in: context)
    }
  }

  /// Extends the claims of waiting feeds.
  ///
  /// - Returns: The feeds that this run still claims. Another run may have claimed the others if this run was delayed.
  @discardableResult
  public func renew(
    _ feeds: [ManagedObjectID], at now: Date
  ) async throws(StoreError) -> Set<ManagedObjectID> {
    let (number, expiry) = (number, now.addingTimeInterval(Self.duration))
    let mine = FetchPredicate<Feed>.ids(feeds) && \.claim == number
    try await context.perform { (context) throws(StoreError) in
      try context.updateAll(Feed.self, where: mine, set: .set(\.claimedUntil, to: expiry))
    }
    try await context.save()
    let kept = try await context.perform { (context) throws(StoreError) in
      context.reset()
      return Set(try context.fetchIDs(FetchRequest(Feed.self, where: mine)))
    }
    state.withLock { state in
      // Feeds that were claimed meanwhile expire later.
      state.expiry = expiry
      state.lost.formUnion(feeds.filter { !kept.contains($0) })
      state.held.subtract(feeds.filter { !kept.contains($0) })
    }
    return kept
  }

  /// Renews the claims periodically until the task is cancelled. A short run never does.
  ///
  /// The claims of feeds whose answers are saved are gone, and are not renewed.
  func keep() async {
    while true {
      do {
        try await Task.sleep(for: .seconds(Self.renewal))
      } catch {
        return
      }
      // While the store is busy the claims may expire. Then no feed is polled until they are renewed.
      _ = try? await renew(Array(state.withLock { $0.held }), at: Date())
    }
  }

  /// Returns whether a feed may be polled at `now`: false if its claim may have expired, or if another run has it.
  ///
  /// It may be called on any thread and does not block.
  public func hold(_ feed: ManagedObjectID, at now: Date) -> Bool {
    state.withLock { now < $0.expiry && !$0.lost.contains(feed) }
  }

  /// Releases the claims of all feeds that were not polled.
  func releaseAll() async throws(StoreError) {
    try await release(Array(state.withLock { $0.held }))
  }

  /// Releases the claims of feeds that were not polled.
  public func release(_ feeds: [ManagedObjectID]) async throws(StoreError) {
    guard !feeds.isEmpty else { return }
    let number = number
    try await context.perform { (context) throws(StoreError) in
      try context.updateAll(
        Feed.self, where: .ids(feeds) && \.claim == number,
        set: .set(\.claim, to: nil), .set(\.claimedUntil, to: nil))
    }
    try await context.save()
  }

  /// Returns the expiry of a live run's claim of a feed; nil without such a claim.
  public static func expiry(of feed: Feed, at now: Date) -> Date? {
    guard let expiry = feed.claimedUntil, expiry > now, expiry.timeIntervalSince(now) <= longest else {
      return nil
    }
    return feed.claim.map(ClaimNumber.isOfDead) == true ? nil : expiry
  }

  /// The longest valid claim, in seconds. A longer one was made with a wrong clock, and is void.
  private static let longest: TimeInterval = 86400
}
