/// A recogniser of JSON (RFC 8259) as this program writes it: one line, without characters that control a terminal.
struct JSONCheck {
  private let bytes: [UInt8]
  private var index = 0

  static func isOneSafeLine(_ bytes: [UInt8]) -> Bool {
    guard let text = String(validating: bytes, as: UTF8.self) else { return false }
    let isSafe = text.unicodeScalars.allSatisfy { scalar in
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: false
      default: true
      }
    }
    var check = JSONCheck(bytes: bytes)
    return isSafe && check.value() && check.index == bytes.count
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func value() -> Bool {
    guard index < bytes.count else { return false }
    switch bytes[index] {
    case UInt8(ascii: "{"): return list(until: "}") { $0.string() && $0.take(":") && $0.value() }
    case UInt8(ascii: "["): return list(until: "]") { $0.value() }
    case 0x22: return string()
    case UInt8(ascii: "t"): return word("true")
    case UInt8(ascii: "f"): return word("false")
    case UInt8(ascii: "n"): return word("null")
    default: return number()
    }
  }

  private mutating func list(until end: Unicode.Scalar, _ element: (inout JSONCheck) -> Bool) -> Bool {
    index += 1
    if take(end) { return true }
    repeat {
      if !element(&self) { return false }
    } while take(",")
    return take(end)
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func word(_ text: StaticString) -> Bool {
    let word = Array(text.description.utf8)
    guard bytes[index...].starts(with: word) else { return false }
    index += word.count
    return true
  }

  private mutating func number() -> Bool {
    _ = take("-")
    guard digits() else { return false }
    return take(".") ? digits() : true
  }

  private mutating func digits() -> Bool {
    let start = index
    while index < bytes.count, (0x30...0x39).contains(bytes[index]) { index += 1 }
    return index > start
  }

  private mutating func string() -> Bool {
    guard take("\"") else { return false }
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == 0x22 { return true }
      guard byte == UInt8(ascii: "\\") else { continue }
      guard index < bytes.count else { return false }
      let escape = bytes[index]
      index += 1
      if escape == UInt8(ascii: "u") {
        guard bytes[index...].prefix(4).count == 4, bytes[index...].prefix(4).allSatisfy(Self.isHexadecimal)
        else {
          return false
        }
        index += 4
      } else if !#""\/bfnrt"#.utf8.contains(escape) {
        return false
      }
    }
    return false
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
  }
}
