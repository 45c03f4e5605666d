internal import Markup

/// A link's address as browsers read it (URL Standard, section 4.4).
enum LinkAddress {
  /// Returns a corrected address; nil if it needs no correction.
  ///
  /// - Tabs, line ends and surrounding spaces are removed.
  /// - Other spaces are percent-encoded.
  /// - Backslashes in a web path become slashes, other backslashes are percent-encoded.
  static func corrected(_ address: Span<UInt8>) -> [UInt8]? {
    var needsCorrection = false
    for index in address.indices where address[index].isHTMLSpace || address[index] == UInt8(ascii: "\\") {
      needsCorrection = true
    }
    guard needsCorrection else { return nil }
    var (start, end) = (0, address.count)
    while start < end, address[start].isHTMLSpace { start += 1 }
    while end > start, address[end - 1].isHTMLSpace { end -= 1 }
    var result: [UInt8] = []
    let isOnWeb =
      address.hasPrefixIgnoringCase("http:", at: start) || address.hasPrefixIgnoringCase("https:", at: start)
    let endOfPath = isOnWeb ? address.endOfPath : 0
    for index in start..<end {
      switch address[index] {
      case UInt8(ascii: " "): result += "%20".utf8
      case UInt8(ascii: "\\"): result += index < endOfPath ? "/".utf8 : isOnWeb ? "%5C".utf8 : "\\".utf8
      case let byte where byte.isHTMLSpace: break
      case let byte: result.append(byte)
      }
    }
    return result
  }
}
