extension Sequence<UInt8> {
  /// The bytes after decoding each percent sign with two hexadecimal digits (RFC 3986, section 2.1).
  public var percentDecoded: [UInt8] {
    var result: [UInt8] = []
    var rest = Array(self)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      guard byte == UInt8(ascii: "%"), digits.count == 2,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      else {
        result.append(byte)
        continue
      }
      result.append(value)
      rest = rest.dropFirst(2)
    }
    return result
  }
}
