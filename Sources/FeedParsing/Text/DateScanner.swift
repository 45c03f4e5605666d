import TextOutput
internal import Markup

/// Reads a date's parts one after the other.
struct DateScanner {
  var index: Int
  /// True if the month is a word before all numbers, which may be a weekday instead.
  var mayBeWeekday = false

  // MARK: ISO 8601

  /// Reads the date: `2026-11-21` and its shorter and compact forms.
  mutating func isoDate(_ text: Span<UInt8>, _ moment: inout Moment) -> Bool {
    let startsWithDash = skip(UInt8(ascii: "-"), text)
    if !startsWithDash, readUnseparated(text, &moment) { return true }
    let first = number(text)
    if startsWithDash {
      guard first.digits == 4 || first.digits == 2 else { return false }
      moment.year = Moment.fullYear(first.digits == 4 ? first.value / 100 : first.value, digits: 2)
      moment.month =
        first.digits == 4 ? first.value % 100 : skip(UInt8(ascii: "-"), text) ? number(text).value : 1
      moment.day = 1
      return true
    }
    switch first.digits {
    case 8: setCompact(first.value, yearDigits: 4, &moment)
    case 6: setCompact(first.value, yearDigits: 2, &moment)
    case 7: (moment.year, moment.dayOfYear) = (first.value / 1000, first.value % 1000)
    case 5:
      (moment.year, moment.dayOfYear) = (Moment.fullYear(first.value / 1000, digits: 2), first.value % 1000)
    case 4: return isoMonth(text, &moment, year: first.value)
    case 1, 2: return shortDate(text, &moment, first.value)
    default: return false
    }
    return true
  }

  /// Reads a run of digits: 12 or 14 are date and time; 9, 10 or 13 are (milli)seconds since 1970.
  private mutating func readUnseparated(_ text: Span<UInt8>, _ moment: inout Moment) -> Bool {
    guard index + 8 < text.count, text[index + 8].isASCIIDigit else { return false }
    var end = index
    var value = 0
    while end < text.count, end - index < 15, text[end].isASCIIDigit {
      value = value * 10 + Int(text[end] - 0x30)
      end += 1
    }
    switch end - index {
    case 9, 10: moment.secondsSince1970 = value
    case 13: moment.secondsSince1970 = value / 1000
    case 12: setCompact(value / 10_000, time: value % 10_000 * 100, &moment)
    case 14: setCompact(value / 1_000_000, time: value % 1_000_000, &moment)
    default: return false
    }
    index = end
    if moment.secondsSince1970 != nil, skip(UInt8(ascii: "."), text) { _ = number(text) }
    return moment.secondsSince1970 == nil || index == text.count
  }

  private func setCompact(_ date: Int, time: Int, _ moment: inout Moment) {
    setCompact(date, yearDigits: 4, &moment)
    (moment.hour, moment.minute, moment.second) = (time / 10_000, time / 100 % 100, time % 100)
  }

  private func setCompact(_ value: Int, yearDigits: Int, _ moment: inout Moment) {
    moment.year = Moment.fullYear(value / 10_000, digits: yearDigits)
    moment.month = value / 100 % 100
    moment.day = value % 100
  }

  private mutating func isoMonth(_ text: Span<UInt8>, _ moment: inout Moment, year: Int) -> Bool {
    moment.year = year
    (moment.month, moment.day) = (1, 1)
    if let isWeek = readWeek(text, &moment, year: year) { return isWeek }
    guard skipSeparator(text) else { return index == text.count }
    let second = number(text)
    if second.digits == 0 {
      guard let month = DateWords.month(word(text)) else { return false }
      moment.month = month
    } else if second.digits == 3, !isSeparator(text) {
      moment.dayOfYear = second.value
      return true
    } else if second.digits == 4 {
      (moment.month, moment.day) = (second.value / 100, second.value % 100)
      return true
    } else {
      moment.month = second.value
    }
    guard skipSeparator(text) else { return true }
    let third = number(text)
    guard third.digits == 1 || third.digits == 2 else { return third.digits == 0 && index == text.count }
    moment.day = third.value
    return true
  }

  /// Reads `-W47-6`, `W476` or `-W47` after a year; returns nil if something else follows.
  private mutating func readWeek(_ text: Span<UInt8>, _ moment: inout Moment, year: Int) -> Bool? {
    let start = index
    _ = skip(UInt8(ascii: "-"), text)
    guard skip(UInt8(ascii: "W"), text) else {
      index = start
      return nil
    }
    let digits = number(text)
    var (week, day) = digits.digits == 3 ? (digits.value / 10, digits.value % 10) : (digits.value, 1)
    if digits.digits == 2, skip(UInt8(ascii: "-"), text) { day = number(text).value }
    guard digits.digits == 2 || digits.digits == 3, week >= 1, week <= 53, day >= 1, day <= 7 else {
      return false
    }
    // Week 1 contains the 4th of January; weeks begin on Monday.
    let fourth = CivilDate.days(year: year, month: 1, day: 4)
    week -= 1
    moment.daysSince1970 = fourth - ((fourth + 3) % 7 + 7) % 7 + 7 * week + day - 1
    return true
  }

