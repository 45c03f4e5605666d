import Foundation
import TextOutput

#if canImport(Glibc)
  import Glibc
#endif

/// A date as machines read it: RFC 3339, UTC, whole seconds.
func iso8601(_ date: Date) -> String {
  text(of: date, offset: 0)
}

/// A date as people read it: "2026-11-21 09:12", in local time.
func localMinute(_ date: Date) -> String {
  String(text(of: date, offset: localOffset(at: date)).prefix(16)).replacing("T", with: " ")
}

/// The day of a moment in local time, as ISO 8601 writes it.
func localDay(_ date: Date) -> String { String(localMinute(date).prefix(10)) }

/// By how many seconds the clock of the place is ahead of UTC at a moment.
///
/// The C library's answer (localtime_r(3)): Foundation knows names of zones alone, and not the other forms that the
/// variable TZ may have (POSIX.1-2024, 8.3), such as `EST5` or `UTC-2`.
func localOffset(at date: Date) -> Int {
  var seconds = time_t(max(-1e11, min(date.timeIntervalSince1970.rounded(.down), 1e12)))
  var parts = tm()
  return localtime_r(&seconds, &parts) == nil ? 0 : parts.tm_gmtoff
}

private func text(of date: Date, offset: Int) -> String {
  let years = ISODate.fourDigitYears
  let seconds = Int64(max(-1e11, min(date.timeIntervalSince1970.rounded(.down), 1e12))) + Int64(offset)
  return ISODate.text(min(max(seconds, years.lowerBound), years.upperBound))
}
