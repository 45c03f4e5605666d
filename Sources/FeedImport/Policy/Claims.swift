package import Foundation
package import ManagedContext
import HTTPDownload
import NewsModel
import Threading
package import WebAddress

/// A run's exclusive rights to poll the feeds from publishers (scheme, host and port).
///
/// A publisher therefore has one client at a time: all runs on the store share its connections and pauses. A
/// claim is a row in the store (``PublisherClaim``) until the store has the last answer for the publisher's
/// feeds. It expires after a few minutes unless its run renews it. A dead run's claims are void at once,
/// because each run holds a `LifeSign`.
public final class Claims: Sendable {
  /// A feed that a run wants to poll.
  package struct Wanted: Sendable, Hashable {
    package let feed: ManagedObjectID
    /// The publisher: `WebAddress.origin` for the address that is polled, or an invalid address itself.
    package let publisher: String

    package init(_ feed: ManagedObjectID, at address: WebAddress) {
      self.init(feed, of: Self.publisher(of: address))
    }

    init(_ feed: ManagedObjectID, of publisher: String) {
      (self.feed, self.publisher) = (feed, publisher)
    }

    static func publisher(of address: WebAddress) -> String { address.origin ?? address.text }
  }

  /// The result of a run's request for feeds.
  package struct Part: Sendable {
    /// The requests for the feeds that it may poll.
    package var requests: [FeedRequest] = []
    /// The feeds from publishers that other runs hold.
    package var held: [Wanted] = []
    /// The feeds that may no longer be polled: another run has polled them, they are paused, or they are
    /// gone.
    package var left: [ManagedObjectID] = []
    /// The feeds that must wait because their hosts allow no more requests now.
    var waiting: [(feed: ManagedObjectID, refusal: PollPolicy.Refusal)] = []
    /// The pauses that other runs have met.
    package var pauses = ServerPauses()
  }

  struct State: Sendable {
    var held = HeldPublishers()
    var targets = RedirectTargets()
    /// True if other runs have claimed publishers during this run.
    var hasMetOthers = false
    /// The pauses that were read, by feed.
    var pauses: [ManagedObjectID: Date] = [:]
    /// The pauses that other runs have met during this run.
    var metPauses = ServerPauses()
    /// The pauses that no part has received yet.
    var newPauses = ServerPauses()
    var sign: LifeSign?
    /// The known limits of hosts, by origin.
    var allowances: [String: HostAllowance] = [:]
    /// The hosts with allowances that have changed since they were saved.
    var unsavedAllowances: Set<String> = []

    /// Holds a publisher for a feed that redirects there. Returns false if the run does not hold it, or if
    /// its claim has expired.
    mutating func hold(_ target: Wanted, at now: Date) -> Bool {
      guard held.contains(target.publisher), mayPoll(target.publisher, at: now) else { return false }
      if targets.status(of: target) != .held { held.begin(target.publisher) }
      targets.note(.held, of: target)
      return true
    }

    /// Returns whether a publisher's feeds may be polled.
    mutating func mayPoll(_ publisher: String, at now: Date) -> Bool {
      expireWithoutSign()
      return held.mayPoll(publisher, at: now)
    }

    /// Expires the claims if the life sign is lost: other runs may have taken all publishers.
    mutating func expireWithoutSign() {
      if sign?.isHeld == false { held.expire() }
    }
  }

  /// The time after which a claim expires, in seconds.
  package static let duration: TimeInterval = 300
  /// The interval between renewals, in seconds. One renewal may fail because the store is busy.
  static let renewal: TimeInterval = 100

  /// The number that identifies this run's claims.
  package let run = Int64.random(in: 1 << 32..<1 << 62)
  let root: RootContext
  let context: BackgroundContext
  let state: Locked<State>

  /// Creates a run's claims.
  ///
  /// - Parameters:
  ///   - root: The stack's root context.
  ///   - pauses: The ends of the pauses that the run knows, by feed.
  package init(in root: RootContext, pauses: [ManagedObjectID: Date] = [:]) {
    self.root = root
    context = BackgroundContext(parent: root, name: "claims", mergePolicy: .storeTrumps)
    state = Locked(State(pauses: pauses))
  }

  // MARK: Claiming

