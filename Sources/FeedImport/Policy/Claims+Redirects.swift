import Foundation
import ManagedContext
import Threading
import WebAddress

/// The publishers to which feeds redirect. A run also needs claims of these.
///
/// The publisher to which a feed redirected at its last poll is claimed with the feed's own. For another one, the redirect waits.
/// A run never waits for a target that another run holds: two runs could wait for each other.
extension Claims {
  /// Claims the publishers to which feeds redirected at their last poll, as far as other runs do not hold them.
  func claimTargets(
    of requests: [FeedRequest], after others: ClaimTable, in context: ManagedObjectContext, at now: Date
  ) throws(StoreError) {
    let targets = requests.compactMap(\.lastTarget).filter { !others.held.contains($0.publisher) }
    guard !targets.isEmpty else { return }
    let mine = try claim(targets, after: others, in: context, at: now)
    state.withLock { state in
      for target in targets where mine.contains(target.publisher) { _ = state.hold(target, at: now) }
    }
  }

  /// Returns whether a redirect must wait until ``takeTargets(at:)`` has returned, because the run does not hold its publisher yet.
  ///
  /// Any thread may call it. If the run holds the publisher, it holds it from now on until the feed has ended.
  func mustWait(_ request: FeedRequest, toFollow address: WebAddress, at now: Date) -> Bool {
    guard let claim = request.claim else { return false }
    let target = Wanted(request.feed, at: address)
    guard target.publisher != claim.publisher else { return false }
    return state.withLock { state in
      switch state.targets.status(of: target) {
      case .held, .refused: return false
      case .asked: return true
      case nil:
        guard !state.hold(target, at: now) else { return false }
        state.targets.ask(target)
        return true
      }
    }
  }

  /// Returns whether a redirect may be followed: the run holds its publisher, and the claim has not expired. Any thread may call it.
  func mayFollow(_ request: FeedRequest, to address: WebAddress, at now: Date) -> Bool {
    guard let claim = request.claim else { return true }
    let target = Wanted(request.feed, at: address)
    return state.withLock { state in
      (target.publisher == claim.publisher || state.targets.status(of: target) == .held)
        && state.held.mayPoll(target.publisher, at: now)
    }
  }

  /// Returns the pause of an address that another run has met during this run; nil without one. Any thread may call it.
  func refusal(of address: WebAddress, at now: Date) -> PollPolicy.Refusal? {
    state.withLock { $0.metPauses.refusal(of: address, at: now) }
  }

  /// Claims the publishers for which redirects wait, in one transaction.
  ///
  /// If another run holds a publisher, or the store fails, its redirects will not be followed. Nothing is held for a feed that has
  /// ended meanwhile.
  func takeTargets(at now: Date) async {
    await context.perform { context in
      defer { context.reset() }
      let asked = state.withLock { $0.targets.takeAsked() }
      guard !asked.isEmpty else { return }
      let mine = (try? take(asked, in: context, at: now)) ?? []
      state.withLock { state in
        for target in asked where state.targets.status(of: target) == .asked {
          if !mine.contains(target.publisher) || !state.hold(target, at: now) { state.targets.refuse(target) }
        }
      }
    }
  }

  /// Returns the publishers among some that the run holds now.
  private func take(
    _ targets: [Wanted], in context: ManagedObjectContext, at now: Date
  ) throws(StoreError) -> Set<String> {
    let others = try others(in: context, at: now)
    let free = targets.filter { !others.held.contains($0.publisher) }
    return free.isEmpty ? [] : try claim(free, after: others, in: context, at: now)
  }
}

extension FeedRequest {
  /// The publisher to which the feed redirected at its last poll; nil if that was its own.
  fileprivate var lastTarget: Claims.Wanted? {
    guard let answered = validatorsAddress, answered != address else { return nil }
    let target = Claims.Wanted(feed, at: answered)
    return target.publisher == Claims.Wanted.publisher(of: address) ? nil : target
  }
}
