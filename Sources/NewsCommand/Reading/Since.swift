import ArgumentParser
import Foundation
import TextOutput

/// A point in time from a command line: a duration before now, or a date.
struct Since: Equatable {
  let date: Date

  /// Reads an argument. A day or time without an offset is local, as in lists.
  ///
  /// - Throws: `ValidationError` for any other text.
  init(argument: String) throws {
    if let length = seconds(ofDuration: argument) {
      date = Date(timeIntervalSinceNow: -length)
    } else if let day = Self.days[argument.lowercased()] {
      // Noon belongs to the same day whatever a time zone's clocks do at night.
      let noon = try? Date("\(localDay(Date()))T12:00:00Z", strategy: .iso8601)
      let name = (noon ?? Date()).addingTimeInterval(-86400 * Double(day)).ISO8601Format().prefix(10)
      date = Self.moment(String(name)) ?? Date()
    } else if let moment = Self.moment(argument) {
      date = moment
    } else {
      let problem =
        argument.wholeMatch(of: #/\d{4}-\d\d-\d\d/#) != nil ? "not a day of the calendar" : "not a time"
      throw ValidationError("'\(argument)' is \(problem); write it like \(Self.examples).")
    }
  }

  /// Argument examples for help texts.
  static let examples = "12h, 1d, 2w, today, 2026-11-21 or \"2026-11-21 10:00\""

  /// Rejects an end that is not later than the beginning.
  ///
  /// - Parameter option: The end's option.
  /// - Throws: `ValidationError`.
  static func checkSpan(from begin: Date?, to end: Date?, _ option: String) throws {
    guard let begin, let end, end <= begin else { return }
    throw ValidationError("\(option) is not later than --since: no article is between them.")
  }

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

/// Reads a limit for articles.
///
/// - Throws: `ValidationError` unless the argument is a number from 1.
func limitOfArticles(_ argument: String) throws -> Int {
  guard let limit = Int(argument), limit > 0 else {
    throw ValidationError("'\(argument)' is not a number from 1, such as 20.")
  }
  return limit
}
