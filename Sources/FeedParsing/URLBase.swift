internal import XMLStream

/// An absolute address against which others are resolved (RFC 3986, section 5), byte by byte.
struct URLBase: Equatable {
  private let bytes: [UInt8]
  private let schemeEnd: Int
  private let authorityEnd: Int
  private let pathEnd: Int
  private let queryEnd: Int

  /// Nil when the bytes are no absolute address with a hierarchy.
  init?(_ text: some Collection<UInt8>) {
    let bytes = Array(text)
    guard let colon = URLBase.schemeEnd(bytes.span), bytes.count > colon + 1 else { return nil }
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
    self.bytes = bytes
  }

  /// Where the colon behind a scheme stands; nil when the text is relative.
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

  /// Appends the absolute form of `reference`.
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
    var end = 0
    while end < text.count, text[end] != UInt8(ascii: "?"), text[end] != UInt8(ascii: "#") { end += 1 }
    var path: [UInt8] = []
    if text[0] != UInt8(ascii: "/") {
      let last = bytes[authorityEnd..<pathEnd].lastIndex(of: UInt8(ascii: "/"))
      if let last { path.append(bytes.span.extracting(authorityEnd..<(last + 1))) } else { path.append(0x2F) }
    }
    path.append(text.extracting(..<end))
    result.append(bytes.span.extracting(..<authorityEnd))
    Self.removeDotSegments(&path)
    result.append(contentsOf: path)
    result.append(text.extracting(end...))
  }

  /// RFC 3986, section 5.2.4.
  private static func removeDotSegments(_ path: inout [UInt8]) {
    guard path.contains(UInt8(ascii: ".")) else { return }
    var result: [UInt8] = []
    var index = 0
    while index < path.count {
      // A segment begins with its slash.
      var end = index + 1
      while end < path.count, path[end] != UInt8(ascii: "/") { end += 1 }
      let segment = path[index..<end]
      let name = segment.dropFirst(path[index] == UInt8(ascii: "/") ? 1 : 0)
      let isLast = end == path.count
      if name.elementsEqual([0x2E]) {
        if isLast { result.append(0x2F) }
      } else if name.elementsEqual([0x2E, 0x2E]) {
        let cut = result.lastIndex(of: UInt8(ascii: "/")) ?? 0
        result.removeSubrange(cut...)
        if isLast { result.append(0x2F) }
      } else {
        result.append(contentsOf: segment)
      }
      index = end
    }
    path = result
  }
}
