/// What HTTP says about single bytes of header fields.
enum HeaderBytes {
  /// Whether `byte` may stand in a field name (RFC 9110, section 5.6.2).
  static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default:
      "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  /// Whether a value can be sent as it is: no control byte (a line end would begin a field of its own).
  ///
  /// Bytes over 0x7F pass: old servers put Latin-1 or UTF-8 into entity tags and want them back.
  static func isClean(_ value: some Sequence<UInt8>) -> Bool {
    value.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  /// Space, tab and line ends, which surround a value and don't belong to it.
  static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
  }

  /// An ASCII letter in lower case, any other byte as it is.
  static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
  }
}
