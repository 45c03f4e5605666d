/// The address of a store on a server: a connection URI of libpq (postgresql.org/docs/15/libpq-connect.html#id-1.7.3.8.3.6).
public struct StoreAddress: Sendable {
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
      return !["password", "sslpassword"].contains(String(decoding: name, as: UTF8.self).lowercased())
    }
    shown += tail[..<mark]
    if !kept.isEmpty { shown += [UInt8(ascii: "?")] + kept.joined(separator: [UInt8(ascii: "&")]) }
    return String(decoding: shown, as: UTF8.self)
  }
}
