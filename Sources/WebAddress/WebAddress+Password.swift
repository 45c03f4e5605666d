/// Addresses without their passwords.
extension WebAddress {
  /// The text without its password, for files and other programs; control characters stay.
  public var withoutPassword: String {
    if case .plain = parts { return text }
    return Self.withoutPassword(text)
  }

  /// The address without its password.
  public var removingPassword: WebAddress {
    if case .plain = parts { return self }
    return WebAddress(withoutPassword)
  }

  /// Returns a text without the password in its user information. The text may be an invalid address, or
  /// several addresses.
  public static func withoutPassword(_ text: String) -> String {
    // Nearly all addresses have no user information. The `@` at its end may be percent-encoded.
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "%") }) else {
      return text
    }
    // A password may contain white space.
    let first = withoutFirstPassword(text)
    guard let space = first.utf8.firstIndex(where: { $0 <= 0x20 }) else { return first }
    var printed = String(first[..<space])
    var rest = first.utf8[space...]
    while !rest.isEmpty {
      let spaces = rest.prefix { $0 <= 0x20 }
      let word = rest[spaces.endIndex...].prefix { $0 > 0x20 }
      printed += String(Substring(spaces))
      let other = String(Substring(word))
      printed += separator(of: other) == nil ? other : withoutFirstPassword(other)
      rest = rest[word.endIndex...]
    }
    return printed
  }

  private static func withoutFirstPassword(_ text: String) -> String {
    let rest = text.utf8[(separator(of: text)?.upperBound ?? mistypedSchemeEnd(of: text))...]
      .drop { $0 == UInt8(ascii: "/") }
    let authority = rest.prefix { !endsAuthority($0) }
    var end = lastAt(in: authority)
    if end == nil, mayHaveCutPassword(authority) { end = lastAt(in: rest) }
    guard let end, let colon = authority.firstIndex(of: UInt8(ascii: ":")), colon < end else { return text }
    return String(text[..<colon] + text[end...])
  }

  /// Returns the position of the last `@`; if none exists, of the last percent-encoded one.
  private static func lastAt(in bytes: Substring.UTF8View) -> String.Index? {
    if let at = bytes.lastIndex(of: UInt8(ascii: "@")) { return at }
    return bytes.indices.last { bytes[$0...].starts(with: "%40".utf8) }
  }

  /// Returns whether a colon without a port is between a server's slashes and the next delimiter: a password
  /// that contains the delimiter may begin there.
  static func mayHaveCutPassword(_ authority: Substring.UTF8View) -> Bool {
    guard authority.first != UInt8(ascii: "["), let colon = authority.firstIndex(of: UInt8(ascii: ":")) else {
      return false
    }
    return authority[colon...].dropFirst().contains { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  /// Returns the index after a scheme without `://`, or the start if no scheme is found. The scheme may have
  /// other characters before slashes, as in `http;//h`, or only a colon, as in `mailto:name@h`.
  private static func mistypedSchemeEnd(of text: String) -> String.Index {
    let rest = text.utf8.drop { ($0 | 0x20) &- UInt8(ascii: "a") < 26 }
    let marks = rest.prefix { ":;,./\\".utf8.contains($0) }
    let isMistyped = marks.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
    if isMistyped { return marks.endIndex }
    guard rest.first == UInt8(ascii: ":"), let colon = rest.indices.first else { return text.startIndex }
    return knownSchemes.contains(text[..<colon].lowercased()) ? rest.index(after: colon) : text.startIndex
  }

  /// The schemes that precede a name without slashes, not a password (RFC 3986, section 3; IANA's registry),
  /// and the two schemes that are fetched.
  private static let knownSchemes: Set<String> = [
    "acct", "cid", "http", "https", "im", "mailto", "mid", "pres", "sip", "sips", "xmpp",
  ]
}
