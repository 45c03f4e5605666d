internal import Markup

/// Dates in RFC 822 and similar forms: words and numbers in roughly that order.
extension DateScanner {
  /// Reads words and numbers, including asctime and American forms.
  mutating func words(_ text: Span<UInt8>, _ moment: inout Moment) -> Bool {
    var hasTime = false
    while index < text.count {
      let byte = text[index]
      if byte.isASCIIDigit {
        guard numberOrTime(text, &moment, &hasTime) else { return false }
      } else if byte.isASCIILetter {
        guard name(text, &moment, hasTime) else { return false }
      } else if hasTime, byte == UInt8(ascii: "+") || (byte == UInt8(ascii: "-") && isZone(text, moment)) {
        guard zone(text, &moment) else { return false }
      } else if byte == UInt8(ascii: "(") {
        break
      } else {
        index += 1
      }
    }
    // A month with a year stands for its first day.
    if !hasTime, moment.month != nil, moment.year != nil, moment.day == nil { moment.day = 1 }
    return true
  }

  /// Returns whether a minus begins a zone: the year is known, or four digits and a space follow.
  private func isZone(_ text: Span<UInt8>, _ moment: Moment) -> Bool {
    if moment.year != nil { return true }
    guard index + 5 < text.count, text[index + 5] == 0x20 else { return false }
    for digit in 1...4 where !text[index + digit].isASCIIDigit { return false }
    return true
  }

  private mutating func numberOrTime(_ text: Span<UInt8>, _ moment: inout Moment, _ hasTime: inout Bool)
    -> Bool
  {
    let start = index
    let value = number(text)
    let next = index < text.count ? text[index] : 0
    let isJoined = index + 1 < text.count && text[index + 1].isASCIIDigit
    if next == UInt8(ascii: ":"), value.digits == 4, moment.year == nil, moment.month != nil {
      // In web server logs a colon separates date and time.
      moment.year = value.value
      index += 1
      return true
    }
    if next == UInt8(ascii: ":") {
      guard !hasTime else { return false }
      index = start
      hasTime = true
      return time(text, &moment)
    }
    if isJoined, next == UInt8(ascii: "/") || next == UInt8(ascii: "-") || next == UInt8(ascii: "."),
      moment.day == nil, moment.month == nil, moment.year == nil
    {
      index = start
      return isoDate(text, &moment)
    }
    if isJoined, next == UInt8(ascii: ".") || next | 0x20 == UInt8(ascii: "h"), moment.year != nil, !hasTime {
      hasTime = true
      return timeWithPoints(text, &moment, hour: value)
    }
    if value.digits >= 3 {
      guard moment.year == nil, value.digits == 4 || (value.digits == 3 && moment.month != nil) else {
        return false
      }
      moment.year = Moment.fullYear(value.value, digits: value.digits)
    } else if moment.day == nil {
      moment.day = value.value
      skipOrdinal(text)
    } else if moment.month == nil, moment.year == nil, isFollowedByNumber(text) {
      moment.month = value.value
    } else if moment.year == nil {
      moment.year = Moment.fullYear(value.value, digits: value.digits)
    }
    return true
  }

  /// Reads the rest after the hour in `15.04.05`, `15.04` or `15h04`.
  private mutating func timeWithPoints(
    _ text: Span<UInt8>, _ moment: inout Moment, hour: (value: Int, digits: Int)
  ) -> Bool {
    index += 1
    let minute = number(text)
    guard hour.digits <= 2, minute.digits == 2 else { return false }
    (moment.hour, moment.minute) = (hour.value, minute.value)
    if skip(UInt8(ascii: "."), text) { moment.second = number(text).value }
    return true
  }

  private func isFollowedByNumber(_ text: Span<UInt8>) -> Bool {
    var next = index
    while next < text.count, text[next] == 0x20 { next += 1 }
    return next > index && next < text.count && text[next].isASCIIDigit
  }

  /// Skips `st`, `nd`, `rd` or `th` after a day.
  private mutating func skipOrdinal(_ text: Span<UInt8>) {
    guard index < text.count, text[index].isASCIILetter else { return }
    let start = index
    if word(text).count != 2 { index = start }
  }

  private mutating func name(_ text: Span<UInt8>, _ moment: inout Moment, _ hasTime: Bool) -> Bool {
    if startsHalfOfDay(text) {
      halfOfDay(text, &moment)
      return true
    }
    let start = index
    let name = word(text)
    if moment.month == nil || (mayBeWeekday && !hasTime), let month = DateWords.month(name) {
      // "mar. 1 déc.": the first word was the weekday.
      mayBeWeekday = moment.month == nil && moment.day == nil && moment.year == nil
      moment.month = month
      return true
    }
    guard hasTime, moment.month != nil else { return true }
    // asctime has the year after the zone.
    index = start
    return zone(text, &moment)
  }

  // MARK: Zones

  /// Reads `Z`, `+01:00`, `-0500`, `EST`, `GMT+2`, `America/New_York`. An unknown word is ignored.
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
      if let minutes = DateWords.zone(name) {
        moment.offset = minutes
      } else {
        switch DateZonePhrase(text, at: start) {
        case .known(let region, let end):
          (moment.region, index) = (region, end)
          return true
        case .unknown: return false
        case nil: break
        }
      }
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
    moment.offset = sign * minutes
    return true
  }
}
