internal import Markup

/// An absolute address against which relative ones are resolved (RFC 3986, section 5), byte by byte.
///
/// Only http and https are allowed: a document must not turn its relative links into links to the reader's
/// own files.
struct URLBase: Equatable {
  private let bytes: [UInt8]
  private let schemeEnd: Int
  private let authorityEnd: Int
  private let pathEnd: Int
  private let queryEnd: Int
  /// The path up to its last slash, without dot segments.
  private let directory: [UInt8]

  /// The maximum length, in bytes. Each relative address would become as long.
  static let longest = 4096

  /// Creates a base from an address that may be relative to the base around it.
  init?(_ address: Span<UInt8>, within outer: URLBase?) {
    let address = address.extracting(address.trimmed)
    guard address.count <= Self.longest else { return nil }
    var absolute: [UInt8] = []
    if let outer { outer.append(resolving: address, to: &absolute) } else { absolute.append(address) }
    self.init(absolute)
  }

  /// Returns nil if the bytes are not an absolute http or https address, or if they are too long.
  init?(_ text: some Collection<UInt8>) {
    guard text.count <= Self.longest else { return nil }
    let bytes = Array(text)
    guard let colon = URLBase.schemeEnd(bytes.span), bytes.count > colon + 1 else { return nil }
    let scheme = bytes.span.extracting(..<colon)
    guard scheme.equalsIgnoringCase("https") || scheme.equalsIgnoringCase("http") else { return nil }
    var index = colon + 1
    guard bytes[index] == UInt8(ascii: "/") else { return nil }
    if bytes.span.hasPrefix("//", at: index) {
      index += 2
      while index < bytes.count, !URLBase.endsAuthority(bytes[index]) { index += 1 }
    }
    authorityEnd = index
    while index < bytes.count, bytes[index] != UInt8(ascii: "?"), bytes[index] != UInt8(ascii: "#") {
      index += 1
    }
    pathEnd = index
    while index < bytes.count, bytes[index] != UInt8(ascii: "#") { index += 1 }
    queryEnd = index
    schemeEnd = colon + 1
    var directory: [UInt8] = []
    if let slash = bytes[authorityEnd..<pathEnd].lastIndex(of: UInt8(ascii: "/")) {
      Self.append(bytes.span.extracting(authorityEnd...slash), withoutDotsTo: &directory, from: 0)
    }
    self.directory = directory.isEmpty ? [UInt8(ascii: "/")] : directory
    self.bytes = bytes
  }

  /// Returns the index of the colon after the scheme; nil if the text is relative.
  static func schemeEnd(_ text: Span<UInt8>) -> Int? {
    guard text.count > 1, text[0].isASCIILetter else { return nil }
    var index = 1
    while index < text.count {
      let byte = text[index]
      if byte == UInt8(ascii: ":") { return index }
      guard
        byte.isASCIIAlphanumeric || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
          || byte == UInt8(ascii: ".")
      else { return nil }
      index += 1
    }
    return nil
  }

  private static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  /// Appends a reference's absolute form.
  func append(resolving reference: Span<UInt8>, to result: inout [UInt8]) {
    let text = reference
    guard text.count > 0 else {
      result.append(bytes.span.extracting(..<queryEnd))
      return
    }
    if URLBase.schemeEnd(text) != nil { return result.append(text) }
    if text.hasPrefix("//") {
      result.append(bytes.span.extracting(..<schemeEnd))
      return result.append(text)
    }
    switch text[0] {
    case UInt8(ascii: "#"): result.append(bytes.span.extracting(..<queryEnd))
    case UInt8(ascii: "?"): result.append(bytes.span.extracting(..<pathEnd))
    default: return appendPath(text, to: &result)
    }
    result.append(text)
  }

  private func appendPath(_ text: Span<UInt8>, to result: inout [UInt8]) {
    let end = text.endOfPath
    result.append(bytes.span.extracting(..<authorityEnd))
    let start = result.count
    if text[0] != UInt8(ascii: "/") { result.append(contentsOf: directory) }
    Self.append(text.extracting(..<end), withoutDotsTo: &result, from: start)
    result.append(text.extracting(end...))
  }

  /// Appends a path without dot segments (RFC 3986, section 5.2.4). It continues the path in `result` from
  /// `start` on, which ends with a slash unless `path` begins with one.
  private static func append(_ path: Span<UInt8>, withoutDotsTo result: inout [UInt8], from start: Int) {
    var index = 0
    while index < path.count {
      // A segment begins with its slash.
      if path[index] == UInt8(ascii: "/") { index += 1 } else { result.removeLast() }
      let end = path.firstIndex(of: UInt8(ascii: "/"), from: index) ?? path.count
      let name = path.extracting(index..<end)
      let isUp = name.count == 2 && name.hasPrefix("..")
      if isUp { result.removeSubrange((result[start...].lastIndex(of: UInt8(ascii: "/")) ?? start)...) }
      let isDot = isUp || (name.count == 1 && name[0] == UInt8(ascii: "."))
      if !isDot || end == path.count { result.append(UInt8(ascii: "/")) }
      if !isDot { result.append(name) }
      index = end
    }
  }
}
