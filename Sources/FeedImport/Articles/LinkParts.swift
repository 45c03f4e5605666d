/// The parts of an http or https address in bytes: the separators are ASCII.
struct LinkParts {
  /// The authority's range: the host with its user and port.
  let host: Range<Int>
  /// The host's end, without the scheme's default port.
  let hostEnd: Int

  /// Nil for another scheme, and for an address that ends with the scheme.
  init?(_ link: Span<UInt8>) {
    guard let start = Self.schemeEnd(link) else { return nil }
    var end = start
    while end < link.count, !Self.endsHost(link[end]) { end += 1 }
    host = start..<end
    hostEnd = end - Self.defaultPortLength(link, start, end)
  }

  private static func defaultPortLength(_ link: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    let isEncrypted = link[4].lowercasedASCII == UInt8(ascii: "s")
    let port = isEncrypted ? ":443".utf8 : ":80".utf8
    let first = end - port.count
    guard first > start, link[first] == UInt8(ascii: ":") else { return 0 }
    return port.enumerated().allSatisfy { link[first + $0.offset] == $0.element } ? port.count : 0
  }

  private static func schemeEnd(_ link: Span<UInt8>) -> Int? {
    guard link.count > 7, link[0].lowercasedASCII == UInt8(ascii: "h"),
      link[1].lowercasedASCII == UInt8(ascii: "t"), link[2].lowercasedASCII == UInt8(ascii: "t"),
      link[3].lowercasedASCII == UInt8(ascii: "p")
    else { return nil }
    let colon = link[4].lowercasedASCII == UInt8(ascii: "s") ? 5 : 4
    guard link.count > colon + 3, link[colon] == UInt8(ascii: ":"), link[colon + 1] == UInt8(ascii: "/"),
      link[colon + 2] == UInt8(ascii: "/")
    else { return nil }
    return colon + 3
  }

  private static func endsHost(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }
}

extension UInt8 {
  /// The letter in lower case, if it is an ASCII letter; otherwise the same byte.
  var lowercasedASCII: UInt8 { isCapitalASCII ? self | 0x20 : self }

  /// True for the letters A to Z.
  var isCapitalASCII: Bool { self &- UInt8(ascii: "A") < 26 }
}
