import ManagedContext
import NewsModel

/// The feeds that a run has not claimed yet, which it takes in parts: as many as it will poll in about a quarter of a second.
///
/// The feeds of a publisher (scheme, host and port) are in one part, because a run claims publishers, and feeds with one address
/// share a request. The size of a part is the number of transfers that it lets run at once: a publisher with many feeds counts as
/// the connections that it may have. Other runs can then poll the publishers that this one could not poll yet. Only those of a
/// publisher with very many feeds are divided, so that the memory of a run does not depend on their number: the next ones follow
/// when few of the last ones are left. Otherwise the feeds keep their order. Those of publishers that other runs hold are tried
/// again at the end.
package struct PollQueue {
  /// What the run does next.
  package enum Step: Equatable {
    /// It claims these feeds.
    case claim([Claims.Wanted])
    /// It waits, because other runs hold the publishers of all feeds that are left.
    case wait(Duration)
    /// It waits for its own polls of the publishers of all feeds that are left.
    case waitForPolls(Duration)
    /// It ends. Other runs still hold the publishers of these feeds.
    case end([Claims.Wanted])
  }

  /// The feeds, by publisher.
  private var feeds: WantedFeeds
  /// The range of ``feeds`` that were not taken, and are not in ``busy``.
  private var rest = 0..<0
  /// Other feeds that were not taken yet, because the run polls others of their publishers.
  private var busy: [Range<Int>] = []
  /// The feeds of publishers that other runs hold.
  private var aside = WantedFeeds()
  /// The number of transfers that the next part can start, at least.
  private var size: Int
  private let smallest: Int
  private let largest: Int
  private let perPublisher: Int
  private var last: ContinuousClock.Instant?
  /// True if the first part has a size of its own.
  private let hasFirstSize: Bool
  /// True if other runs hold publishers of these feeds.
  private var hasMetOthers = false
  /// The number of parts of which the run may poll feeds.
  private var parts = 0
  /// True if the last part got no requests. That says nothing about the speed of this run.
  private var wasInVain = false
  /// True if it is worth trying those aside again: for the first time, after a success, or after a wait.
  private var isWorthTrying = true
  /// The time for which the run still waits.
  private var patience: Duration

  /// The time between two parts below which the next one is larger. A part costs two transactions.
  private static let shortTime: Duration = .milliseconds(250)
  /// The number of open polls of a publisher above which no more of its feeds are taken.
  static let crowd = 64
  /// The time until the publishers that other runs hold are tried again.
  private static let wait: Duration = .milliseconds(250)
  /// The time until the run looks again how many polls of a publisher are open.
  private static let waitForPolls: Duration = .milliseconds(50)

  /// - Parameters:
  ///   - feeds: The feeds.
  ///   - first: The size of the first part; nil for `smallest`.
  ///   - smallest: The smallest size of later parts.
  ///   - largest: The largest size, which also limits the feeds of a part; nil for 16 times `smallest`.
  ///   - perPublisher: The number of concurrent transfers of a publisher.
  ///   - patience: The time to wait for publishers that other runs hold, in total.
  package init(
    _ feeds: WantedFeeds, first: Int? = nil, smallest: Int, largest: Int? = nil, perPublisher: Int = .max,
    patience: Duration = .zero
  ) {
    self.smallest = max(1, smallest)
    self.largest = max(self.smallest, largest ?? self.smallest * 16)
    size = max(1, first ?? smallest)
    hasFirstSize = first != nil
    self.perPublisher = max(1, perPublisher)
    self.patience = patience
    self.feeds = feeds
    self.feeds.sortByPublisher()
    rest = 0..<feeds.count
  }

  private var isEmpty: Bool { busy.isEmpty && rest.isEmpty }

  /// Removes and returns the next part, or what to do without one.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - openPolls: Returns the number of feeds of a publisher that this run has taken, and whose answers it does not have.
  package mutating func next(
    at now: ContinuousClock.Instant, openPolls: (String) -> Int = { _ in 0 }
  ) -> Step {
    if isEmpty {
      guard aside.count > 0 else { return .end([]) }
      guard isWorthTrying else {
        guard patience > .zero else {
          defer { aside = WantedFeeds() }
          return .end((0..<aside.count).map { aside[$0] })
        }
        let time = min(Self.wait, patience)
        patience -= time
        isWorthTrying = true
        return .wait(time)
      }
      isWorthTrying = false
      (feeds, aside) = (aside, WantedFeeds())
      feeds.sortByPublisher()
      rest = 0..<feeds.count
    }
    if let last, parts > 0 { size = nextSize(at: now, after: last) }
    (last, wasInVain) = (now, true)
    let part = takePart(openPolls)
    return part.isEmpty ? .waitForPolls(Self.waitForPolls) : .claim(part)
  }

  /// Returns the size of the next part, after a part with requests. If other runs hold publishers, the second part is small, so that
  /// few publishers are shared evenly.
  private func nextSize(at now: ContinuousClock.Instant, after last: ContinuousClock.Instant) -> Int {
    if hasFirstSize, parts == 1 { return hasMetOthers ? smallest : size }
    if wasInVain { return size }
    return now - last < Self.shortTime ? min(size * 2, largest) : max(size / 2, smallest)
  }

  /// Removes and returns feeds for about ``size`` transfers, of publishers of which few polls are open.
  private mutating func takePart(_ openPolls: (String) -> Int) -> [Claims.Wanted] {
    var part: [Claims.Wanted] = []
    var transfers = 0
    var left: [Range<Int>] = []
    var earlier = busy[...]
    while transfers < size, part.count < largest {
      let range: Range<Int>
      if let first = earlier.popFirst() {
        range = first
      } else if !rest.isEmpty {
        range = rest.lowerBound..<feeds.endOfPublisher(at: rest.lowerBound)
        rest = range.upperBound..<rest.upperBound
      } else {
        break
      }
      if openPolls(feeds.publisher(at: range.lowerBound)) > Self.crowd {
        left.append(range)
      } else {
        let piece = range.prefix(largest)
        part += piece.map { feeds[$0] }
        transfers += min(piece.count, perPublisher)
        if piece.endIndex < range.endIndex { left.append(piece.endIndex..<range.endIndex) }
      }
    }
    busy = left + earlier
    return part
  }

  /// Removes and returns a few feeds of each of the last publishers, which show whether any server can be reached.
  mutating func takeProbe() -> [Claims.Wanted] {
    var probe: [Claims.Wanted] = []
    for _ in 0..<Self.probedPublishers where !rest.isEmpty {
      let start = feeds.startOfPublisher(before: rest.upperBound)
      let piece = (start..<rest.upperBound).prefix(Self.probedFeeds)
      probe += piece.map { feeds[$0] }
      if piece.endIndex < rest.upperBound { busy.append(piece.endIndex..<rest.upperBound) }
      rest = rest.lowerBound..<start
    }
    return probe
  }

  private static let probedPublishers = 64
  private static let probedFeeds = 4

  /// Calls a closure with each feed that was not taken.
  func forEachLeft(_ body: (ManagedObjectID) -> Void) {
    for range in busy + [rest] { for index in range { body(feeds.feed(at: index)) } }
    for index in 0..<aside.count { body(aside.feed(at: index)) }
  }

  /// Notes the outcome of the last part.
  ///
  /// - Parameters:
  ///   - held: The feeds of publishers that other runs hold.
  ///   - hasRequests: True if the run may poll others.
  package mutating func note(held: [Claims.Wanted], hasRequests: Bool) {
    for feed in held { aside.append(feed) }
    hasMetOthers = hasMetOthers || !held.isEmpty
    if hasRequests { parts += 1 }
    wasInVain = !hasRequests
    if hasRequests { isWorthTrying = true }
  }
}
