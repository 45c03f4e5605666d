/// Finds out how far bytes are UTF-8 that XML allows. The one pass that every document takes.
enum UTF8Scanner {
  /// How many bytes from `start` on can be handed to the XML parser as they are.
  ///
  /// It stops before what is no UTF-8, before characters that XML forbids, before C1 controls (which are
  /// windows-1252 in disguise) and before a sequence that the end of the bytes cuts.
  static func validEnd(of bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    let count = bytes.count
    var index = start
    while index < count {
      while count - index >= 16, unsafe isPlain(base + index) { index += 16 }
      let blockEnd = min(index + 16, count)
      while index < blockEnd {
        let length = unsafe sequenceLength(base + index, available: count - index)
        if length == 0 { return index }
        index += length
      }
    }
    return index
  }

  /// Whether the bytes from `index` on are a good beginning of a sequence that the end cuts.
  static func isCut(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
    let lead = unsafe bytes[index]
    let wanted = lead >= 0xF0 && lead <= 0xF4 ? 4 : lead >= 0xE0 ? 3 : 2
    let available = bytes.count - index
    guard lead >= 0xC2, lead <= 0xF4, available < wanted else { return false }
    for offset in 1..<max(1, available) where unsafe bytes[index + offset] & 0xC0 != 0x80 { return false }
    return unsafe available < 2 || lead == 0xED || isSecond(bytes[index + 1], after: lead)
  }

  /// Sixteen bytes of ASCII without controls, line ends included: those are looked at one by one.
  @inline(__always)
  private static func isPlain(_ pointer: UnsafePointer<UInt8>) -> Bool {
    let words = unsafe UnsafeRawPointer(pointer).loadUnaligned(as: (UInt64, UInt64).self)
    // The high bit of a byte is set when the byte is above 0x7F, or below 0x20 (where the subtraction borrows).
    let high: UInt64 = 0x8080_8080_8080_8080
    let space: UInt64 = 0x2020_2020_2020_2020
    let first = words.0 | ((words.0 &- space) & ~words.0)
    let second = words.1 | ((words.1 &- space) & ~words.1)
    return (first | second) & high == 0
  }

  /// The length of the good sequence at `pointer`, or 0.
  @inline(__always)
  private static func sequenceLength(_ pointer: UnsafePointer<UInt8>, available: Int) -> Int {
    let lead = unsafe pointer[0]
    if lead < 0x80 { return lead >= 0x20 || lead == 0x0A || lead == 0x0D || lead == 0x09 ? 1 : 0 }
    guard available >= 2, unsafe isSecond(pointer[1], after: lead) else { return 0 }
    if lead < 0xE0 { return unsafe lead == 0xC2 && pointer[1] < 0xA0 ? 0 : 2 }
    guard available >= 3, unsafe pointer[2] & 0xC0 == 0x80 else { return 0 }
    if lead < 0xF0 {
      let isNoCharacter = unsafe lead == 0xEF && pointer[1] == 0xBF && pointer[2] >= 0xBE
      return isNoCharacter ? 0 : 3
    }
    return unsafe available >= 4 && pointer[3] & 0xC0 == 0x80 ? 4 : 0
  }

  /// Whether `byte` may follow `lead`: no overlong form, no surrogate, nothing above U+10FFFF.
  @inline(__always)
  private static func isSecond(_ byte: UInt8, after lead: UInt8) -> Bool {
    guard byte & 0xC0 == 0x80 else { return false }
    switch lead {
    case 0xC2...0xDF, 0xE1...0xEC, 0xEE, 0xEF, 0xF1...0xF3: return true
    case 0xE0: return byte >= 0xA0
    case 0xED: return byte < 0xA0
    case 0xF0: return byte >= 0x90
    case 0xF4: return byte < 0x90
    default: return false
    }
  }
}
