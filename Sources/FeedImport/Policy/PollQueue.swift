import ManagedContext
import NewsModel

/// The feeds that a run has not claimed yet. It takes them in parts that last about a quarter of a second.
///
/// - All feeds from a publisher (scheme, host and port) are in one part: a run claims publishers, and feeds
///   with the same address share a request.
/// - A part's size is the number of concurrent transfers: a publisher with many feeds counts as the
///   connections that it may have. Other runs can then poll the publishers that this run could not poll yet.
/// - A publisher with very many feeds is divided, so that a run's memory does not depend on their number. The
///   next feeds follow when few of the last ones are left.
/// - Otherwise the feeds keep their order. Feeds from publishers that other runs hold are tried again at the
///   end.
package struct PollQueue {
  /// The run's next step.
  package enum Step: Equatable {
    /// It claims these feeds.
    case claim([Claims.Wanted])
    /// It waits, because other runs hold the publishers for all feeds that are left.
    case wait(Duration)
    /// It waits for its own polls at the publishers for all feeds that are left.
    case waitForPolls(Duration)
    /// It ends. Other runs still hold the publishers for these feeds.
    case end([Claims.Wanted])
  }

  /// The feeds, by publisher.
  private var feeds: WantedFeeds
  /// The range in ``feeds`` that was not taken, and is not in ``busy``.
  private var rest = 0..<0
  /// Other feeds that were not taken yet, because the run polls other feeds from their publishers.
  private var busy: [Range<Int>] = []
  /// The feeds from publishers that other runs hold.
  private var aside = WantedFeeds()
  /// The minimum number of transfers that the next part can start.
  private var size: Int
  private let smallest: Int
  private let largest: Int
  private let perPublisher: Int
  private var last: ContinuousClock.Instant?
  /// True if the first part has a separate size.
  private let hasFirstSize: Bool
  /// True if other runs hold publishers for these feeds.
  private var hasMetOthers = false
  /// The number of parts in which the run could poll feeds.
  private var parts = 0
  /// True if the last part had no requests, so that it does not show this run's speed.
  private var wasInVain = false
  /// True if it is worth trying the feeds in ``aside`` again: for the first time, after a success, or after a
  /// wait.
  private var isWorthTrying = true
  /// The remaining time that the run may wait.
  private var patience: Duration

  /// The time between two parts below which the next one is larger. A part costs two transactions.
  private static let shortTime: Duration = .milliseconds(250)
  /// The number of open polls at a publisher above which no more feeds are taken from it.
  static let crowd = 64
  /// The time until the publishers that other runs hold are tried again.
  private static let wait: Duration = .milliseconds(250)
  /// The time until the run checks again how many polls at a publisher are open.
  private static let waitForPolls: Duration = .milliseconds(50)

  /// - Parameters:
  ///   - feeds: The feeds.
  ///   - first: The first part's size; nil for `smallest`.
  ///   - smallest: The smallest size for later parts.
  ///   - largest: The largest size, which also limits the feeds in a part; nil for 16 times `smallest`.
  ///   - perPublisher: The number of concurrent transfers for a publisher.
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

  /// Removes and returns the next part, or another step if no part is ready.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - openPolls: Returns how many of a publisher's feeds this run has taken and has no answers for yet.
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

  /// Returns the next part's size, after a part with requests. If other runs hold publishers, the second part
  /// is small, so that few publishers are shared evenly.
  private func nextSize(at now: ContinuousClock.Instant, after last: ContinuousClock.Instant) -> Int {
    if hasFirstSize, parts == 1 { return hasMetOthers ? smallest : size }
    if wasInVain { return size }
    return now - last < Self.shortTime ? min(size * 2, largest) : max(size / 2, smallest)
  }

  /// Removes and returns feeds for about ``size`` transfers, from publishers with few open polls.
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

  /// Removes and returns a few feeds from each of the last publishers, which show whether any server can be
  /// reached.
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

  /// Notes the last part's outcome.
  ///
  /// - Parameters:
  ///   - held: The feeds from publishers that other runs hold.
  ///   - hasRequests: True if the run may poll other feeds.
  package mutating func note(held: [Claims.Wanted], hasRequests: Bool) {
    for feed in held { aside.append(feed) }
    hasMetOthers = hasMetOthers || !held.isEmpty
    if hasRequests { parts += 1 }
    wasInVain = !hasRequests
    if hasRequests { isWorthTrying = true }
  }
}
