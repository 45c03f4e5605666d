import CCurl

/// An address that a ``Downloader`` takes.
public struct DownloadURL: Sendable, Hashable {
  /// The address as it was given.
  public let text: String
  /// Scheme, host and port in lower case, such as `https://example.org:443`: transfers are counted by it.
  public let origin: String
  /// What is asked of whom: ``origin``, path and query, without user information and fragment. Two addresses with the
  /// same target are one request.
  ///
  /// Bytes beyond ASCII are percent-encoded (RFC 3987, 3.1), so that targets are equal only if their bytes are.
  public var target: String {
    let path = text.utf8[pathStart...].prefix { $0 != UInt8(ascii: "#") }
    let slash = path.first == UInt8(ascii: "/") ? "" : "/"
    guard path.contains(where: { $0 >= 0x80 }) else { return origin + slash + Substring(path) }
    return origin + slash + Self.percentEncoded(path)
  }

  private static func percentEncoded(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var result: [UInt8] = []
    for byte in bytes {
      if byte < 0x80 {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The address as it is written most often: scheme and host in lower case, without the scheme's own port, with a path
  /// and without a fragment (RFC 3986, sections 6.2.2.1 and 6.2.3). Itself where there are characters that are not ASCII.
  public var normalized: String {
    let bytes = text.utf8
    guard bytes.allSatisfy({ $0 < 0x80 }) else { return text }
    let path = bytes[pathStart...].prefix { $0 != UInt8(ascii: "#") }
    let host = shortOrigin
    let hasPath = path.first == UInt8(ascii: "/")
    // Nearly all addresses are.
    if plainEnd == host.utf8.count, hasPath, path.endIndex == bytes.endIndex { return text }
    guard let separator = Self.separator(of: host) else { return text }
    let user = userInformation
    return host[..<separator.upperBound] + (user.isEmpty ? "" : user + "@") + host[separator.upperBound...]
      + (hasPath ? "" : "/") + String(Substring(path))
  }

  /// The host's name or address, in lower case.
  var host: String {
    let authority = origin.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
    let end = authority.lastIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
    return String(Substring(authority[..<end]))
  }

  /// ``origin`` without the scheme's own port.
  public var shortOrigin: String {
    for (scheme, port) in [("http:", ":80"), ("https:", ":443")]
    where origin.hasPrefix(scheme) && origin.hasSuffix(port) {
      return String(origin.dropLast(port.count))
    }
    return origin
  }

  /// Where the host and the port end.
  private var pathStart: String.Index {
    plainEnd.map { text.utf8.index(text.startIndex, offsetBy: $0) } ?? Self.authority(of: text).endIndex
  }

  /// The user and the password as the address has them, before its last `@`; empty without.
  public var userInformation: String {
    if plainEnd != nil { return "" }
    let authority = Self.authority(of: text)
    return authority.lastIndex(of: UInt8(ascii: "@")).map { String(Substring(authority[..<$0])) } ?? ""
  }

  /// The user information's password, which no message may show.
  let password: String?
  /// Where the host and the port of a ``PlainAddress`` end, in bytes of UTF-8; nil for others.
  private let plainEnd: Int?

  /// Checks an address without any network: http or https, a host, no white space and no control characters.
  ///
  /// - Throws: ``DownloadError/invalidURL(cause:)`` or ``DownloadError/refusedScheme(cause:)``.
  @discardableResult
  public static func validate(_ text: String) throws(DownloadError) -> DownloadURL {
    guard !text.isEmpty else { throw .invalidURL(cause: "it is empty") }
    guard text.utf8.count <= 65536 else { throw .invalidURL(cause: "it is longer than 64 KiB") }
    if let plain = PlainAddress(text) {
      try checkHost(of: plain.origin)
      return DownloadURL(text: text, origin: plain.origin, password: nil, plainEnd: plain.authorityEnd)
    }
    guard !text.unicodeScalars.contains(where: isForbidden) else {
      throw .invalidURL(cause: "it contains white space or control characters")
    }
    // "mailto:x" and "javascript:x" have a scheme, "localhost:80" and "/etc/passwd" don't.
    guard let separator = separator(of: text) else {
      throw .invalidURL(cause: "it doesn't begin with http:// or https://")
    }
    let scheme = text[..<separator.lowerBound].lowercased()
    guard scheme == "http" || scheme == "https" else {
      throw .refusedScheme(cause: "only http and https are fetched, not \(SafeText.escaping(scheme))")
    }
    // libcurl forgives http:///host, which hides the host from readers.
    guard let first = text.utf8[separator.upperBound...].first, first != UInt8(ascii: "/") else {
      throw .invalidURL(cause: "it has no host")
    }
    let url = try CurlURL()
    try url.resolve(text)
    guard let origin = url.origin else { throw .invalidURL(cause: "it has no host") }
    try checkHost(of: origin)
    return DownloadURL(text: text, origin: origin, password: url.part(CURLUPART_PASSWORD), plainEnd: nil)
  }

  /// Refuses a host with an empty part (RFC 1035, section 2.3.1), but for the one behind a dot at its end.
  private static func checkHost(of origin: String) throws(DownloadError) {
    var isInPart = false
    for byte in origin.utf8.drop(while: { $0 != UInt8(ascii: "/") }).dropFirst(2) {
      if byte == UInt8(ascii: "[") || byte == UInt8(ascii: ":") { return }
      let isDot = byte == UInt8(ascii: ".")
      guard isInPart || !isDot else { throw .invalidURL(cause: "its host is no name") }
      isInPart = !isDot
    }
  }

  /// `text` without the password of its user information, also when it's no valid address.
  ///
  /// For everything that is printed; control characters are left to the caller.
  public static func withoutPassword(_ text: String) -> String {
    let separator = separator(of: text)
    if separator == nil, namesAccount(text) { return text }
    let start = separator?.upperBound ?? text.startIndex
    let authority = text.utf8[start...].drop { $0 == UInt8(ascii: "/") }.prefix { !endsAuthority($0) }
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")),
      let colon = authority[..<at].firstIndex(of: UInt8(ascii: ":"))
    else { return text }
    return String(text[..<colon] + text[at...])
  }

  /// Whether an address is of a scheme without a server, where the name of somebody stands behind the first colon: no
  /// password (RFC 3986, 3; the schemes are those of IANA's registry that take `name@host`).
  private static func namesAccount(_ text: String) -> Bool {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
    return accountSchemes.contains(text[..<colon].lowercased())
  }

  private static let accountSchemes: Set<String> = [
    "acct", "cid", "im", "mailto", "mid", "pres", "sip", "sips", "xmpp",
  ]

  // Byte by byte, here and below: what divides an address is ASCII, and characters cost a hundred times as much.

  /// Where `://` stands first; nil where it does not.
  private static func separator(of text: String) -> Range<String.Index>? {
    let bytes = text.utf8
    for colon in bytes.indices where bytes[colon] == UInt8(ascii: ":") {
      var end = bytes.index(after: colon)
      guard end < bytes.endIndex, bytes[end] == UInt8(ascii: "/") else { continue }
      end = bytes.index(after: end)
      guard end < bytes.endIndex, bytes[end] == UInt8(ascii: "/") else { continue }
      return colon..<bytes.index(after: end)
    }
    return nil
  }

  /// User information, host and port.
  private static func authority(of text: String) -> Substring.UTF8View {
    let start = separator(of: text)?.upperBound ?? text.startIndex
    return text[start...].utf8.prefix { !endsAuthority($0) }
  }

  private static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    // Unicode's tables cost more than all the rest of the check, and addresses seldom need them.
    if scalar.isASCII { return scalar.value <= 0x20 || scalar.value == 0x7F }
    return scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
  }
}