  /// Claims the feeds' publishers.
  ///
  /// It also releases publishers without further feeds, in the same transaction.
  ///
  /// - Parameters:
  ///   - wanted: The feeds. All feeds from one publisher are passed together.
  ///   - dueOnly: True to poll only feeds that are due.
  ///   - began: The start of the run. Feeds that another run has polled since are left out; nil to poll them
  ///     as well.
  ///   - settings: Adds the user's settings to a request.
  package func take(
    _ wanted: [Wanted], dueOnly: Bool, since began: Date? = nil, at now: Date,
    settings: @escaping @Sendable (FeedRequest) -> FeedRequest = { $0 }
  ) async throws(StoreError) -> Part {
    try await context.perform { (context) throws(StoreError) in
      defer { context.reset() }
      try beginLifeSign()
      var part = Part()
      let others = try others(in: context, at: now)
      part.held = wanted.filter { others.held.contains($0.publisher) }
      var free = part.held.isEmpty ? wanted : wanted.filter { !others.held.contains($0.publisher) }
      var mayBePolled = dueOnly ? PollPolicy.areDue(at: now) : PollPolicy.mayBePolled(at: now)
      // A later date comes from a wrong clock.
      if let began { mayBePolled = mayBePolled && !(\.lastFetch > began && \.lastFetch <= now) }
      let hasMetOthers = state.withLock { state in
        state.hasMetOthers = state.hasMetOthers || others.hasVoid || !others.held.isEmpty
        return state.hasMetOthers
      }
      if hasMetOthers, !free.isEmpty {
        // They have probably polled some feeds already. Those feeds' publishers then need no claim.
        let rest = try context.fetchIDs(FetchRequest(Feed.self, where: .ids(free.map(\.feed)) && mayBePolled))
        part.left = Self.remove(Set(rest), from: &free)
      }
      let mine = try claim(free, after: others, in: context, at: now)
      part.held += free.filter { !mine.contains($0.publisher) }
      try read(
        free.filter { mine.contains($0.publisher) }, where: mayBePolled, in: context, at: now, settings, &part
      )
      try claimTargets(of: part.requests, after: others, in: context, at: now)
      part.pauses = state.withLock { state in
        defer { state.newPauses = ServerPauses() }
        for (origin, allowance) in state.allowances { state.newPauses.merge(allowance, of: origin) }
        return state.newPauses
      }
      return part
    }
  }

  /// Keeps the wanted feeds that are in `kept`, and returns the others.
  private static func remove(_ kept: Set<ManagedObjectID>, from wanted: inout [Wanted]) -> [ManagedObjectID] {
    let others = wanted.filter { !kept.contains($0.feed) }.map(\.feed)
    if !others.isEmpty { wanted.removeAll { !kept.contains($0.feed) } }
    return others
  }

  private func beginLifeSign() throws(StoreError) {
    guard state.withLock({ $0.sign == nil }), let store = root.writtenStore else { return }
    let sign = try store.beginLifeSign(run)
    state.withLock { $0.sign = sign }
  }

  /// Returns the other runs' claims.
  func others(in context: ManagedObjectContext, at now: Date) throws(StoreError) -> ClaimTable {
    let (rows, dead) = try rowsOfOthers(in: context)
    return ClaimTable(rows, dead: dead, at: now)
  }

  /// Returns other runs' claims, and which of these runs have no life sign.
  func rowsOfOthers(
    in context: ManagedObjectContext
  ) throws(StoreError) -> (rows: [ClaimTable.Row], dead: Set<Int64>) {
    let request = FetchRequest(PublisherClaim.self, where: \.run != run)
    func rows() throws(StoreError) -> [ClaimTable.Row] {
      try context.fetchValues(request, \.origin, \.run, \.expiry).map {
        ClaimTable.Row(origin: $0, run: $1, expiry: $2)
      }
    }
    func dead(_ rows: [ClaimTable.Row], isPatient: Bool) throws(StoreError) -> Set<Int64> {
      guard let store = root.writtenStore, !rows.isEmpty else { return [] }
      let runs = Set(rows.map(\.run))
      return runs.subtracting(try store.lifeSigns(among: runs, isPatient: isPatient))
    }
    let found = try rows()
    guard try !dead(found, isPatient: false).isEmpty else { return (found, []) }
    // A run that has ended in the meantime has released its claims.
    let left = try rows()
    return (left, try dead(left, isPatient: true))
  }

  /// Claims the feeds' publishers, and releases publishers without further feeds. It reads the pauses before
  /// any request may be sent there.
  ///
  /// - Returns: The publishers that this run holds now.
  func claim(
    _ wanted: [Wanted], after others: ClaimTable, in context: ManagedObjectContext, at now: Date
  ) throws(StoreError) -> Set<String> {
    let expiry = now.addingTimeInterval(Self.duration)
    let publishers = Set(wanted.map(\.publisher))
    let (new, renews) = state.withLock { state in
      (
        publishers.filter { !state.held.contains($0) },
        !state.held.isEmpty && state.held.mayHaveExpired(at: now.addingTimeInterval(Self.renewal))
      )
    }
    if others.hasVoid {
      try context.deleteAll(PublisherClaim.self, where: others.areVoid(for: publishers) && \.run != run)
    }
    if renews { try addRenewal(until: expiry, in: context) }
    if !new.isEmpty { context.insert(rows(of: new, until: expiry)) }
    try saveAndRelease(but: publishers, in: context)
    try readPauses(in: context, at: now)
    try readAllowances(in: context, at: now)
    guard !new.isEmpty || renews else { return publishers }
    let mine = try mine(in: context)
    state.withLock { state in
      if renews { state.held.renew(mine, until: expiry) }
      state.held.add(new.intersection(mine), until: expiry)
    }
    return mine
  }

