import FeedImport
import Foundation
import NewsModel
import TextOutput

/// What is told where a fetch asks no feed: when the next one is asked.
enum NextAsk {
  /// The line; nil where there is nothing to tell.
  ///
  /// - Parameters:
  ///   - dates: When each feed is asked that has such a date.
  ///   - claimed: How many feeds another run is fetching.
  ///   - isByHand: Whether all were asked for, and not only those that are due.
  ///   - hasReasons: Whether it was told of each feed why it is not asked.
  static func line(
    _ dates: [Date], claimed: Int, isByHand: Bool, hasReasons: Bool = false, at now: Date
  ) -> String? {
    let nothing = isByHand ? "nothing may be asked now" : "nothing due"
    if let next = dates.min() {
      // What is due is a matter of course.
      let more = isByHand && !hasReasons ? " (newsimport fetch -v tells why)" : ""
      return "\(nothing); next at \(minute(next, at: now))\(more)\n"
    }
    // By hand, that has been told.
    if claimed > 0 {
      return isByHand ? nil : "\(nothing); another run is fetching \(counted(claimed, "feed"))\n"
    }
    return "\(nothing), and no feed is asked again: newsimport doctor tells why\n"
  }

  /// When a feed is asked that was not; nil for never.
  static func date(
    of feed: FeedOutline, _ refusal: AskPolicy.Refusal, isByHand: Bool, at now: Date
  ) -> Date? {
    switch refusal {
    case .gone, .claimed: nil
    case .notBefore(let date), .hostClosed(let date), .hostSilent(let date, _, _):
      isByHand ? date : AskPolicy.nextAsk(of: feed, server: refusal, at: now) ?? date
    case .notDue(let date): date
    }
  }

  /// Local time; with its day where that is not today.
  private static func minute(_ date: Date, at now: Date) -> String {
    let (date, today) = (localMinute(date), localMinute(now))
    return date.prefix(10) == today.prefix(10) ? String(date.suffix(5)) : date
  }
}
