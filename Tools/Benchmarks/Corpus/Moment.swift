/// A time in UTC, in the formats of feeds and HTTP.
public struct Moment: Sendable {
  /// Seconds since 1970.
  public var seconds: Int

  public init(seconds: Int) {
    self.seconds = seconds
  }

  /// The time in the format `2024-05-01T08:00:00Z` (RFC 3339).
  var internet: String {
    let date = civil
    return "\(date.year)-\(two(date.month))-\(two(date.day))T\(clock)Z"
  }

  /// The time in the format `Wed, 01 May 2024 08:00:00 GMT` (RFC 5322, and RFC 9110, section 5.6.7).
  public var mail: String {
    let date = civil
    let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    return
      "\(days[seconds / 86400 % 7]), \(two(date.day)) \(months[date.month - 1]) \(date.year) \(clock) GMT"
  }

  private var clock: String {
    "\(two(seconds / 3600 % 24)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
  }

  /// The proleptic Gregorian date, computed in eras of 400 years that begin on 1 March.
  private var civil: (year: Int, month: Int, day: Int) {
    let days = seconds / 86400 + 719_468
    let dayOfEra = days % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + days / 146_097 * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }

  private func two(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
