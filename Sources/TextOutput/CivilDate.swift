/// A date and time in the Gregorian calendar, which also applies to years before the calendar.
public struct CivilDate: Sendable, Equatable {
  public let year: Int64
  /// 1 to 12.
  public let month: Int64
  public let day: Int64
  public let hour: Int64
  public let minute: Int64
  public let second: Int64
  /// The days since a Sunday, 0 to 6.
  public let weekday: Int

  // Both directions compute in eras that begin on 1 March and last 400 years.

  /// Computes the date.
  ///
  /// - Parameter seconds: Seconds since the beginning of 1970 in the date's time zone.
  public init(secondsSince1970 seconds: Int64) {
    let days = Self.floorDivision(seconds, 86_400)
    // The first day in the range has no whole number of seconds before it.
    let time = (seconds % 86_400 + 86_400) % 86_400
    (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60)
    // 1970 began on a Thursday.
    weekday = Int(((days + 4) % 7 + 7) % 7)
    let shifted = days + 719_468
    let era = Self.floorDivision(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
  }

  /// Returns the days since the beginning of 1970 for a date.
  public static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func floorDivision(_ number: Int64, _ divisor: Int64) -> Int64 {
    number / divisor - (number % divisor < 0 ? 1 : 0)
  }
}
