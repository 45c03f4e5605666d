internal import XMLStream

/// Moves over the text of a date.
struct DateScanner {
  var index: Int

  // MARK: ISO 8601

  /// The date: `2026-11-21` and its shorter and compact forms.
  mutating func isoDate(_ text: Span<UInt8>, _ moment: inout Moment) -> Bool {
    let startsWithDash = skip(UInt8(ascii: "-"), text)
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

  private func setCompact(_ value: Int, yearDigits: Int, _ moment: inout Moment) {
    moment.year = Moment.fullYear(value / 10_000, digits: yearDigits)
    moment.month = value / 100 % 100
    moment.day = value % 100
  }

  private mutating func isoMonth(_ text: Span<UInt8>, _ moment: inout Moment, year: Int) -> Bool {
    moment.year = year
    (moment.month, moment.day) = (1, 1)
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

  /// `03-12-31`, `31-12-2003`, `12/31/2003`.
  private mutating func shortDate(_ text: Span<UInt8>, _ moment: inout Moment, _ first: Int) -> Bool {
    let isAmerican = index < text.count && text[index] == UInt8(ascii: "/")
    guard skipSeparator(text) else { return false }
    let second = number(text)
    guard second.digits == 1 || second.digits == 2, skipSeparator(text) else { return false }
    let third = number(text)
    if third.digits == 4 || isAmerican {
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

  /// The time behind an ISO date, with its zone; nothing is midnight.
  mutating func isoTime(_ text: Span<UInt8>, _ moment: inout Moment) -> Bool {
    _ = skip(UInt8(ascii: "T"), text) || skip(UInt8(ascii: "t"), text)
    skipSpaces(text)
    if index < text.count, text[index].asciiLowercased == 0x61 || text[index].asciiLowercased == 0x70 {
      guard halfOfDay(text, &moment) else { return false }
      skipSpaces(text)
    }
    guard index < text.count else { return true }
    if text[index].isASCIIDigit {
      guard time(text, &moment) else { return false }
    }
    skipSpaces(text)
    if index < text.count, text[index].asciiLowercased == 0x61 || text[index].asciiLowercased == 0x70,
      index + 1 < text.count, text[index + 1].asciiLowercased == 0x6D
    {
      guard halfOfDay(text, &moment) else { return false }
    }
    return zone(text, &moment)
  }

  private mutating func halfOfDay(_ text: Span<UInt8>, _ moment: inout Moment) -> Bool {
    let name = word(text)
    guard name.count == 2, name.last == UInt8(ascii: "m") else { return false }
    moment.isAfternoon = name.first == UInt8(ascii: "p")
    return true
  }

  /// `10:14`, `10:14:55.123`, `101455`.
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
    if skip(UInt8(ascii: ":"), text) {
      let second = number(text)
      guard second.digits == 1 || second.digits == 2 else { return false }
      moment.second = second.value
    }
    if skip(UInt8(ascii: "."), text) || skip(UInt8(ascii: ","), text) { _ = number(text) }
    return index >= text.count || text[index] != UInt8(ascii: ":")
  }

  // MARK: RFC 822

  /// Words and numbers in about the order of RFC 822; asctime and American forms as well.
  mutating func words(_ text: Span<UInt8>, _ moment: inout Moment) -> Bool {
    var hasTime = false
    while index < text.count {
      let byte = text[index]
      if byte.isASCIIDigit {
        guard numberOrTime(text, &moment, &hasTime) else { return false }
      } else if byte.isASCIILetter {
        guard name(text, &moment, hasTime) else { return false }
      } else if hasTime, byte == UInt8(ascii: "+") || (byte == UInt8(ascii: "-") && moment.year != nil) {
        guard zone(text, &moment) else { return false }
      } else if byte == UInt8(ascii: "(") {
        return true
      } else {
        index += 1
      }
    }
    return true
  }

  private mutating func numberOrTime(_ text: Span<UInt8>, _ moment: inout Moment, _ hasTime: inout Bool)
    -> Bool
  {
    let start = index
    let value = number(text)
    if index < text.count, text[index] == UInt8(ascii: ":") {
      guard !hasTime else { return false }
      index = start
      hasTime = true
      return time(text, &moment)
    }
    if value.digits >= 3 {
      guard moment.year == nil, value.digits == 4 else { return false }
      moment.year = value.value
    } else if moment.day == nil {
      moment.day = value.value
      skipOrdinal(text)
    } else if moment.year == nil {
      moment.year = Moment.fullYear(value.value, digits: value.digits)
    }
    return true
  }

  /// `st`, `nd`, `rd`, `th` behind a day.
  private mutating func skipOrdinal(_ text: Span<UInt8>) {
    guard index < text.count, text[index].isASCIILetter else { return }
    let start = index
    if word(text).count != 2 { index = start }
  }

  private mutating func name(_ text: Span<UInt8>, _ moment: inout Moment, _ hasTime: Bool) -> Bool {
    let start = index
    let name = word(text)
    if let month = DateWords.month(name), moment.month == nil {
      moment.month = month
      return true
    }
    if name.count == 2, name[1] == UInt8(ascii: "m"),
      name[0] == UInt8(ascii: "a") || name[0] == UInt8(ascii: "p")
    {
      moment.isAfternoon = name[0] == UInt8(ascii: "p")
      return true
    }
    guard hasTime, moment.month != nil else { return true }
    // asctime has the year behind the zone.
    index = start
    return zone(text, &moment)
  }

  // MARK: Zones

  /// `Z`, `+01:00`, `-0500`, `EST`, `GMT+2`, `America/New_York`; what is unknown but a word counts as UTC.
  mutating func zone(_ text: Span<UInt8>, _ moment: inout Moment) -> Bool {
    skipSpaces(text)
    guard index < text.count else { return true }
    if text[index].isASCIILetter {
      let start = index
      while index < text.count, text[index].isASCIIAlphanumeric || text[index] == 0x2F || text[index] == 0x5F
      {
        index += 1
      }
      let name = text.extracting(start..<index)
      if let region = DateRegion.named(name) {
        moment.region = region
        return true
      }
      moment.offset = DateWords.zone(name) ?? 0
      guard index < text.count, text[index] == UInt8(ascii: "+") || text[index] == UInt8(ascii: "-") else {
        return true
      }
    }
    guard text[index] == UInt8(ascii: "+") || text[index] == UInt8(ascii: "-") else { return true }
    let sign = text[index] == UInt8(ascii: "-") ? -1 : 1
    index += 1
    return numericZone(text, &moment, sign)
  }

  private mutating func numericZone(_ text: Span<UInt8>, _ moment: inout Moment, _ sign: Int) -> Bool {
    skipSpaces(text)
    let first = number(text)
    guard first.digits > 0, first.digits <= 6 else { return false }
    var minutes = first.digits <= 2 ? first.value * 60 : first.value / 100 * 60 + first.value % 100
    if first.digits > 4 { minutes = first.value / 10_000 * 60 + first.value / 100 % 100 }
    if first.digits <= 2, skip(UInt8(ascii: ":"), text) {
      let second = number(text)
      guard second.digits > 0 else { return false }
      minutes += second.value % 60
    }
    guard minutes <= 24 * 60 else { return false }
    moment.offset += sign * minutes
    return true
  }

  // MARK: Pieces

  private mutating func skip(_ byte: UInt8, _ text: Span<UInt8>) -> Bool {
    guard index < text.count, text[index] == byte else { return false }
    index += 1
    return true
  }

  private mutating func skipSpaces(_ text: Span<UInt8>) {
    while index < text.count, text[index] <= 0x20 { index += 1 }
  }

  /// A run of digits; the value of more than nine is not to be used.
  private mutating func number(_ text: Span<UInt8>) -> (value: Int, digits: Int) {
    let start = index
    var value = 0
    while index < text.count, text[index].isASCIIDigit {
      value = min(value * 10 + Int(text[index] - 0x30), 999_999_999)
      index += 1
    }
    return (value, index - start)
  }

  /// A run of letters, in lower case.
  private mutating func word(_ text: Span<UInt8>) -> [UInt8] {
    var word: [UInt8] = []
    while index < text.count, text[index].isASCIILetter {
      word.append(text[index].asciiLowercased)
      index += 1
    }
    return word
  }
}
