import TextOutput

/// A web address that is parsed once: http or https, a host, an optional user, a path.
///
/// Addresses come from users, configuration files and stores, and may be invalid. An invalid address keeps
/// its text and has a ``problem``; it has no origin, and equals only the same text. Printed text never
/// contains the password.
public struct WebAddress: Sendable {
  /// The address as it was given, with its password.
  public let text: String
  let parts: Parts

  /// The reason why a text is not an address that can be fetched.
  public enum Problem: Error, Sendable, Hashable {
    /// The text is not an address; the cause in words.
    case invalid(String)
    /// Its scheme is neither http nor https; the cause in words.
    case refusedScheme(String)
  }

  enum Parts: Sendable {
    /// A ``PlainAddress``, with the UTF-8 offset at which its host and port end.
    case plain(authorityEnd: Int, hasPort: Bool)
    // The rare cases are indirect, so that an address takes 32 bytes in place of 56.
    indirect case parsed(origin: String, password: String?)
    indirect case problem(Problem)
  }

  /// Parses an address, without using the network.
  public init(_ text: String) {
    self.text = text
    do throws(Problem) {
      parts = try Self.parts(of: text)
    } catch {
      parts = .problem(error)
    }
  }

  /// Parses an address that must be valid.
  public init(checking text: String) throws(Problem) {
    self.text = text
    parts = try Self.parts(of: text)
  }

  /// The reason why the address cannot be fetched; nil if it can.
  public var problem: Problem? {
    if case .problem(let problem) = parts { problem } else { nil }
  }

  // MARK: Parts

  /// Scheme, host and port in lower case, such as `https://example.org:443`; nil for an invalid address.
  ///
  /// Connections, credentials and limits belong to an origin.
  public var origin: String? {
    switch parts {
    case .plain(let end, let hasPort):
      let authority = String(Substring(text.utf8.prefix(end)))
      return hasPort ? authority : authority + (isEncrypted ? ":443" : ":80")
    case .parsed(let origin, _): return origin
    case .problem: return nil
    }
  }

  /// The origin for people, without the scheme's default port; the text without its password if the address
  /// is invalid.
  public var site: String {
    guard let origin else { return withoutPassword }
    return Self.shortened(origin)
  }

  /// The host's name or address, in lower case; nil for an invalid address.
  public var host: String? {
    guard let authority = origin?.utf8.drop(while: { $0 != UInt8(ascii: "/") }).dropFirst(2) else {
      return nil
    }
    let end = authority.lastIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
    return String(Substring(authority[..<end]))
  }

  /// ``origin``, path and query, without user information and fragment; nil for an invalid address.
  ///
  /// Two addresses with the same target are one request. Bytes beyond ASCII are percent-encoded (RFC 3987,
  /// 3.1), so that targets are equal only if their bytes are.
  public var target: String? {
    guard let origin else { return nil }
    let path = path
    let slash = path.first == UInt8(ascii: "/") ? "" : "/"
    if case .plain = parts { return origin + slash + Substring(path) }
    return origin + slash + ASCIIAddress.percentEncoded(path)
  }

  /// The user and password before the authority's last `@`; empty without a user, and for an invalid address.
  public var userInformation: String {
    guard case .parsed = parts else { return "" }
    let authority = Self.authority(of: text)
    return authority.lastIndex(of: UInt8(ascii: "@")).map { String(Substring(authority[..<$0])) } ?? ""
  }

  /// Returns whether the address contains a user, with or without a password.
  public var hasUser: Bool { !userInformation.isEmpty }

  /// The password, or nil. No message may contain it.
  package var password: String? {
    if case .parsed(_, let password) = parts { password } else { nil }
  }

  /// Returns whether the scheme is https, in any case.
  public var isEncrypted: Bool { Self.begins(text, with: "https:") }

  /// Returns whether the scheme is http, in any case.
  public var isUnencrypted: Bool { Self.begins(text, with: "http:") }

  /// Returns whether the address names a feed that is imported from files. Such an address is never fetched.
  public var isFile: Bool { Self.begins(text, with: "file:") }

