import Foundation

/// The publishers that a run holds, and how many feeds each of them still has.
struct HeldPublishers: Sendable {
  /// The number of feeds with unsaved answers, by publisher.
  private var open: [String: Int] = [:]
  /// The number of these feeds on which the run does not work at present, by publisher.
  private var parked: [String: Int] = [:]
  /// The publishers without such feeds.
  private(set) var done: Set<String> = []
  /// The publishers that another run has taken over.
  private var lost: Set<String> = []
  /// True if publishers were lost since the last look.
  private var hasNewLosses = false
  private(set) var expiry = Date.distantPast

  var isEmpty: Bool { open.isEmpty && done.isEmpty }

  func contains(_ publisher: String) -> Bool { open[publisher] != nil || done.contains(publisher) }

  /// Adds publishers, without feeds at first.
  mutating func add(_ publishers: some Sequence<String>, until expiry: Date) {
    // Claims that were made earlier expire earlier.
    self.expiry = isEmpty ? expiry : min(self.expiry, expiry)
    for publisher in publishers where open[publisher] == nil { done.insert(publisher) }
    lost.subtract(done)
  }

  /// Returns the number of a publisher's feeds that the run works on.
  func openCount(of publisher: String) -> Int { (open[publisher] ?? 0) - (parked[publisher] ?? 0) }

  /// Notes that the run suspends its work on a feed until it knows more about others.
  mutating func park(_ publisher: String) { parked[publisher, default: 0] += 1 }

  /// Notes that the run works on a feed again.
  mutating func unpark(_ publisher: String) {
    parked[publisher] = parked[publisher].flatMap { $0 > 1 ? $0 - 1 : nil }
  }

  /// Adds a feed that will be polled.
  mutating func begin(_ publisher: String) {
    open[publisher, default: 0] += 1
    done.remove(publisher)
  }

  /// Removes a feed after its answer was saved, or when it gets no answer.
  mutating func end(_ publisher: String) {
    guard let count = open[publisher] else { return }
    if count > 1 {
      open[publisher] = count - 1
    } else {
      open[publisher] = nil
      done.insert(publisher)
    }
  }

  /// Removes and returns the publishers without further feeds, which are about to be released. No feed may be
  /// polled there any more, not even after a redirect.
  ///
  /// - Parameter kept: Publishers that are wanted again.
  mutating func takeDone(but kept: Set<String> = []) -> Set<String> {
    defer { done.formIntersection(kept) }
    return done.subtracting(kept)
  }

  /// Adds publishers again that could not be released.
  mutating func restore(_ publishers: Set<String>) { done.formUnion(publishers.filter { open[$0] == nil }) }

  /// Notes which publishers the run still holds after a renewal; another run has taken over the others.
  mutating func renew(_ kept: Set<String>, until expiry: Date) {
    self.expiry = expiry
    let before = lost.count
    lost.formUnion(open.keys.filter { !kept.contains($0) })
    hasNewLosses = hasNewLosses || lost.count > before
    done.formIntersection(kept)
  }

  /// Returns whether publishers were lost since the last call.
  mutating func takeLosses() -> Bool {
    defer { hasNewLosses = false }
    return hasNewLosses
  }

  /// Notes that the claims may have expired before their time.
  mutating func expire() { expiry = .distantPast }

  func mayHaveExpired(at now: Date) -> Bool { now >= expiry }

  /// Returns whether a publisher's feeds may be polled.
  func mayPoll(_ publisher: String, at now: Date) -> Bool { now < expiry && !lost.contains(publisher) }
}
