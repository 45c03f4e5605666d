import ArgumentParser
import Foundation

/// The least age of what is listed: a span before now, or a date.
struct Since: Equatable {
  let date: Date

  /// Reads an argument.
  ///
  /// - Throws: `ValidationError` for what is neither.
  init(argument: String) throws {
    let digits = argument.prefix(while: \.isNumber)
    let units: [String: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400]
    if let number = Double(digits), let unit = units[String(argument.dropFirst(digits.count))] {
      date = Date(timeIntervalSinceNow: -number * unit)
    } else if let day = try? Date(argument, strategy: .iso8601.year().month().day()), argument.count == 10 {
      date = day
    } else if let moment = try? Date(argument, strategy: .iso8601) {
      date = moment
    } else if let minute = Self.localMinute(argument) {
      date = minute
    } else {
      throw ValidationError(
        "'\(argument)' is no time; write it like 12h, 1d, 2026-11-21 or \"2026-11-21 10:00\".")
    }
  }

  /// A date as `list` prints it, "2026-11-21 10:00" in local time; nil for anything else.
  private static func localMinute(_ text: String) -> Date? {
    guard let match = text.wholeMatch(of: #/(\d{4}-\d\d-\d\d)[ T]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d)?/#)
    else { return nil }
    let seconds = match.output.3.map(String.init) ?? ":00"
    guard let utc = try? Date("\(match.output.1)T\(match.output.2)\(seconds)Z", strategy: .iso8601) else {
      return nil
    }
    // What the clock of the place shows; the offset of its own moment holds, also near a change of the clock.
    let zone = TimeZone.current
    let near = utc.addingTimeInterval(-Double(zone.secondsFromGMT(for: utc)))
    return utc.addingTimeInterval(-Double(zone.secondsFromGMT(for: near)))
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
