/// Dates in the format of ISO 8601 and RFC 3339, in UTC and in the Gregorian calendar for all years.
///
/// Foundation's calendar is Julian before 1582, and its formatters take a hundred times as long.
package enum ISODate {
  /// The seconds since 1970 of the years with four digits.
  package static let fourDigitYears: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

  /// Returns a date such as `2026-11-21T09:12:00Z`.
  ///
  /// - Parameters:
  ///   - seconds: Whole seconds since 1970.
  ///   - microseconds: A fraction, written with as many digits as it needs.
  package static func text(_ seconds: Int64, microseconds: Int = 0) -> String {
    var bytes: [UInt8] = []
    append(seconds, to: &bytes)
    guard microseconds > 0 else { return String(decoding: bytes, as: UTF8.self) }
    bytes[bytes.count - 1] = UInt8(ascii: ".")
    append(Int64(microseconds), digits: 6, to: &bytes)
    while bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self) + "Z"
  }

  /// Returns a date to the microsecond, with a fraction only if it has one; nil if the number is not a date.
  ///
  /// - Parameter seconds: Seconds since 1970.
  package static func text(_ seconds: Double) -> String? {
    let floor = seconds.rounded(.down)
    guard let whole = Int64(exactly: floor) else { return nil }
    let microseconds = Int(((seconds - floor) * 1e6).rounded())
    return microseconds == 1_000_000 && whole < .max
      ? text(whole + 1) : text(whole, microseconds: microseconds)
  }

  /// Appends a date as UTF-8, such as `2026-11-21T09:12:00Z`.
  ///
  /// A year outside four digits has a sign and six digits (ISO 8601, 4.1.2.4).
  package static func append(_ seconds: Int64, to bytes: inout [UInt8]) {
    let days = floorDivision(seconds, 86_400)
    let time = seconds - days * 86_400
    let (year, month, day) = civilDate(daysSince1970: days)
    if 0...9999 ~= year {
      append(year, digits: 4, to: &bytes)
    } else {
      bytes.append(UInt8(ascii: year < 0 ? "-" : "+"))
      append(abs(year), digits: 6, to: &bytes)
    }
    append("-", month, to: &bytes)
    append("-", day, to: &bytes)
    append("T", time / 3600, to: &bytes)
    append(":", time / 60 % 60, to: &bytes)
    append(":", time % 60, to: &bytes)
    bytes.append(UInt8(ascii: "Z"))
  }

  private static func append(_ separator: Unicode.Scalar, _ number: Int64, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: separator))
    append(number, digits: 2, to: &bytes)
  }

  private static func append(_ number: Int64, digits: Int, to bytes: inout [UInt8]) {
    var divisor: Int64 = 1
    var width = 1
    while width < digits || number / divisor > 9 {
      divisor *= 10
      width += 1
    }
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
      divisor /= 10
    }
  }

  private static func floorDivision(_ number: Int64, _ divisor: Int64) -> Int64 {
    number / divisor - (number % divisor < 0 ? 1 : 0)
  }

  /// The Gregorian date of a day, computed in eras of 400 years that begin on 1 March.
  private static func civilDate(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = floorDivision(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
  }
}
