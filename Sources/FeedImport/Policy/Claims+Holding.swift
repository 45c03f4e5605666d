package import Foundation
package import ManagedContext
import NewsModel
import Threading

/// Polls the feeds from claimed publishers, renews the claims, and releases them.
extension Claims {
  /// The interval at which publishers without further feeds are released, if no transaction does, in seconds.
  private static let releasing: TimeInterval = 1

  /// The interval between checks for lost claims. Other runs wait longer before they take them.
  private static let look = Duration.milliseconds(250)

  /// Returns whether a feed may be polled at `now`: false if the claim to its publisher may have expired, or
  /// if another run has it.
  ///
  /// It may be called on any thread and does not block.
  package func hold(_ request: FeedRequest, at now: Date) -> Bool {
    guard let claim = request.claim else { return true }
    return state.withLock { $0.mayPoll(claim.publisher, at: now) }
  }

  /// Notes that the run does not work on a feed until it knows whether any server can be reached.
  func park(_ request: FeedRequest) {
    if let claim = request.claim { state.withLock { $0.held.park(claim.publisher) } }
  }

  /// Notes that the run works on a feed again.
  func unpark(_ request: FeedRequest) {
    if let claim = request.claim { state.withLock { $0.held.unpark(claim.publisher) } }
  }

  /// Returns how many of a publisher's feeds this run has claimed and works on.
  package func openPolls(of publisher: String) -> Int { state.withLock { $0.held.openCount(of: publisher) } }

  /// Returns whether the claims may have expired, so that another run may have polled the feeds.
  func mayHaveExpired(at now: Date) -> Bool {
    state.withLock { state in
      state.expireWithoutSign()
      return state.held.mayHaveExpired(at: now)
    }
  }

  /// Returns whether other runs may poll feeds that this run is polling: its claims may have expired, or
  /// another run has taken some since the last call.
  package func mayBeLost(at now: Date) -> Bool {
    state.withLock { state in
      state.expireWithoutSign()
      let hasLost = state.held.takeLosses()
      return hasLost || !state.held.isEmpty && state.held.mayHaveExpired(at: now)
    }
  }

  /// Checks the claims until the task is cancelled, and calls a closure as long as they may be lost.
  func watch(_ isLost: () -> Void) async {
    while (try? await Task.sleep(for: Self.look)) != nil {
      if mayBeLost(at: root.now()) { isLost() }
    }
  }

  /// Notes that the store has a feed's answer, or that the feed gets none.
  package func end(_ request: FeedRequest) {
    guard let claim = request.claim else { return }
    state.withLock { state in
      state.held.end(claim.publisher)
      for publisher in state.targets.end(request.feed) { state.held.end(publisher) }
    }
  }

  /// Extends the claims. Another run may have taken some if this run was delayed.
  package func renew(at now: Date) async throws(StoreError) {
    guard !state.withLock({ $0.held.isEmpty }) else { return }
    let expiry = now.addingTimeInterval(Self.duration)
    try await context.perform { (context) throws(StoreError) in
      try addRenewal(until: expiry, in: context)
      try context.save()
      let mine = try mine(in: context)
      state.withLock { $0.held.renew(mine, until: expiry) }
    }
  }

  func addRenewal(until expiry: Date, in context: ManagedObjectContext) throws(StoreError) {
    try context.updateAll(PublisherClaim.self, where: \.run == run, set: .set(\.expiry, to: expiry))
  }

  /// Renews the claims, and releases publishers without further feeds, until the task is cancelled.
  func keep() async {
    let clock = ContinuousClock()
    var renewed = clock.now
    while (try? await Task.sleep(for: .seconds(Self.releasing))) != nil {
      // While the store is busy the claims may expire. No feed is polled then until they are renewed.
      try? await releaseDone()
      guard clock.now - renewed > .seconds(Self.renewal) || mayHaveExpired(at: root.now()) else { continue }
      try? await renew(at: root.now())
      renewed = clock.now
    }
  }

  // MARK: Releasing

  /// Releases publishers without further feeds.
  package func releaseDone() async throws(StoreError) {
    guard !state.withLock({ $0.held.done.isEmpty }) else { return }
    try await context.perform { (context) throws(StoreError) in
      try saveAndRelease(in: context)
    }
  }

  /// Releases all publishers.
  package func releaseAll() async throws(StoreError) {
    guard !state.withLock({ $0.held.isEmpty }) else { return }
    try await context.perform { (context) throws(StoreError) in
      try context.deleteAll(PublisherClaim.self, where: \.run == run)
      let learned = try addAllowances(in: context, at: root.now())
      try context.save()
      noteSaved(learned)
      state.withLock { ($0.held, $0.targets) = (HeldPublishers(), RedirectTargets()) }
    }
  }

  /// Removes dead runs' claims, which are void: for a run that claims nothing.
  package func removeDead() async throws(StoreError) {
    try await context.perform { (context) throws(StoreError) in
      let dead = try rowsOfOthers(in: context).dead
      guard !dead.isEmpty else { return }
      try context.deleteAll(PublisherClaim.self, where: .among(\.run, Array(dead)))
      try context.save()
    }
  }

  /// Saves, and releases the publishers without further feeds in the same transaction.
  ///
  /// - Parameter kept: Publishers that are wanted again.
  func saveAndRelease(
    but kept: Set<String> = [], in context: ManagedObjectContext
  ) throws(StoreError) {
    let done = state.withLock { $0.held.takeDone(but: kept) }
    do throws(StoreError) {
      var learned: [String: HostAllowance] = [:]
      if !done.isEmpty {
        try context.deleteAll(PublisherClaim.self, where: .among(\.origin, Array(done)) && \.run == run)
        learned = try addAllowances(of: done, in: context, at: root.now())
      }
      try context.save()
      noteSaved(learned)
    } catch {
      state.withLock { $0.held.restore(done) }
      throw error
    }
  }
}
