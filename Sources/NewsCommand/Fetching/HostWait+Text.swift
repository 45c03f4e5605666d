import FeedImport
import Foundation
import TextOutput
import WebAddress

/// A host's limit, as `fetch` and `explain` print it.
extension HostWait {
  /// The host, for people.
  var site: String { String(WebAddress(origin).site.drop { $0 != "/" }.dropFirst(2)) }

  /// The limit: "forum.example allows about one request a minute".
  var limit: String {
    guard let requests, seconds > 0 else { return "\(site) refused requests" }
    return "\(site) allows about \(Self.rate(requests, in: seconds))"
  }

  private static func rate(_ requests: Int, in seconds: TimeInterval) -> String {
    let count = requests == 1 ? "one request" : "\(grouped(requests)) requests"
    // The learned window is not a round number.
    let unit = [(60.0, "a minute"), (3600, "an hour"), (86_400, "a day")].first {
      abs($0.0 - seconds) <= $0.0 / 6
    }
    if let unit { return "\(count) \(unit.1)" }
    return requests == 1
      ? "\(count) every \(DurationText.precise(seconds))" : "\(count) in \(DurationText.precise(seconds))"
  }

  /// Returns when all feeds that wait for the host have been polled, if a run begins every ten minutes; nil
  /// if the limit is unknown.
  func end(for feeds: Int) -> Date? {
    guard let requests = requestsOfRun, requests > 0, feeds > 0 else { return nil }
    let runs = (feeds + requests - 1) / requests - 1
    return until.addingTimeInterval(Double(runs) * max(seconds, Self.usualInterval))
  }

  /// The interval between cron runs that the documentation recommends, in seconds.
  private static let usualInterval: TimeInterval = 600
}
