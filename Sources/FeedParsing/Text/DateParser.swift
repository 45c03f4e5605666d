import TextOutput
internal import Markup

/// Reads feed dates: RFC 822 and 2822, ISO 8601 and W3CDTF, and unusual forms that feeds contain.
public enum DateParser {
  /// The dates with a four-digit year (RFC 3339). If a zone moves a date out of this range, the nearest end
  /// is used.
  static let range: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  /// Returns seconds since 1970, UTC; nil if the text is not a date. A date without a zone is taken as UTC.
  public static func seconds(_ text: Span<UInt8>) -> Int64? {
    var start = 0
    var end = text.count
    while start < end, text[start] <= 0x20 { start += 1 }
    while end > start, text[end - 1] <= 0x20 { end -= 1 }
    guard end - start >= 3, end - start <= 100 else { return nil }
    let trimmed = text.extracting(start..<end)
    for index in 0..<trimmed.count where trimmed[index] >= 0x80 {
      let plain = DateWords.translating(trimmed)
      return plain.text.isEmpty ? nil : read(plain.text.span, zone: plain.zone)
    }
    return read(trimmed)
  }

  /// Returns the date in a string.
  public static func seconds(_ text: String) -> Int64? { seconds(Array(text.utf8).span) }

  /// - Parameter zone: The zone for a date that names none, in minutes east of UTC.
  private static func read(_ text: Span<UInt8>, zone: Int = 0) -> Int64? {
    if let seconds = readUsual(text) { return seconds }
    if hasNoYear(text) { return nil }
    if text[0].isASCIIDigit || text[0] == UInt8(ascii: "-") {
      var scanner = DateScanner(index: 0)
      var moment = Moment()
      moment.usualOffset = zone
      if scanner.isoDate(text, &moment), scanner.isoTime(text, &moment), let seconds = moment.seconds {
        return seconds
      }
    }
    var scanner = DateScanner(index: 0)
    var moment = Moment()
    moment.usualOffset = zone
    guard scanner.words(text, &moment) else { return nil }
    return moment.seconds
  }

  /// Returns whether the year is zero or negative. Databases write year 0 for a missing date, and PHP prints
  /// it as -1.
  private static func hasNoYear(_ text: Span<UInt8>) -> Bool {
    if text.hasPrefix("0000-") { return true }
    if text.count > 6, text[0] == UInt8(ascii: "-"), text[5] == UInt8(ascii: "-"), number(text, 1, 4) != nil {
      return true
    }
    // "Mon, 30 Nov -0001 00:00:00 +0000"
    return text.hasPrefix(" -0001", at: 11) || text.hasPrefix(" -0001", at: 10)
  }

  /// Reads dates exactly like `Wed, 03 Feb 2010 17:23:16 +0000`, which most feeds use; returns nil for all
  /// others.
  private static func readUsual(_ text: Span<UInt8>) -> Int64? {
    guard text.count == 31 || text.count == 29, text[3] == UInt8(ascii: ","), text[4] == 0x20,
      text[7] == 0x20,
      text[11] == 0x20, text[16] == 0x20, text[19] == 0x3A, text[22] == 0x3A, text[25] == 0x20
    else { return nil }
    let letters = UInt32(text[8]) << 16 | UInt32(text[9]) << 8 | UInt32(text[10])
    guard let month = DateWords.monthsByLetters.firstIndex(of: letters),
      let day = number(text, 5, 2), let year = number(text, 12, 4), let hour = number(text, 17, 2),
      let minute = number(text, 20, 2), let second = number(text, 23, 2)
    else { return nil }
    var moment = Moment(year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
    if text.count == 29 { return text.hasPrefix("GMT", at: 26) ? moment.seconds : nil }
    guard text[26] == UInt8(ascii: "+") || text[26] == UInt8(ascii: "-"), let shift = number(text, 27, 4),
      shift <= 2400
    else {
      return nil
    }
    moment.offset = (shift / 100 * 60 + shift % 100) * (text[26] == UInt8(ascii: "-") ? -1 : 1)
    return moment.seconds
  }

  private static func number(_ text: Span<UInt8>, _ start: Int, _ digits: Int) -> Int? {
    var value = 0
    for index in start..<(start + digits) {
      guard text[index].isASCIIDigit else { return nil }
      value = value * 10 + Int(text[index] - 0x30)
    }
    return value
  }
}

/// The date parts that were read so far.
struct Moment {
  var year: Int?
  var month: Int?
  var day: Int?
  /// The day of the year, in place of month and day.
  var dayOfYear: Int?
  /// The days since 1970, in place of year, month and day.
  var daysSince1970: Int?
  /// The seconds since 1970, in place of all other parts.
  var secondsSince1970: Int?
  var hour = 0
  var minute = 0
  var second = 0
  var isAfternoon: Bool?
  /// Minutes east of UTC; nil if the date names no zone.
  var offset: Int?
  /// The offset for a date that names no zone.
  var usualOffset = 0
  var region: DateRegion?

  /// Seconds since 1970, within ``DateParser/range``; nil if the parts are not a valid date.
  var seconds: Int64? {
    exactSeconds.map { min(max($0, DateParser.range.lowerBound), DateParser.range.upperBound) }
  }

  private var exactSeconds: Int64? {
    if let secondsSince1970 { return Int64(secondsSince1970) }
    guard let year, year >= 1, year <= 9999 else { return nil }
    var hour = hour
    // "13:04 PM" needs no addition.
    if let isAfternoon, hour <= 12 {
      hour = hour % 12 + (isAfternoon ? 12 : 0)
    }
    guard hour < 24 || (hour == 24 && minute == 0 && second == 0), minute < 60, second <= 60 else {
      return nil
    }
    guard let days = days(in: year) else { return nil }
    let local = days * 86_400 + hour * 3600 + minute * 60 + min(second, 59)
    let shift = region.map { $0.offset(atLocalSeconds: local, year: year) } ?? offset ?? usualOffset
    return Int64(local - shift * 60)
  }

  /// Returns the days since 1970; nil if the year does not have the day.
  private func days(in year: Int) -> Int? {
    if let daysSince1970 { return daysSince1970 }
    if let dayOfYear {
      let start = CivilDate.days(year: year, month: 1, day: 1)
      let length = CivilDate.days(year: year + 1, month: 1, day: 1) - start
      return dayOfYear >= 1 && dayOfYear <= length ? start + dayOfYear - 1 : nil
    }
    guard let month, let day, month >= 1, month <= 12, day >= 1, day <= 31 else { return nil }
    let days = CivilDate.days(year: year, month: month, day: day)
    // February ends on the 28th or 29th: only in a short month the day can be too large.
    guard day > 28, month < 12, days >= CivilDate.days(year: year, month: month + 1, day: 1) else {
      return days
    }
    return nil
  }

  /// Returns the year: two digits up to 49 belong to this century, and three digits count from 1900
  /// (RFC 2822, 4.3).
  static func fullYear(_ number: Int, digits: Int) -> Int {
    switch digits {
    case 3: 1900 + number
    case 4...: number
    default: number < 50 ? 2000 + number : 1900 + number
    }
  }
}
