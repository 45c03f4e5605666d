import Foundation

extension AttributeValue {
  /// The value as people and other programs read it: dates as ISO 8601, bytes as base64, a reference as the other's
  /// number; empty for null.
  func text(as type: AttributeType) -> String {
    switch self {
    case .null, .reference(.none): ""
    case .integer(let number):
      switch type {
      case .boolean: number == 0 ? "false" : "true"
      case .date: iso8601(seconds: number, microseconds: 0)
      default: "\(number)"
      }
    case .real(let number): type == .date ? iso8601(number) ?? "" : "\(number)"
    case .text(let text): text
    case .bytes(let bytes): Data(bytes).base64EncodedString()
    case .reference(let id): "\(id.key)"
    }
  }
}

/// A moment as ISO 8601 in UTC, with a fraction only where there is one, to the microsecond; nil for none.
///
/// - Parameter seconds: Since 1970.
func iso8601(_ seconds: Double) -> String? {
  let floor = seconds.rounded(.down)
  guard let whole = Int64(exactly: floor) else { return nil }
  let microseconds = Int(((seconds - floor) * 1e6).rounded())
  return microseconds == 1_000_000 && whole < .max
    ? iso8601(seconds: whole + 1, microseconds: 0) : iso8601(seconds: whole, microseconds: microseconds)
}

private func iso8601(seconds: Int64, microseconds: Int) -> String {
  func padded(_ number: Int64, _ width: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(width - digits.count, 0)) + digits
  }
  let second = seconds - floorDivision(seconds, 86_400) * 86_400
  let (year, month, day) = civilDate(daysSince1970: floorDivision(seconds, 86_400))
  // ISO 8601, 4.1.2.4: a year outside four digits has a sign and more of them.
  let years =
    0...9999 ~= year ? padded(year, 4) : (year < 0 ? "-" : "+") + padded(abs(year), 6)
  var text = "\(years)-\(padded(month, 2))-\(padded(day, 2))"
  text += "T\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
  if microseconds > 0 {
    var fraction = padded(Int64(microseconds), 6)
    while fraction.last == "0" { fraction.removeLast() }
    text += ".\(fraction)"
  }
  return text + "Z"
}

private func floorDivision(_ number: Int64, _ divisor: Int64) -> Int64 {
  number / divisor - (number % divisor < 0 ? 1 : 0)
}

/// The Gregorian date of a day, before 1582 too: eras of 400 years, each of which begins on 1 March.
private func civilDate(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
  let shifted = days + 719_468
  let era = floorDivision(shifted, 146_097)
  let dayOfEra = shifted - era * 146_097
  let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let monthFromMarch = (5 * dayOfYear + 2) / 153
  let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  return (
    era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
  )
}
