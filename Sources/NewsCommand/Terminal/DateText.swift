import Foundation
import TextOutput

#if canImport(Glibc)
  import Glibc
#endif

/// Returns a date for programs: RFC 3339, UTC, whole seconds.
func iso8601(_ date: Date) -> String {
  text(of: date, offset: 0)
}

/// Returns a date for people: "2026-11-21 09:12", in local time.
func localMinute(_ date: Date) -> String {
  String(text(of: date, offset: localOffset(at: date)).prefix(16)).replacing("T", with: " ")
}

/// Returns the local day of a date in ISO 8601 format.
func localDay(_ date: Date) -> String { String(localMinute(date).prefix(10)) }

/// Returns the offset of local time from UTC at a date, in seconds.
///
/// The C library computes it (localtime_r(3)). Foundation knows only names of zones, and not the other forms
/// of the variable TZ (POSIX.1-2024, 8.3), such as `EST5` or `UTC-2`.
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