  /// Returns rows that claim publishers without replacing other runs' claims.
  private func rows(of publishers: Set<String>, until expiry: Date) -> BatchUpsert {
    var rows = RowBatch(
      entity: NewsModel.Place.publisherClaim,
      columns: [
        PublisherClaim.schema.origin.index, PublisherClaim.schema.run.index,
        PublisherClaim.schema.expiry.index,
      ])
    for publisher in publishers {
      rows.beginRow()
      rows.append(text: publisher)
      rows.append(run.attributeValue)
      rows.append(.secondsSince1970(expiry))
    }
    let origin = PublisherClaim.schema.origin.index
    return BatchUpsert(rows, unique: [origin], changeMark: origin)
  }

  /// Returns the publishers that this run holds in the store.
  func mine(in context: ManagedObjectContext) throws(StoreError) -> Set<String> {
    Set(try context.fetchValues(FetchRequest(PublisherClaim.self, where: \.run == run), \.origin))
  }

  /// Reads the rows for feeds with publishers that this run holds.
  private func read(
    _ wanted: [Wanted], where mayBePolled: FetchPredicate<Feed>, in context: ManagedObjectContext,
    at now: Date,
    _ settings: (FeedRequest) -> FeedRequest, _ part: inout Part
  ) throws(StoreError) {
    guard !wanted.isEmpty else { return }
    let feeds = FetchRequest(Feed.self, where: .ids(wanted.map(\.feed)) && mayBePolled)
    let publishers = Dictionary(wanted.map { ($0.feed, $0.publisher) }) { first, _ in first }
    var read: Set<ManagedObjectID> = []
    for request in try FeedRequest.all(feeds, in: context) {
      read.insert(request.feed)
      var request = settings(request)
      let current = Wanted(request.feed, at: request.address)
      guard let publisher = publishers[request.feed], publisher == current.publisher else {
        // The feed has got another address since it was found.
        part.held.append(current)
        continue
      }
      request.claim = FeedRequest.Claim(run: run, publisher: publisher)
      part.requests.append(request)
    }
    part.waiting = removeUnallowed(from: &part.requests, at: now)
    if read.count < wanted.count { part.left += wanted.map(\.feed).filter { !read.contains($0) } }
    state.withLock { [requests = part.requests] state in
      for request in requests { if let claim = request.claim { state.held.begin(claim.publisher) } }
    }
  }

  /// Reads the pauses that are new in the store since the last call.
  private func readPauses(in context: ManagedObjectContext, at now: Date) throws(StoreError) {
    let paused = FetchRequest(Feed.self, where: \.notBefore > now, sortedBy: [.ascending(\.notBefore)])
    let rows = try context.rows(paused, columns: [Feed.schema.notBefore.index])
    var pauses: [ManagedObjectID: Date] = [:]
    for row in 0..<rows.count {
      pauses[rows.id(row: row)] = rows.value(of: Feed.schema.notBefore, row: row, model: context.model)
    }
    let known = state.withLock { $0.pauses }
    let changed = pauses.filter { known[$0] != $1 }.map(\.key)
    var new = ServerPauses()
    if !changed.isEmpty {
      new = ServerPauses(of: try context.fetch(FetchRequest(Feed.self, where: .ids(changed))), at: now)
    }
    state.withLock { [new] state in
      state.pauses = pauses
      state.metPauses.merge(new)
      state.newPauses.merge(new)
    }
  }

  // MARK: Other runs

  /// Returns the expiry of a live run's claim to an address's publisher; nil without such a claim.
  package static func expiry(
    of address: WebAddress, in context: ManagedObjectContext, _ store: some PersistentStore
  ) throws(StoreError) -> Date? {
    let publisher = Wanted.publisher(of: address)
    let claims = try context.fetch(FetchRequest(PublisherClaim.self, where: \.origin == publisher, limit: 1))
    guard let claim = claims.first else { return nil }
    let row = ClaimTable.Row(origin: publisher, run: claim.run, expiry: claim.expiry)
    return ClaimTable.holds(row, isDead: try !store.hasLifeSign(claim.run), at: store.now())
      ? row.expiry : nil
  }

  /// Returns whether another run has claimed a request's publisher. For a run after its claims may have
  /// expired.
  func isTaken(_ request: FeedRequest, in context: ManagedObjectContext) throws(StoreError) -> Bool {
    guard let publisher = request.claim?.publisher else { return false }
    let others = FetchRequest(PublisherClaim.self, where: \.origin == publisher && \.run != run, limit: 1)
    return try context.count(others) > 0
  }
}
