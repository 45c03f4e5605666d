package import Foundation
import TextOutput

/// A point in time as people write it: a duration before now, or a date.
package struct Since: Equatable {
  package let date: Date

  /// Reads a text; nil for any other. A day or time without an offset is local, as in lists.
  package init?(_ text: String) {
    if let length = seconds(ofDuration: text) {
      date = Date(timeIntervalSinceNow: -length)
    } else if let day = Self.days[text.lowercased()] {
      // Noon belongs to the same day whatever a time zone's clocks do at night.
      let noon = try? Date("\(localDay(Date()))T12:00:00Z", strategy: .iso8601)
      let name = (noon ?? Date()).addingTimeInterval(-86400 * Double(day)).ISO8601Format().prefix(10)
      date = Self.moment(String(name)) ?? Date()
    } else if let moment = Self.moment(text) {
      date = moment
    } else {
      return nil
    }
  }

  /// Argument examples for help texts.
  package static let examples = "12h, 1d, 2w, today, 2026-11-21 or \"2026-11-21 10:00\""

  /// The days that have names, with their distance from today.
  private static let days = ["today": 0, "yesterday": 1]

  /// Reads a date and time with an offset (ISO 8601), a local one as `list` prints it ("2026-11-21 10:00"),
  /// or a day, which means its first moment; nil for other texts.
  private static func moment(_ text: String) -> Date? {
    let pattern = #/(\d{4}-\d\d-\d\d)(?:[ T]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d)?(Z)?)?/#
    guard let match = text.wholeMatch(of: pattern) else { return try? Date(text, strategy: .iso8601) }
    let (minute, seconds) = (match.output.2 ?? "00:00", match.output.3 ?? ":00")
    // Foundation reads a day that its month does not have as a day in the next month.
    guard let utc = try? Date("\(match.output.1)T\(minute)\(seconds)Z", strategy: .iso8601),
      utc.ISO8601Format().hasPrefix(match.output.1)
    else { return nil }
    if match.output.4 != nil { return utc }
    // The local time, which occurs twice if the clock is put back; the first one counts. A time that the
    // clock skips, midnight in some places, counts from before the skip (RFC 5545, section 3.3.5).
    let moments = [-86400.0, 86400].map { day in
      utc.addingTimeInterval(-Double(localOffset(at: utc.addingTimeInterval(day))))
    }
    let shown = moments.filter { $0.addingTimeInterval(Double(localOffset(at: $0))) == utc }
    return shown.min() ?? moments[0]
  }
}