  private var path: Substring.UTF8View {
    text.utf8[pathStart...].prefix { $0 != UInt8(ascii: "#") }
  }

  private var pathStart: String.Index {
    if case .plain(let end, _) = parts { return text.utf8.index(text.startIndex, offsetBy: end) }
    return Self.authority(of: text).endIndex
  }

  // MARK: Comparing

  /// A text that is equal for two addresses exactly if they make the same request for the same user.
  ///
  /// It ignores the case of scheme and host, the scheme's default port, the fragment and the password. An
  /// invalid address is its own identity.
  public var identity: String {
    guard let target else { return text }
    return "\(target)\n\(userInformation.prefix { $0 != ":" })"
  }

  /// Returns whether two valid addresses have the same scheme, host and port: headers and credentials for one
  /// address may be sent to the other.
  public func hasSameOrigin(as other: WebAddress) -> Bool {
    origin != nil && origin == other.origin
  }

  // MARK: Other forms

  /// The usual spelling (RFC 3986, sections 6.2.2.1 and 6.2.3), with the host in ASCII.
  ///
  /// Scheme and host are in lower case. The default port and the fragment are removed, and a path is added if
  /// it is missing. An invalid address stays unchanged, as does an address with other characters beyond
  /// ASCII.
  public var normalized: WebAddress {
    if case .parsed = parts, let hosted = try? ASCIIAddress.withASCIIHost(text),
      hosted.utf8.count != text.utf8.count
    {
      return WebAddress(hosted).normalized
    }
    let bytes = text.utf8
    guard let origin, bytes.allSatisfy({ $0 < 0x80 }) else { return self }
    let path = path
    let host = Self.shortened(origin)
    let hasPath = path.first == UInt8(ascii: "/")
    // Nearly all addresses have the usual spelling.
    if case .plain(let end, _) = parts, end == host.utf8.count, hasPath, path.endIndex == bytes.endIndex {
      return self
    }
    guard let separator = Self.separator(of: host) else { return self }
    let user = userInformation
    return WebAddress(
      host[..<separator.upperBound] + (user.isEmpty ? "" : user + "@") + host[separator.upperBound...]
        + (hasPath ? "" : "/") + String(Substring(path)))
  }

  /// Returns the address with the user and password from `home`, if the origins are equal and this address
  /// has no user.
  ///
  /// Some servers redirect to themselves without the user and password, but require both.
  public func withUser(of home: WebAddress) -> WebAddress {
    guard home.hasUser, !hasUser, hasSameOrigin(as: home), let separator = Self.separator(of: text) else {
      return self
    }
    return WebAddress(
      text[..<separator.upperBound] + home.userInformation + "@" + text[separator.upperBound...])
  }

  /// The address with https instead of http, or the other way round; nil for an invalid address.
  public var withOtherScheme: WebAddress? {
    guard problem == nil, let end = Self.separator(of: text)?.lowerBound else { return nil }
    return WebAddress((isEncrypted ? "http" : "https") + text[end...])
  }

  /// Returns the address to which a reference leads (RFC 3986, section 5), such as a redirect's Location.
  ///
  /// - Throws: ``Problem`` if the reference cannot be read. An address with another scheme is returned with
  ///   its ``problem``.
  public func resolving(_ reference: String) throws(Problem) -> WebAddress {
    let url = try CurlURL(asciiText)
    try url.resolve(Self.asciiReference(reference, scheme: isEncrypted ? "https:" : "http:"))
    return WebAddress(url.text ?? reference)
  }

  /// Returns a reference in ASCII. If it begins with a host, it gets a scheme.
  private static func asciiReference(_ reference: String, scheme: String) -> String {
    asciiText(reference.hasPrefix("//") ? scheme + reference : reference)
  }
}

extension WebAddress: CustomStringConvertible {
  /// The address for people, without its password and with control characters escaped.
  public var description: String { withEscapes(withoutPassword) }
}

extension WebAddress: Hashable {
  public static func == (left: WebAddress, right: WebAddress) -> Bool {
    let (one, other) = (left.text.utf8, right.text.utf8)
    guard one.count == other.count else { return false }
    let (bytes, others) = (one.span, other.span)
    for place in bytes.indices where bytes[place] != others[place] { return false }
    return true
  }

