extension StringProtocol {
  /// Returns the text with some bytes of ASCII replaced.
  ///
  /// Byte by byte, because programs that read the result do: as a `Character`, a quotation mark that a combining mark
  /// follows is no quotation mark.
  ///
  /// - Parameter replacement: What stands for a byte; nil for the byte itself. Not called for bytes above 0x7F.
  package func replacingASCII(_ replacement: (UInt8) -> String?) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(utf8.count + 16)
    for byte in utf8 {
      if byte < 0x80, let text = replacement(byte) { result += text.utf8 } else { result.append(byte) }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
