/// Checks how many bytes are UTF-8 that XML allows, in the one pass that every document needs.
enum UTF8Scanner {
  /// Returns the offset up to which the bytes from `start` on can be passed to the XML parser unchanged.
  ///
  /// These are not passed: bytes that are not UTF-8, characters that XML forbids, C1 controls (which are
  /// meant as windows-1252), and an incomplete sequence at the end.
  ///
  /// - Parameter hasForeign: Set to true if a character before that end is not ASCII.
  static func validEnd(
    of bytes: UnsafeBufferPointer<UInt8>, from start: Int, hasForeign: inout Bool
  ) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    // All character lengths, combined bit by bit: shows whether one had more than one byte.
    var lengths = 0
    defer { if lengths > 1 { hasForeign = true } }
    let count = bytes.count
    var index = start
    // Invalid bytes are rarely alone, and the caller asks again after each one.
    while index < min(count, start &+ 8) {
      let length = unsafe sequenceLength(base + index, available: count &- index)
      if length == 0 { return index }
      index &+= length
      lengths |= length
    }
    while index < count {
      while count &- index >= 64, unsafe isPlain(base + index) || isLines(base + index) { index &+= 64 }
      // Bytes near a special byte are often special too. The next 64 are therefore checked in small steps.
      let near = min(count, index &+ 64)
      while index < near {
        if index > start, count &- index >= 16 {
          let bytes = unsafe UnsafeRawPointer(base + index).loadUnaligned(as: SIMD16<UInt8>.self)
          let special = bytes | control(bytes)
          if isClear(special) {
            index &+= 16
            continue
          }
          if unsafe isPlainOrPairs(bytes, at: base + index) {
            // The second byte of a pair may be in the next block, and is checked there.
            let isCut = unsafe base[index + 15] >= 0xC0
            if !isCut || firstSet(bytes) < 15 { lengths |= 2 }
            index &+= isCut ? 15 : 16
            continue
          }
          index &+= firstSet(special)
        }
        // One character, and all adjacent ones beyond ASCII.
        repeat {
          let length = unsafe sequenceLength(base + index, available: count &- index)
          if length == 0 { return index }
          index &+= length
          lengths |= length
        } while unsafe index < count && base[index] >= 0x80
      }
    }
    return index
  }

  /// Returns whether a valid sequence begins at `index` and ends after the last byte.
  static func isCut(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
    let lead = unsafe bytes[index]
    let wanted = lead >= 0xF0 && lead <= 0xF4 ? 4 : lead >= 0xE0 ? 3 : 2
    let available = bytes.count - index
    guard lead >= 0xC2, lead <= 0xF4, available < wanted else { return false }
    for offset in 1..<max(1, available) where unsafe bytes[index + offset] & 0xC0 != 0x80 { return false }
    return unsafe available < 2 || lead == 0xED || isSecond(bytes[index + 1], after: lead)
  }

  /// Returns whether 64 bytes are ASCII without controls. Line ends and tabs are controls too;
  /// ``isLines(_:)`` allows them.
  @inline(__always)
  private static func isPlain(_ pointer: UnsafePointer<UInt8>) -> Bool {
    unsafe isClear(pointer) { bytes in (bytes &- SIMD16(repeating: 0x20)) & ~bytes }
  }

  /// Returns whether 64 bytes are ASCII without controls other than line ends and tabs.
  @inline(__always)
  private static func isLines(_ pointer: UnsafePointer<UInt8>) -> Bool { unsafe isClear(pointer, control) }

  /// Returns whether 64 bytes are ASCII, and `marks` sets no high bit.
  @inline(__always)
  private static func isClear(
    _ pointer: UnsafePointer<UInt8>, _ marks: (SIMD16<UInt8>) -> SIMD16<UInt8>
  ) -> Bool {
    var found = SIMD16<UInt8>()
    for block in 0..<4 {
      let bytes = unsafe UnsafeRawPointer(pointer + 16 * block).loadUnaligned(as: SIMD16<UInt8>.self)
      found |= bytes | marks(bytes)
    }
    return isClear(found)
  }

  /// Returns whether no byte has its high bit set.
  @inline(__always)
  private static func isClear(_ bytes: SIMD16<UInt8>) -> Bool {
    // The same bytes in two words, which are tested at once.
    let words = unsafe unsafeBitCast(bytes, to: SIMD2<UInt64>.self)
    return (words[0] | words[1]) & 0x8080_8080_8080_8080 == 0
  }

  /// Returns the index of the first byte with its high bit set; 16 if none has.
  @inline(__always)
  private static func firstSet(_ bytes: SIMD16<UInt8>) -> Int {
    // The same bytes in two words, in memory order.
    let words = unsafe unsafeBitCast(bytes, to: SIMD2<UInt64>.self)
    let high: UInt64 = 0x8080_8080_8080_8080
    let first = (words[0].littleEndian & high).trailingZeroBitCount
    return (first < 64 ? first : 64 + (words[1].littleEndian & high).trailingZeroBitCount) / 8
  }

  /// Sets the high bit in each byte that is a control other than white space.
  ///
  /// This and the next functions use only additions and bits: the compiler splits vector comparisons.
  @inline(__always)
  private static func control(_ bytes: SIMD16<UInt8>) -> SIMD16<UInt8> {
    let isControl = (bytes &- SIMD16(repeating: 0x20)) & ~bytes
    return isControl & ~(equal(bytes, 0x0A) | equal(bytes, 0x0D) | equal(bytes, 0x09))
  }

  /// Sets the high bit in each byte that is `value`: the subtraction borrows at such a byte.
  @inline(__always)
  private static func equal(_ bytes: SIMD16<UInt8>, _ value: UInt8) -> SIMD16<UInt8> {
    let difference = bytes ^ SIMD16(repeating: value)
    return (difference &- SIMD16(repeating: 1)) & ~difference
  }

  /// Returns whether sixteen bytes are only ASCII and two-byte characters from U+00C0 to U+07FF, which need
  /// no further check.
  ///
  /// These are Latin with accents, Greek, Cyrillic, Hebrew and Arabic. The byte before `pointer` is also
  /// read.
  @inline(__always)
  private static func isPlainOrPairs(_ bytes: SIMD16<UInt8>, at pointer: UnsafePointer<UInt8>) -> Bool {
    let before = unsafe UnsafeRawPointer(pointer - 1).loadUnaligned(as: SIMD16<UInt8>.self)
    let isContinuation = bytes & ~(bytes &+ bytes)
    let isForeign = bytes & ~isContinuation & ~isLead(bytes)
    let isAlone = isContinuation ^ isLead(before)
    return isClear(control(bytes) | isForeign | isAlone)
  }

  /// Sets the high bit in each byte from 0xC3 to 0xDF. These begin two-byte characters.
  @inline(__always)
  private static func isLead(_ bytes: SIMD16<UInt8>) -> SIMD16<UInt8> {
    let double = bytes &+ bytes
    return bytes & double & ~(double &+ double)
      & ((bytes & SIMD16(repeating: 0x1F)) &+ SIMD16(repeating: 0x7D))
  }

  /// Returns the length of the valid sequence at `pointer`, or 0.
  @inline(__always)
  static func sequenceLength(_ pointer: UnsafePointer<UInt8>, available: Int) -> Int {
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

  /// Returns whether `byte` may follow `lead`: no overlong form, no surrogate, nothing above U+10FFFF.
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

/// Decides whether bytes with another label are UTF-8.
///
/// Text in another encoding is hardly ever valid UTF-8: its first character beyond ASCII decides in most
/// cases. The result depends only on the bytes, not on their division into chunks.
struct UTF8Evidence {
  /// The possible results.
  enum Verdict {
    case utf8
    /// Some bytes are not UTF-8.
    case other
    /// The bytes are UTF-8, but too few to exclude other encodings.
    case open
  }

  /// The sufficient weight: eight two-byte characters, or four three-byte ones.
  private static let enough = 8
  /// The maximum number of bytes to examine, so that no item waits longer.
  private static let longest = 16 << 10

  /// The evidence for UTF-8: one for a two-byte character, two for three bytes, four for four.
  private(set) var weight = 0
  /// The number of bytes that were examined.
  private(set) var byteCount = 0

  /// Examines the bytes so far.
  ///
  /// - Parameter bytes: All bytes since the first that is not plain ASCII: the last call's bytes, and more.
  /// - Returns: Nil while more bytes are needed; never nil for the last bytes.
  mutating func verdict(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) -> Verdict? {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return isLast ? .open : nil }
    // The bytes begin with an escape, which UTF-8 does not contain.
    if unsafe base[0] < 0x80 { return .other }
    while byteCount < bytes.count {
      if unsafe base[byteCount] < 0x80 {
        byteCount += 1
      } else {
        let length = unsafe UTF8Scanner.sequenceLength(
          base + byteCount, available: bytes.count - byteCount)
        if length == 0 {
          guard unsafe UTF8Scanner.isCut(bytes, at: byteCount) else { return .other }
          return isLast ? .open : nil
        }
        byteCount += length
        weight += length < 4 ? length - 1 : 4
        if weight >= Self.enough { return .utf8 }
      }
      if byteCount >= Self.longest { return .open }
    }
    return isLast ? .open : nil
  }
}
