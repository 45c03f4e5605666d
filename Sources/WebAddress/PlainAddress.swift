/// An address in the most frequent form, which needs no libcurl.
///
/// It consists of `http` or `https` in lower case, a host, an optional port, and ASCII after that. The host
/// contains lower-case letters, digits, dots and hyphens, or is an IPv4 address. libcurl would parse it the
/// same way at ten times the cost. It parses every address that is not plain.
struct PlainAddress {
  /// The offset where the host and the port end, in UTF-8 bytes.
  let authorityEnd: Int
  /// True if it states a port.
  let hasPort: Bool

  /// Parses a plain address; nil for any other address, valid or not.
  init?(_ text: String) {
    let bytes = text.utf8.span
    guard let start = Self.start(bytes), let end = Self.hostEnd(bytes, from: start) else { return nil }
    var authority = end
    if end < bytes.count, bytes[end] == UInt8(ascii: ":") {
      guard let portEnd = Self.portEnd(bytes, from: end + 1) else { return nil }
      authority = portEnd
    }
    guard Self.isPlainRest(bytes, from: authority) else { return nil }
    authorityEnd = authority
    hasPort = authority > end
  }

  /// Returns the offset behind the scheme and `://`; nil for another scheme.
  private static func start(_ bytes: Span<UInt8>) -> Int? {
    var start = 0
    for byte in "http".utf8 {
      guard start < bytes.count, bytes[start] == byte else { return nil }
      start += 1
    }
    if start < bytes.count, bytes[start] == UInt8(ascii: "s") { start += 1 }
    for byte in "://".utf8 {
      guard start < bytes.count, bytes[start] == byte else { return nil }
      start += 1
    }
    return start
  }

  private static func hostEnd(_ bytes: Span<UInt8>, from start: Int) -> Int? {
    var end = start
    while end < bytes.count, isLetter(bytes[end]) || isDigit(bytes[end]) || isJoint(bytes[end]) {
      // An empty label.
      if bytes[end] == UInt8(ascii: "."), bytes[end - 1] == UInt8(ascii: ".") { return nil }
      end += 1
    }
    guard end > start, !isJoint(bytes[start]), !isJoint(bytes[end - 1]) else { return nil }
    // A host that begins with a digit may be an IPv4 address in another form; libcurl writes only one form.
    return isLetter(bytes[start]) || isFourNumbers(bytes, start, end) ? end : nil
  }

  /// Returns whether the host is an IPv4 address such as `127.0.0.1`, without leading zeros.
  private static func isFourNumbers(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    var numbers = 1
    var value = 0
    var digits = 0
    for index in start..<end {
      if bytes[index] == UInt8(ascii: ".") {
        guard digits > 0 else { return false }
        (numbers, value, digits) = (numbers + 1, 0, 0)
        continue
      }
      guard isDigit(bytes[index]), digits == 0 || value > 0 else { return false }
      value = value * 10 + Int(bytes[index] - UInt8(ascii: "0"))
      digits += 1
      guard value <= 255 else { return false }
    }
    return numbers == 4 && digits > 0
  }

  private static func portEnd(_ bytes: Span<UInt8>, from start: Int) -> Int? {
    var end = start
    var port = 0
    while end < bytes.count, isDigit(bytes[end]), end < start + 5 {
      port = port * 10 + Int(bytes[end] - UInt8(ascii: "0"))
      end += 1
    }
    return end > start && bytes[start] != UInt8(ascii: "0") && port <= 65535 ? end : nil
  }

  /// Returns whether a path, a query, a fragment or nothing follows, without white space and control
  /// characters.
  private static func isPlainRest(_ bytes: Span<UInt8>, from start: Int) -> Bool {
    guard start < bytes.count else { return true }
    guard WebAddress.endsAuthority(bytes[start]) else { return false }
    for index in start..<bytes.count where bytes[index] <= 0x20 || bytes[index] >= 0x7F { return false }
    return true
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  private static func isJoint(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
  }
}