  /// Reads `03-12-31`, `31-12-2003`, `12/31/2003`, `31.12.03`.
  private mutating func shortDate(_ text: Span<UInt8>, _ moment: inout Moment, _ first: Int) -> Bool {
    let isAmerican = index < text.count && text[index] == UInt8(ascii: "/")
    let isDayFirst = index < text.count && text[index] == UInt8(ascii: ".") && first <= 31
    guard skipSeparator(text) else { return false }
    let second = number(text)
    guard second.digits == 1 || second.digits == 2, skipSeparator(text) else { return false }
    let third = number(text)
    if third.digits == 4 || isAmerican || isDayFirst {
      moment.year = Moment.fullYear(third.value, digits: third.digits)
      let isMonthFirst = isAmerican ? first <= 12 : second.value > 12
      (moment.month, moment.day) = isMonthFirst ? (first, second.value) : (second.value, first)
    } else {
      moment.year = Moment.fullYear(first, digits: 2)
      (moment.month, moment.day) = (second.value, third.value)
    }
    return third.digits > 0
  }

  private func isSeparator(_ text: Span<UInt8>) -> Bool {
    index < text.count
      && (text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: "/")
        || text[index] == UInt8(ascii: "."))
  }

  private mutating func skipSeparator(_ text: Span<UInt8>) -> Bool {
    guard isSeparator(text) else { return false }
    index += 1
    skipSpaces(text)
    return true
  }

  /// Reads the time after an ISO date, with its zone; a missing time is midnight.
  mutating func isoTime(_ text: Span<UInt8>, _ moment: inout Moment) -> Bool {
    if !skip(UInt8(ascii: "T"), text), !skip(UInt8(ascii: "t"), text) { skipSeparatorBeforeTime(text) }
    skipSpaces(text)
    if startsHalfOfDay(text) {
      halfOfDay(text, &moment)
      skipSpaces(text)
    }
    guard index < text.count else { return true }
    if text[index].isASCIIDigit {
      guard time(text, &moment) else { return false }
    }
    skipSpaces(text)
    if startsHalfOfDay(text) { halfOfDay(text, &moment) }
    return zone(text, &moment)
  }

  /// Skips a comma, a point or a single dash between date and time.
  private mutating func skipSeparatorBeforeTime(_ text: Span<UInt8>) {
    if index < text.count, text[index] == UInt8(ascii: ",") || text[index] == UInt8(ascii: ".") { index += 1 }
    let start = index
    skipSpaces(text)
    if skip(UInt8(ascii: "("), text) {
      // A weekday in parentheses.
      index = text.firstIndex(of: UInt8(ascii: ")"), from: index).map { $0 + 1 } ?? text.count
      return
    }
    if !skip(UInt8(ascii: "-"), text) || index == start + 1 || index >= text.count || text[index] > 0x20 {
      index = start
    }
  }

  /// Returns whether `am`, `pm`, `a.m.` or `p.m.` is next, in any case.
  func startsHalfOfDay(_ text: Span<UInt8>) -> Bool {
    guard index + 1 < text.count, text[index] | 0x20 == 0x61 || text[index] | 0x20 == 0x70 else {
      return false
    }
    let next = text[index + 1] == UInt8(ascii: ".") ? index + 2 : index + 1
    return next < text.count && text[next] | 0x20 == 0x6D
      && (next + 1 == text.count || !text[next + 1].isASCIILetter)
  }

  /// Reads the text that ``startsHalfOfDay(_:)`` has found.
  mutating func halfOfDay(_ text: Span<UInt8>, _ moment: inout Moment) {
    moment.isAfternoon = text[index] | 0x20 == 0x70
    index += text[index + 1] == UInt8(ascii: ".") ? 3 : 2
    _ = skip(UInt8(ascii: "."), text)
  }

  /// Reads `10:14`, `10:14:55.123`, `101455`.
  mutating func time(_ text: Span<UInt8>, _ moment: inout Moment) -> Bool {
    let hour = number(text)
    if hour.digits == 4 || hour.digits == 6 {
      moment.hour = hour.digits == 4 ? hour.value / 100 : hour.value / 10_000
      moment.minute = hour.digits == 4 ? hour.value % 100 : hour.value / 100 % 100
      moment.second = hour.digits == 4 ? 0 : hour.value % 100
      return true
    }
    guard hour.digits == 1 || hour.digits == 2 else { return false }
    moment.hour = hour.value
    guard skip(UInt8(ascii: ":"), text) else { return true }
    let minute = number(text)
    guard minute.digits == 1 || minute.digits == 2 else { return false }
    moment.minute = minute.value
    if skip(UInt8(ascii: ":"), text), index < text.count, text[index] > 0x20 {
      let second = number(text)
      guard second.digits == 1 || second.digits == 2 else { return false }
      moment.second = second.value
    }
    if skip(UInt8(ascii: "."), text) || skip(UInt8(ascii: ","), text) { _ = number(text) }
    return index >= text.count || text[index] != UInt8(ascii: ":")
  }

  // MARK: Pieces

  mutating func skip(_ byte: UInt8, _ text: Span<UInt8>) -> Bool {
    guard index < text.count, text[index] == byte else { return false }
    index += 1
    return true
  }

  mutating func skipSpaces(_ text: Span<UInt8>) {
    while index < text.count, text[index] <= 0x20 { index += 1 }
  }

  /// Reads a run of digits. With more than nine digits the value is meaningless.
  mutating func number(_ text: Span<UInt8>) -> (value: Int, digits: Int) {
    let start = index
    var value = 0
    while index < text.count, text[index].isASCIIDigit {
      value = min(value * 10 + Int(text[index] - 0x30), 999_999_999)
      index += 1
    }
    return (value, index - start)
  }

  /// Reads a run of letters, and returns them in lower case.
  mutating func word(_ text: Span<UInt8>) -> [UInt8] {
    var word: [UInt8] = []
    while index < text.count, text[index].isASCIILetter {
      word.append(text[index].asciiLowercased)
      index += 1
    }
    return word
  }
}
