public import Foundation
public import ManagedContext
public import NewsModel
import Threading

/// The feeds that one run has taken for itself, so that runs that overlap never ask for the same one.
///
/// A claim stands in the feed's row. It holds for a few minutes and is renewed while its run lives; what a process on
/// this machine leaves behind when it dies is void at once.
public final class Claims: Sendable {
  /// For how long a claim holds, in seconds, where nobody renews it.
  public static let duration: TimeInterval = 300
  /// A run renews its claims so often, in seconds: one renewal may fail because the store is busy.
  static let renewal: TimeInterval = 100

  private struct State: Sendable {
    /// Until when all claims hold that are not ``lost``.
    var expiry = Date.distantPast
    /// The claims that another run has now.
    var lost: Set<ManagedObjectID> = []
  }

  /// Tells this run's claims from those of others.
  private let number = ClaimNumber.make()
  private let context: BackgroundContext
  private let state = Locked(State())

  /// Prepares claims of one run.
  ///
  /// - Parameter context: A context of the run's own, a child of the root.
  public init(in context: BackgroundContext) {
    self.context = context
  }

  /// Claims feeds in one save.
  ///
  /// - Parameters:
  ///   - feeds: Those that are to be asked.
  ///   - dueOnly: Whether only those that are due at `now` are taken.
  ///   - now: When the claims begin.
  /// - Returns: Requests for those that nobody else has claimed, or asked for, in the meantime.
  public func take(
    _ feeds: [ManagedObjectID], dueOnly: Bool, at now: Date
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
      let mayBeAsked = dueOnly ? AskPolicy.areDue(at: now) : AskPolicy.mayBeAsked(at: now)
      try context.updateAll(
        Feed.self, where: wanted && isFree && mayBeAsked,
        set: .set(\.claim, to: number), .set(\.claimedUntil, to: expiry))
    }
    try await context.save()
    state.withLock { $0.expiry = expiry }
    return try await context.perform { (context) throws(StoreError) in
      context.reset()
      let mine = FetchRequest(Feed.self, where: .ids(feeds) && \.claim == number)
      return try FeedRequest.all(mine, in: context)
    }
  }

  /// Lets the claims of feeds that wait hold for longer.
  ///
  /// - Returns: Those that are still this run's: of a run that was held up, another may have taken the others.
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
      state.expiry = expiry
      state.lost.formUnion(feeds.filter { !kept.contains($0) })
    }
    return kept
  }

  /// Renews the claims from time to time until the task is cancelled; a run that is short never does.
  ///
  /// - Parameter waiting: The feeds that have no answer yet.
  public func keep(_ waiting: @Sendable () async -> [ManagedObjectID]) async {
    while true {
      do {
        try await Task.sleep(for: .seconds(Self.renewal))
      } catch {
        return
      }
      // Where the store is busy the claims may expire; then nothing is asked before they are known to hold.
      _ = try? await renew(await waiting(), at: Date())
    }
  }

  /// Whether a feed may be asked at `now`: false where its claim may have expired, and where another run has it.
  ///
  /// May be called from anywhere; takes no time.
  public func hold(_ feed: ManagedObjectID, at now: Date) -> Bool {
    state.withLock { now < $0.expiry && !$0.lost.contains(feed) }
  }

  /// Gives up what was claimed and not asked for.
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

  /// Until when a run that lives has claimed a feed; nil where none has.
  public static func expiry(of feed: Feed, at now: Date) -> Date? {
    guard let expiry = feed.claimedUntil, expiry > now, expiry.timeIntervalSince(now) <= longest else {
      return nil
    }
    return feed.claim.map(ClaimNumber.isOfDead) == true ? nil : expiry
  }

  /// Claims that last longer than this, in seconds, were made by a wrong clock, and are void.
  private static let longest: TimeInterval = 86400
}
