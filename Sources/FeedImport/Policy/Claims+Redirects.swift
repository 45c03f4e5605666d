import Foundation
import ManagedContext
import Threading
import WebAddress

/// The publishers to which feeds redirect, which a run must also claim.
///
/// If a feed redirected to a publisher at its last poll, that publisher is claimed with the feed's own. For
/// any other publisher, the redirect waits. A run never waits for a target that another run holds: two runs
/// could wait for each other.
extension Claims {
  /// Claims the publishers to which feeds redirected at their last poll, unless other runs hold them.
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

  /// Returns whether a redirect must wait for ``takeTargets(at:)``, because the run does not hold the
  /// publisher yet.
  ///
  /// Any thread may call it. A publisher that the run holds is kept until the feed has ended.
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
        state.targets.note(.asked, of: target)
        return true
      }
    }
  }

  /// Returns whether a redirect may be followed: the run holds its publisher, and the claim has not expired.
  /// Any thread may call it.
  func mayFollow(_ request: FeedRequest, to address: WebAddress, at now: Date) -> Bool {
    guard let claim = request.claim else { return true }
    let target = Wanted(request.feed, at: address)
    return state.withLock { state in
      (target.publisher == claim.publisher || state.targets.status(of: target) == .held)
        && state.held.mayPoll(target.publisher, at: now)
    }
  }

  /// Returns an address's pause that another run met during this run, or nil. Any thread may call it.
  func refusal(of address: WebAddress, at now: Date) -> PollPolicy.Refusal? {
    state.withLock { $0.metPauses.refusal(of: address, at: now) }
  }

  /// Claims the publishers that waiting redirects need, in one transaction.
  ///
  /// If another run holds a publisher, or the store fails, its redirects will not be followed. Nothing is
  /// held for a feed that has ended in the meantime.
  func takeTargets(at now: Date) async {
    await context.perform { context in
      defer { context.reset() }
      let asked = state.withLock { $0.targets.takeAsked() }
      guard !asked.isEmpty else { return }
      let mine = (try? take(asked, in: context, at: now)) ?? []
      state.withLock { state in
        for target in asked where state.targets.status(of: target) == .asked {
          if !mine.contains(target.publisher) || !state.hold(target, at: now) {
            state.targets.note(.refused, of: target)
          }
        }
      }
    }
  }

  /// Returns the publishers in `targets` that the run holds now.
  private func take(
    _ targets: [Wanted], in context: ManagedObjectContext, at now: Date
  ) throws(StoreError) -> Set<String> {
    let others = try others(in: context, at: now)
    let free = targets.filter { !others.held.contains($0.publisher) }
    return free.isEmpty ? [] : try claim(free, after: others, in: context, at: now)
  }
}

extension FeedRequest {
  /// The publisher to which the feed redirected at its last poll; nil if the publisher is the feed's own.
  fileprivate var lastTarget: Claims.Wanted? {
    guard let answered = validatorsAddress, answered != address else { return nil }
    let target = Claims.Wanted(feed, at: answered)
    return target.publisher == Claims.Wanted.publisher(of: address) ? nil : target
  }
}
