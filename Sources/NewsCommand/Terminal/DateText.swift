import FeedParsing
import Foundation

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

/// One calendar for all years, as in the store's views; Foundation's is Julian before 1582.
private func text(of date: Date, offset: Int) -> String {
  var bytes: [UInt8] = []
  let seconds = max(-1e11, min(date.timeIntervalSince1970.rounded(.down), 1e12))
  DateParser.append(Int64(seconds) + Int64(offset), to: &bytes)
  return String(decoding: bytes, as: UTF8.self)
}
