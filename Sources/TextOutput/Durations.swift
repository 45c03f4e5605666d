public import Foundation

/// Parses a duration as people write it, into seconds: 90s, 30min, 12h, 1d, 2w, 1y, "3 days". A year has 365 days.
///
/// Nil for other texts, and for durations that are too long for a calendar.
public func seconds(ofDuration text: String) -> TimeInterval? {
  let units: [(names: [String], size: TimeInterval)] = [
    (["s", "sec", "second", "seconds"], 1), (["min", "m", "minute", "minutes"], 60),
    (["h", "hour", "hours"], 3600), (["d", "day", "days"], 86400), (["w", "week", "weeks"], 7 * 86400),
    (["y", "year", "years"], 365 * 86400),
  ]
  let digits = text.prefix { $0.isASCII && $0.isNumber }
  let name = String(text.dropFirst(digits.count).drop { $0 == " " })
  let unit = units.first { $0.names.contains(name) }
  guard digits.count <= 9, let number = Double(digits), let unit else { return nil }
  let length = number * unit.size
  return length < 1e15 ? length : nil
}

/// Returns true if a duration has the unit m, which means minutes, but may be mistaken for months in a
/// retention.
public func isOfMinutesOrMonths(_ text: String) -> Bool {
  text.hasSuffix("m")
}

/// Returns a duration for people, exact to the second: "30 min", "1 d"; below one second with its fraction.
public func durationText(_ seconds: TimeInterval) -> String {
  abs(seconds) < 1 && seconds != 0 || seconds < 0 ? "\(seconds) s" : DurationText.precise(seconds)
}