  public func hash(into hasher: inout Hasher) {
    let bytes = text.utf8.span
    unsafe bytes.bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
  }
}

extension WebAddress.Problem: CustomStringConvertible {
  /// The cause in words.
  public var description: String {
    switch self {
    case .invalid(let cause): "not a valid address: \(cause)"
    case .refusedScheme(let cause): "address refused: \(cause)"
    }
  }
}

// MARK: - Parsing

extension WebAddress {
  private static func parts(of text: String) throws(Problem) -> Parts {
    guard !text.isEmpty else { throw .invalid("it is empty") }
    guard text.utf8.count <= 65536 else { throw .invalid("it is longer than 64 KiB") }
    if let plain = PlainAddress(text) {
      return .plain(authorityEnd: plain.authorityEnd, hasPort: plain.hasPort)
    }
    guard !text.unicodeScalars.contains(where: isForbidden) else {
      throw .invalid("it contains white space or control characters")
    }
    // "mailto:x" and "javascript:x" have a scheme, "localhost:80" and "/etc/passwd" do not.
    guard let separator = separator(of: text) else {
      throw .invalid("it doesn't begin with http:// or https://")
    }
    let scheme = text[..<separator.lowerBound].lowercased()
    guard scheme == "http" || scheme == "https" else {
      throw .refusedScheme("only http and https are fetched, not \(printable(scheme))")
    }
    // libcurl accepts http:///host, which hides the host from readers.
    guard let first = text.utf8[separator.upperBound...].first, first != UInt8(ascii: "/") else {
      throw .invalid("it has no host")
    }
    // libcurl would blame the port or the host.
    let (authority, at) = (authority(of: text), UInt8(ascii: "@"))
    if !authority.contains(at), mayHaveCutPassword(authority), text.utf8.contains(at) {
      throw .invalid("write / ? # and @ in a password as %2F %3F %23 and %40")
    }
    let hosted = try ASCIIAddress.withASCIIHost(text)
    let url = try CurlURL(
      hosted.utf8.allSatisfy { $0 < 0x80 } ? hosted : ASCIIAddress.percentEncoded(hosted.utf8))
    guard let origin = url.origin else { throw .invalid("it has no host") }
    try checkHost(of: Substring(origin))
    return .parsed(origin: origin, password: url.password)
  }

  /// Refuses a host with an empty label (RFC 1035, section 2.3.1); a dot at its end is allowed.
  private static func checkHost(of origin: Substring) throws(Problem) {
    var isInLabel = false
    for byte in origin.utf8.drop(while: { $0 != UInt8(ascii: "/") }).dropFirst(2) {
      if byte == UInt8(ascii: "[") || byte == UInt8(ascii: ":") { return }
      let isDot = byte == UInt8(ascii: ".")
      guard isInLabel || !isDot else { throw .invalid("its host is not a valid name") }
      isInLabel = !isDot
    }
  }

  private static func shortened(_ origin: String) -> String {
    for (scheme, port) in [("http:", ":80"), ("https:", ":443")]
    where origin.hasPrefix(scheme) && origin.hasSuffix(port) {
      return String(origin.dropLast(port.count))
    }
    return origin
  }

  // Byte by byte, here and below: an address's delimiters are ASCII, and characters cost a hundred times as
  // much.

  /// Returns whether a text begins with a scheme and its colon, in any case.
  static func begins(_ text: some StringProtocol, with scheme: String) -> Bool {
    var bytes = text.utf8.makeIterator()
    return scheme.utf8.allSatisfy { byte in bytes.next().map { $0 | 0x20 } == byte }
  }

  /// Returns the first `://`, or nil.
  static func separator(of text: String) -> Range<String.Index>? {
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

  static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    // Unicode's tables cost more than the rest of the check, and addresses seldom need them.
    if scalar.isASCII { return scalar.value <= 0x20 || scalar.value == 0x7F }
    return scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
  }
}
