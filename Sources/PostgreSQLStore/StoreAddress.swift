internal import Foundation

/// The address of a store on a server: a libpq connection URI
/// (postgresql.org/docs/15/libpq-connect.html#id-1.7.3.8.3.6).
public struct StoreAddress: Sendable, Equatable {
  /// The address, with its password.
  public let text: String

  /// - Returns: Nil if the text is not such an address.
  public init?(_ text: String) {
    guard ["postgresql://", "postgres://"].contains(where: { text.utf8.starts(with: $0.utf8) }) else {
      return nil
    }
    self.text = text
  }

  /// The address without passwords, for messages.
  public var withoutPassword: String {
    let bytes = Array(text.utf8)
    let start = bytes.firstIndex(of: UInt8(ascii: ":")).map { $0 + 3 } ?? 0
    let rest = bytes[start...]
    let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
    var shown = Array(bytes[..<start])
    // A user and a password end at the last @ before the path.
    if let at = rest[..<end].lastIndex(of: UInt8(ascii: "@")) {
      let user = rest[..<at]
      shown += user[..<(user.firstIndex(of: UInt8(ascii: ":")) ?? user.endIndex)] + rest[at..<end]
    } else if let at = Self.misplacedAt(rest, end) {
      // A slash or a question mark in the password: libpq does not read such an address.
      shown += rest[..<(rest.firstIndex(of: UInt8(ascii: ":")) ?? end)] + rest[at...]
      return String(decoding: shown, as: UTF8.self)
    } else {
      shown += rest[..<end]
    }
    let tail = rest[end...]
    guard let mark = tail.firstIndex(of: UInt8(ascii: "?")) else {
      return String(decoding: shown + tail, as: UTF8.self)
    }
    let options = tail[(mark + 1)...].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    let kept = options.filter { option in
      let name = option.prefix { $0 != UInt8(ascii: "=") }
      let text = String(decoding: name, as: UTF8.self)
      return !["password", "sslpassword"].contains((text.removingPercentEncoding ?? text).lowercased())
    }
    shown += tail[..<mark]
    if !kept.isEmpty { shown += [UInt8(ascii: "?")] + kept.joined(separator: [UInt8(ascii: "&")]) }
    return String(decoding: shown, as: UTF8.self)
  }

  /// Returns the place of the @ after a password with a slash or a question mark, which ends the host part
  /// too early; nil for another address.
  private static func misplacedAt(_ rest: ArraySlice<UInt8>, _ end: Int) -> Int? {
    guard let colon = rest[..<end].firstIndex(of: UInt8(ascii: ":")),
      !rest[..<end].contains(UInt8(ascii: "[")),
      let at = rest[end...].lastIndex(of: UInt8(ascii: "@")),
      !rest[(colon + 1)..<end].allSatisfy({
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ",")
      })
    else { return nil }
    return at
  }

  /// The reason why libpq cannot use the address, without parts that may be secret; nil if it can.
  public var mistake: String? {
    let advice = "write special characters of a password as %XX"
    let bytes = Array(text.utf8)
    let start = bytes.firstIndex(of: UInt8(ascii: ":")).map { $0 + 3 } ?? 0
    let rest = bytes[start...]
    let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
    let ats = rest[..<end].count { $0 == UInt8(ascii: "@") }
    if ats > 1 || ats == 0 && Self.misplacedAt(rest, end) != nil {
      return "the address of the server cannot be read; \(advice)"
    }
    // Opening the store fails then, with the cause.
    guard hasLibpq else { return nil }
    guard let cause = Connection.mistake(inAddress: text) else {
      let values = Connection.values(ofAddress: text)
      let cause = Self.wrongValue(in: values) ?? Connection.mistake(inValuesOf: text)
      return cause.map { "the address of the server cannot be used: \($0)" }
    }
    // The quoted end may have the password, but not a parameter's name.
    let isName = cause.hasPrefix("invalid URI query parameter")
    return isName
      ? cause : "the address of the server cannot be read: \(cause.prefix { $0 != ":" }); \(advice)"
  }

  /// Describes a wrong value in options that libpq examines only while it connects; nil if all are right.
  private static func wrongValue(in values: [String: String]) -> String? {
    let list = { (name: String) in
      values[name].map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) } ?? []
    }
    let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
    if let port = ports.first(where: { !$0.isEmpty && !(Int($0).map((1...65535).contains) ?? false) }) {
      return "the port \(port) is not a number from 1 to 65535"
    }
    let count = max(hosts.count, addresses.count)
    if !hosts.isEmpty, !addresses.isEmpty, hosts.count != addresses.count {
      return "host has \(hosts.count) entries, and hostaddr has \(addresses.count)"
    }
    if ports.count > 1, ports.count != count {
      return "host has \(max(1, count)) entries, and port has \(ports.count)"
    }
    let numbers = [
      "connect_timeout", "keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count",
      "tcp_user_timeout",
    ]
    for name in numbers {
      if let value = values[name], Int(value.trimmingCharacters(in: .whitespaces)) == nil {
        return "\(name) is not a number: \(value)"
      }
    }
    return nil
  }
}
