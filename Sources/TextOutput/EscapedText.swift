extension StringProtocol {
  /// Returns the text, replacing some ASCII bytes.
  ///
  /// It works on bytes, as the programs that read the result do. A `Character` with a quotation mark and a
  /// combining mark does not equal a quotation mark.
  ///
  /// - Parameter replacement: Returns the replacement for a byte; nil keeps the byte. Not called for bytes
  ///   above 0x7F.
  public func replacingASCII(_ replacement: (UInt8) -> String?) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(utf8.count + 16)
    for byte in utf8 {
      if byte < 0x80, let text = replacement(byte) { result += text.utf8 } else { result.append(byte) }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
