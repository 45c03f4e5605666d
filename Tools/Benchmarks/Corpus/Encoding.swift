enum Encoding: String {
  case utf8 = "utf-8"
  case latin1 = "iso-8859-1"
  case windows1251 = "windows-1251"

  /// Returns the text in this encoding. Other characters become numeric references.
  func encoded(_ bytes: [UInt8]) -> [UInt8] {
    guard self != .utf8 else { return bytes }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      if let byte = byte(for: scalar.value) {
        result.append(byte)
      } else {
        result += "&#\(scalar.value);".utf8
      }
    }
    return result
  }

  private func byte(for scalar: UInt32) -> UInt8? {
    if scalar < 0x80 { return UInt8(scalar) }
    switch (self, scalar) {
    case (.latin1, 0xA0...0xFF): return UInt8(scalar)
    case (.windows1251, 0x410...0x44F): return UInt8(scalar - 0x410 + 0xC0)
    case (.windows1251, 0x401): return 0xA8
    case (.windows1251, 0x451): return 0xB8
    default: return nil
    }
  }
}
