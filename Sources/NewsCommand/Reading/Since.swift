import ArgumentParser
import Foundation

/// The least age of what is listed: a span before now, or a date.
struct Since: Equatable {
  let date: Date

  /// Reads an argument; a day and a time without an offset are those of the place, as lists print them.
  ///
  /// - Throws: `ValidationError` for what is neither.
  init(argument: String) throws {
    if let length = seconds(ofDuration: argument) {
      date = Date(timeIntervalSinceNow: -length)
    } else if let day = Self.days[argument.lowercased()] {
      // Noon is of the same day in every zone's year, whatever its clocks do at night.
      let noon = try? Date("\(localDay(Date()))T12:00:00Z", strategy: .iso8601)
      let name = (noon ?? Date()).addingTimeInterval(-86400 * Double(day)).ISO8601Format().prefix(10)
      date = Self.moment(String(name)) ?? Date()
    } else if let moment = Self.moment(argument) {
      date = moment
    } else {
      let mistake =
        argument.wholeMatch(of: #/\d{4}-\d\d-\d\d/#) != nil ? "a day that no calendar has" : "no time"
      throw ValidationError("'\(argument)' is \(mistake); write it like \(Self.examples).")
    }
  }

  /// What an argument can be, as help names it.
  static let examples = "12h, 1d, 2w, today, 2026-11-21 or \"2026-11-21 10:00\""

  /// Refuses two times between which nothing can be.
  ///
  /// - Parameter option: The one that gives the end.
  /// - Throws: `ValidationError`.
  static func checkSpan(from begin: Since?, to end: Since?, _ option: String) throws {
    guard let begin, let end, end.date <= begin.date else { return }
    throw ValidationError("\(option) is not later than --since: no article is between them.")
  }

  /// How many days before today.
  private static let days = ["today": 0, "yesterday": 1]

  /// A date and time with an offset (ISO 8601), or without one as `list` prints it, "2026-11-21 10:00", or a day's first
  /// moment; nil for anything else.
  private static func moment(_ text: String) -> Date? {
    let pattern = #/(\d{4}-\d\d-\d\d)(?:[ T]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d)?(Z)?)?/#
    guard let match = text.wholeMatch(of: pattern) else { return try? Date(text, strategy: .iso8601) }
    let (minute, seconds) = (match.output.2 ?? "00:00", match.output.3 ?? ":00")
    // A day that its month does not have is taken for one of the next.
    guard let utc = try? Date("\(match.output.1)T\(minute)\(seconds)Z", strategy: .iso8601),
      utc.ISO8601Format().hasPrefix(match.output.1)
    else { return nil }
    if match.output.4 != nil { return utc }
    // What the clock of the place shows, which it may do twice when it is put back; the first time counts. A time that it
    // skips, midnight in some places, is as long after the skip (RFC 5545, section 3.3.5).
    let moments = [-86400.0, 86400].map { day in
      utc.addingTimeInterval(-Double(localOffset(at: utc.addingTimeInterval(day))))
    }
    let shown = moments.filter { $0.addingTimeInterval(Double(localOffset(at: $0))) == utc }
    return shown.min() ?? moments[0]
  }
}

/// Reads how many articles there may be.
///
/// - Throws: `ValidationError` for what is no number from 1.
func limitOfArticles(_ argument: String) throws -> Int {
  guard let limit = Int(argument), limit > 0 else {
    throw ValidationError("'\(argument)' is no number from 1, such as 20.")
  }
  return limit
}
