import Foundation

/// The date format of HTTP (RFC 9110, section 5.6.7).
enum HTTPDate {
  /// Returns a date such as `Tue, 14 Nov 2023 22:13:20 GMT`, in whole seconds.
  static func text(_ date: Date) -> String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = calendar.dateComponents([.weekday, .day, .month, .year, .hour, .minute, .second], from: date)
    let day = name(["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"], parts.weekday)
    let month = name(
      ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"], parts.month)
    let time = [parts.hour, parts.minute, parts.second].map { digits($0, 2) }.joined(separator: ":")
    return "\(day), \(digits(parts.day, 2)) \(month) \(digits(parts.year, 4)) \(time) GMT"
  }

  private static func name(_ names: [String], _ number: Int?) -> String {
    guard let number, names.indices.contains(number - 1) else { return "" }
    return names[number - 1]
  }

  private static func digits(_ number: Int?, _ count: Int) -> String {
    let text = String(number ?? 0)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
}
