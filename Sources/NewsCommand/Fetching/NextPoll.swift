import Foundation
import TextOutput

/// The message after a fetch that polled no feed: when the next feed is polled.
enum NextPoll {
  /// Returns the line; nil for no message.
  ///
  /// - Parameters:
  ///   - next: The earliest next poll; nil for none.
  ///   - claimed: The number of feeds that another run is fetching.
  ///   - isByHand: True if the user fetches all feeds, not only those that are due.
  ///   - hasReasons: True if the output has already stated why each feed was not polled.
  static func line(
    _ next: Date?, claimed: Int, isByHand: Bool, hasReasons: Bool = false, at now: Date
  ) -> String? {
    let nothing = isByHand ? "no feed may be polled now" : "nothing due"
    // Claimed feeds have no next date yet. A fetch by hand has already reported them.
    if claimed > 0, !isByHand { return "\(nothing); another run is fetching \(counted(claimed, "feed"))\n" }
    if let next {
      // With `--due`, feeds that are not due need no explanation.
      let more = isByHand && !hasReasons ? " (newsimport fetch -v shows why)" : ""
      return "\(nothing); next at \(minute(next, at: now))\(more)\n"
    }
    if claimed > 0 { return nil }
    return "\(nothing), and no feed will be polled again: newsimport doctor shows why\n"
  }

  /// Returns the local time, with the date unless it is today.
  static func minute(_ date: Date, at now: Date) -> String {
    localDay(date) == localDay(now) ? localTime(date) : localMinute(date)
  }
}
