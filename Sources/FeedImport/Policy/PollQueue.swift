/// The feeds that a run has not claimed yet, which it takes in parts: as many as it will poll in about a quarter of a second.
///
/// The feeds of a publisher (scheme, host and port) are in one part, because a run claims publishers, and feeds with one address
/// share a request. Otherwise the feeds keep their order. Those of publishers that other runs hold are tried again at the end.
struct PollQueue {
  /// What the run does next.
  enum Step: Equatable {
    /// It claims these feeds.
    case claim([Claims.Wanted])
    /// It waits, because other runs hold the publishers of all feeds that are left.
    case wait(Duration)
    /// It ends. Other runs still hold the publishers of these feeds.
    case end([Claims.Wanted])
  }

  private var publishers: ArraySlice<[Claims.Wanted]>
  /// The feeds of publishers that other runs hold.
  private var aside: [Claims.Wanted] = []
  /// The least number of feeds of the next part.
  private var size: Int
  private let smallest: Int
  private var last: ContinuousClock.Instant?
  /// True if the last part got no requests. That says nothing about the speed of this run.
  private var wasInVain = false
  /// True if it is worth trying those aside again: for the first time, after a success, or after a wait.
  private var isWorthTrying = true
  /// The time for which the run still waits.
  private var patience: Duration

  /// The time between two parts below which the next one is larger. A part costs two transactions.
  private static let shortTime: Duration = .milliseconds(250)
  /// The largest part, in smallest parts.
  private static let growth = 16
  /// The time until the publishers that other runs hold are tried again.
  private static let wait: Duration = .milliseconds(250)

  /// - Parameters:
  ///   - feeds: The feeds.
  ///   - smallest: The number of feeds of the first part.
  ///   - patience: The time to wait for publishers that other runs hold, in total.
  init(_ feeds: [Claims.Wanted], smallest: Int, patience: Duration = .zero) {
    (size, self.smallest, self.patience) = (max(1, smallest), max(1, smallest), patience)
    publishers = feeds.count > size ? Self.groups(feeds) : feeds.isEmpty ? [] : [feeds]
  }

  /// Returns feeds by publisher, in the order of each publisher's first feed.
  private static func groups(_ feeds: [Claims.Wanted]) -> ArraySlice<[Claims.Wanted]> {
    var groups: [[Claims.Wanted]] = []
    var places: [String: Int] = [:]
    for feed in feeds {
      if let place = places[feed.publisher] {
        groups[place].append(feed)
      } else {
        places[feed.publisher] = groups.count
        groups.append([feed])
      }
    }
    return groups[...]
  }

  /// Removes and returns the next part, or what to do without one.
  mutating func next(at now: ContinuousClock.Instant) -> Step {
    if publishers.isEmpty {
      guard !aside.isEmpty else { return .end([]) }
      guard isWorthTrying else {
        guard patience > .zero else { return .end(aside) }
        let time = min(Self.wait, patience)
        patience -= time
        isWorthTrying = true
        return .wait(time)
      }
      isWorthTrying = false
      publishers = Self.groups(aside)
      aside = []
    }
    if let last, !wasInVain {
      size = now - last < Self.shortTime ? min(size * 2, smallest * Self.growth) : max(size / 2, smallest)
    }
    (last, wasInVain) = (now, true)
    var part: [Claims.Wanted] = []
    while part.count < size, let publisher = publishers.popFirst() { part += publisher }
    return .claim(part)
  }

  /// Notes the outcome of the last part.
  ///
  /// - Parameters:
  ///   - held: The feeds of publishers that other runs hold.
  ///   - hasRequests: True if the run may poll others.
  mutating func note(held: [Claims.Wanted], hasRequests: Bool) {
    aside += held
    wasInVain = !hasRequests
    if hasRequests { isWorthTrying = true }
  }
}
