/// HTTP's rules for single bytes in header fields.
enum HeaderBytes {
  /// Returns whether `byte` is allowed in a field name (RFC 9110, section 5.6.2).
  static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default:
      "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  /// Returns whether a value can be sent unchanged. It must have no control bytes, because a line end would
  /// begin another field.
  ///
  /// Bytes over 0x7F are allowed: old servers use Latin-1 or UTF-8 in entity tags and require the same bytes
  /// back.
  static func isClean(_ value: some Sequence<UInt8>) -> Bool {
    value.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  /// Returns whether a byte is a space, a tab or a line end. These may surround a value without belonging to
  /// it.
  static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
  }

  /// Returns an ASCII letter in lower case, and any other byte unchanged.
  static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
  }
}
