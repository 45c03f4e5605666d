import FeedParsing
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// One JSON object on one line (RFC 8259), its fields in the order in which they were added.
///
/// Control characters, line separators and characters that turn the writing direction are escaped.
struct JSONLine {
  private var text = "{"

  /// Adds a text, or null.
  mutating func add(_ name: String, _ value: String?) {
    addRaw(name, value.map(Self.quoted))
  }

  /// Adds a number, or null.
  mutating func add(_ name: String, _ value: Int?) {
    addRaw(name, value.map(String.init))
  }

  /// Adds a date as RFC 3339 in UTC, or null.
  mutating func add(_ name: String, _ value: Date?) {
    addRaw(name, value.map { Self.quoted(iso8601($0)) })
  }

  /// Adds texts as an array.
  mutating func add(_ name: String, _ values: [String]) {
    addRaw(name, Self.array(values))
  }

  /// Adds what is JSON already, or null.
  mutating func addRaw(_ name: String, _ json: String?) {
    if text.utf8.count > 1 { text += "," }
    text += Self.quoted(name) + ":" + (json ?? "null")
  }

  /// The object.
  var object: String { text + "}" }

  /// The line, with its line feed.
  var line: String { text + "}\n" }

  /// Texts as an array.
  static func array(_ values: [String]) -> String {
    "[" + values.map(quoted).joined(separator: ",") + "]"
  }

  /// A text with its quotation marks.
  static func quoted(_ value: String) -> String {
    var result = "\""
    result.reserveCapacity(value.utf8.count + 2)
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      default:
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069:
          let digits = String(scalar.value, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }
}

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
