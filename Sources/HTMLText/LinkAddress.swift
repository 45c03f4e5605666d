internal import Markup

/// The address of a link as browsers read it (URL Standard, section 4.4).
enum LinkAddress {
  /// Returns an address without tabs, line ends and the spaces around it, and with its other spaces percent-encoded; nil if it has
  /// none of them.
  static func withoutSpace(_ address: Span<UInt8>) -> [UInt8]? {
    var isSpaced = false
    for index in address.indices where address[index].isHTMLSpace { isSpaced = true }
    guard isSpaced else { return nil }
    var (start, end) = (0, address.count)
    while start < end, address[start].isHTMLSpace { start += 1 }
    while end > start, address[end - 1].isHTMLSpace { end -= 1 }
    var result: [UInt8] = []
    for index in start..<end {
      switch address[index] {
      case UInt8(ascii: " "): result += "%20".utf8
      case let byte where byte.isHTMLSpace: break
      case let byte: result.append(byte)
      }
    }
    return result
  }
}
