/// Dates in ISO 8601 and RFC 3339 format, in UTC and in the Gregorian calendar for all years.
///
/// Foundation's calendar is Julian before 1582, and its formatters take a hundred times as long.
public enum ISODate {
  /// The years with four digits, in seconds since 1970.
  public static let fourDigitYears: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

  /// Returns a date such as `2026-11-21T09:12:00Z`.
  ///
  /// - Parameters:
  ///   - seconds: Whole seconds since 1970.
  ///   - microseconds: A fraction, written with as many digits as it needs.
  public static func text(_ seconds: Int64, microseconds: Int = 0) -> String {
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
  public static func text(_ seconds: Double) -> String? {
    let floor = seconds.rounded(.down)
    guard let whole = Int64(exactly: floor) else { return nil }
    let microseconds = Int(((seconds - floor) * 1e6).rounded())
    return microseconds == 1_000_000 && whole < .max
      ? text(whole + 1) : text(whole, microseconds: microseconds)
  }

  /// Appends a date as UTF-8, such as `2026-11-21T09:12:00Z`.
  ///
  /// A year outside four digits has a sign and six digits (ISO 8601, 4.1.2.4).
  public static func append(_ seconds: Int64, to bytes: inout [UInt8]) {
    let date = CivilDate(secondsSince1970: seconds)
    if 0...9999 ~= date.year {
      append(date.year, digits: 4, to: &bytes)
    } else {
      bytes.append(UInt8(ascii: date.year < 0 ? "-" : "+"))
      append(abs(date.year), digits: 6, to: &bytes)
    }
    append("-", date.month, to: &bytes)
    append("-", date.day, to: &bytes)
    append("T", date.hour, to: &bytes)
    append(":", date.minute, to: &bytes)
    append(":", date.second, to: &bytes)
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
}
