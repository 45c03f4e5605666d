import Foundation
import ManagedContext
import NewsModel
import Threading
import WebAddress

/// The limits that hosts set.
///
/// A run that holds the publisher learns the limit. The store gets it when the publisher is released, and the
/// next run reads it with its claim.
extension Claims {
  /// Notes an answer's information about a host. Any thread may call it.
  func note(_ allowance: HostAllowance, of origin: String) {
    state.withLock { state in
      state.allowances[origin] = allowance
      state.unsavedAllowances.insert(origin)
    }
  }

  func readAllowances(in context: ManagedObjectContext, at now: Date) throws(StoreError) {
    let limits = try DataSource(context).hostLimits()
    guard !limits.isEmpty || state.withLock({ !$0.allowances.isEmpty }) else { return }
    var stored: [String: HostAllowance] = [:]
    for limit in limits {
      let allowance = HostAllowance(limit)
      if !allowance.isOver(at: now) { stored[limit.origin] = allowance }
    }
    state.withLock { [stored] state in
      var allowances = stored
      for origin in state.unsavedAllowances { allowances[origin] = state.allowances[origin] }
      state.allowances = allowances
    }
  }

  /// Adds new information about hosts to a context's next save.
  ///
  /// - Parameter publishers: The hosts; nil for all.
  /// - Returns: The allowances to be written, by host.
  func addAllowances(
    of publishers: Set<String>? = nil, in context: ManagedObjectContext, at now: Date
  ) throws(StoreError) -> [String: HostAllowance] {
    let unsaved = state.withLock { state in
      state.allowances.filter {
        state.unsavedAllowances.contains($0.key) && publishers?.contains($0.key) ?? true
      }
    }
    guard !unsaved.isEmpty else { return [:] }
    let over = unsaved.filter { $0.value.isOver(at: now) }
    let kept = unsaved.filter { over[$0.key] == nil }
    if !over.isEmpty { try context.deleteAll(HostLimit.self, where: .among(\.origin, Array(over.keys))) }
    if !kept.isEmpty { context.insert(HostAllowance.rows(kept)) }
    return unsaved
  }

  /// Notes that the store has some allowances, if they have not changed since.
  func noteSaved(_ allowances: [String: HostAllowance]) {
    guard !allowances.isEmpty else { return }
    state.withLock { state in
      for (origin, saved) in allowances where state.allowances[origin] == saved {
        state.unsavedAllowances.remove(origin)
        // The next run reads the store.
        if saved.isOver(at: saved.notedAt) { state.allowances[origin] = nil }
      }
    }
  }

  /// Removes and returns the requests that hosts do not allow now. The feeds that have waited longest keep
  /// their requests.
  func removeUnallowed(
    from requests: inout [FeedRequest], at now: Date
  ) -> [(feed: ManagedObjectID, refusal: PollPolicy.Refusal)] {
    var limited: [String: [FeedRequest]] = [:]
    let known = state.withLock { $0.allowances }
    guard !known.isEmpty else { return [] }
    for request in requests {
      if let host = request.limitedHost(among: known) { limited[host, default: []].append(request) }
    }
    guard !limited.isEmpty else { return [] }
    var refused: [ManagedObjectID: PollPolicy.Refusal] = [:]
    var ordered: [FeedRequest] = []
    for (host, feeds) in limited {
      // Requests to the host itself end with its first refusal. Other hosts' feeds that redirect to it do not
      // affect each other.
      let most = feeds.allSatisfy { $0.claim?.publisher == host } ? Int.max : 1
      let (safe, allowed, allowance) = state.withLock { state -> (Int, Int, HostAllowance?) in
        let open = state.held.openCount(of: host)
        let safe = state.allowances[host]?.allowed(at: now) ?? 0
        state.allowances[host]?.grow(toward: feeds.count + open, at: now)
        guard let allowance = state.allowances[host] else { return (.max, .max, nil) }
        let allowed = allowance.allowed(at: now)
        let limit = { (count: Int) in max(0, allowance.requests == nil ? min(count, most) : count) }
        return (limit(safe - open), limit(allowed - open), allowance)
      }
      let queue = feeds.sorted { $0.hasWaitedLonger(than: $1) }
      // The host may refuse a probe, so the feeds that have waited least send it.
      let rest = queue.dropFirst(safe)
      let chosen = queue.prefix(safe) + rest.suffix(max(0, allowed - safe))
      for var request in chosen {
        request.isLimited = true
        ordered.append(request)
      }
      guard let allowance else { continue }
      for request in rest.dropLast(max(0, allowed - safe)) {
        refused[request.feed] = .waiting(HostWait(host, allowance, isTaken: true, at: now))
      }
    }
    let places = Set(limited.values.joined().map(\.feed))
    requests = requests.filter { !places.contains($0.feed) } + ordered
    return refused.map { ($0.key, $0.value) }
  }
}

extension FeedRequest {
  /// Returns the limited host, among `hosts`, to which the request leads: its own, or the target of its last
  /// redirect.
  fileprivate func limitedHost(among hosts: [String: HostAllowance]) -> String? {
    if let publisher = claim?.publisher, hosts[publisher] != nil { return publisher }
    return [pausedAddress, validatorsAddress].lazy.compactMap { $0?.origin }
      .first { $0 != address.origin && hosts[$0] != nil }
  }

  /// Returns whether the feed's last answer is older than another feed's. A feed without an answer comes
  /// first. A refusal does not count as an answer, so a refused feed keeps its place.
  fileprivate func hasWaitedLonger(than other: FeedRequest) -> Bool {
    switch (lastFetch, other.lastFetch) {
    case (nil, nil): feed.key < other.feed.key
    case (nil, _): true
    case (_, nil): false
    case (let date?, let otherDate?):
      if date != otherDate { date < otherDate } else { feed.key < other.feed.key }
    }
  }
}
