public import Foundation

/// Returns a date for programs: RFC 3339, UTC, whole seconds.
public func iso8601(_ date: Date) -> String {
  ISODate.text(seconds(of: date, offset: 0))
}

/// Returns a date for people: "2026-11-21 09:12", in local time.
public func localMinute(_ date: Date) -> String { "\(localDay(date)) \(localTime(date))" }

/// Returns a date's local day in ISO 8601 format.
public func localDay(_ date: Date) -> String {
  let date = CivilDate(local: date)
  return "\(digits(date.year, 4))-\(digits(date.month))-\(digits(date.day))"
}

/// Returns a date's local time: "09:12".
public func localTime(_ date: Date) -> String {
  let date = CivilDate(local: date)
  return "\(digits(date.hour)):\(digits(date.minute))"
}

/// Returns local time's offset at a date: "UTC", "UTC+1" or "UTC+5:30".
public func localZone(at date: Date) -> String {
  let minutes = localOffset(at: date) / 60
  guard minutes != 0 else { return "UTC" }
  let (hour, minute) = abs(minutes).quotientAndRemainder(dividingBy: 60)
  return "UTC\(minutes < 0 ? "-" : "+")\(hour)\(minute == 0 ? "" : ":" + digits(Int64(minute)))"
}

/// Returns a number with leading zeros.
public func digits(_ number: Int64, _ count: Int = 2) -> String {
  let text = String(number)
  return String(repeating: "0", count: max(0, count - text.count)) + text
}

extension CivilDate {
  /// The weekday's name, such as "Saturday".
  public var weekdayName: String { Self.weekdays[weekday] }
  /// The month's name, such as "November".
  public var monthName: String { Self.months[Int(month) - 1] }

  /// The date in UTC as mail, RSS and HTTP write it: "Wed, 01 May 2024 08:00:00 GMT" (RFC 9110, 5.6.7).
  package var mail: String {
    let day = "\(weekdayName.prefix(3)), \(digits(self.day)) \(monthName.prefix(3)) \(digits(year, 4))"
    return "\(day) \(digits(hour)):\(digits(minute)):\(digits(second)) GMT"
  }

  private static let weekdays = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ]
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
  ]

  /// The date in UTC. A date outside the years with four digits becomes their first or last date.
  public init(_ date: Date) { self.init(secondsSince1970: seconds(of: date, offset: 0)) }

  /// The date in local time; see ``init(_:)``.
  public init(local date: Date) {
    self.init(secondsSince1970: seconds(of: date, offset: localOffset(at: date)))
  }
}

/// Returns the offset between local time and UTC at a date, in seconds.
///
/// The C library computes it (localtime_r(3)). Foundation knows only zone names, and not the other forms of
/// the variable TZ (POSIX.1-2024, 8.3), such as `EST5` or `UTC-2`.
public func localOffset(at date: Date) -> Int {
  var seconds = time_t(max(-1e11, min(date.timeIntervalSince1970.rounded(.down), 1e12)))
  var parts = unsafe tm()
  return unsafe localtime_r(&seconds, &parts) == nil ? 0 : parts.tm_gmtoff
}

private func seconds(of date: Date, offset: Int) -> Int64 {
  let years = ISODate.fourDigitYears
  let seconds = Int64(max(-1e11, min(date.timeIntervalSince1970.rounded(.down), 1e12))) + Int64(offset)
  return min(max(seconds, years.lowerBound), years.upperBound)
}
