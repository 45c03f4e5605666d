/// Repairs bytes that are not UTF-8, or not characters that XML allows.
extension CharacterDecoder {
  /// Writes valid bytes and replacements for others to `repaired`; returns how many bytes were used.
  func repair(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) -> Int {
    repaired.removeAll(keepingCapacity: true)
    var index = 0
    while index < bytes.count {
      let end = unsafe UTF8Scanner.validEnd(of: bytes, from: index, hasForeign: &hasForeign)
      unsafe repaired.append(contentsOf: bytes[index..<end])
      index = end
      guard index < bytes.count else { break }
      let isCut = unsafe UTF8Scanner.isCut(bytes, at: index) || SurrogatePair(bytes, at: index) == .cut
      if isCut, !isLast { break }
      index += unsafe repair(bytes, at: index)
    }
    return index
  }

  private func isC1(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
    unsafe bytes[index] == 0xC2 && index + 1 < bytes.count && bytes[index + 1] & 0xE0 == 0x80
  }

  /// Appends the replacement for the invalid bytes at `index`; returns how many bytes it replaces.
  private func repair(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
    let lead = unsafe bytes[index]
    if unsafe isC1(bytes, at: index) {
      append(unsafe WindowsCodePage.scalar(for: bytes[index + 1]))
      hasForeign = true
      return 2
    }
    hasRepaired = true
    if lead < 0x80 { return 1 }
    let isThree =
      unsafe lead >= 0xE0 && lead < 0xF0 && index + 2 < bytes.count
      && bytes[index + 1] & 0xC0 == 0x80 && bytes[index + 2] & 0xC0 == 0x80
    if case .character(let scalar) = unsafe SurrogatePair(bytes, at: index) {
      repaired.appendUTF8(scalar)
      hasForeign = true
      return SurrogatePair.length
    }
    if isThree, lead == 0xED || lead == 0xEF {
      repaired.appendUTF8(0xFFFD)
      return 3
    }
    append(WindowsCodePage.scalar(for: lead))
    hasFallenBack = true
    return 1
  }

  /// Appends a windows-1252 character; U+FFFD for undefined bytes.
  private func append(_ scalar: UInt32) { repaired.appendUTF8(scalar < 0xA0 ? 0xFFFD : scalar) }
}

/// A character written as a UTF-16 surrogate pair, each half in three bytes (CESU-8, Unicode Technical Report
/// 26).
enum SurrogatePair: Equatable {
  /// No pair begins at the index.
  case none
  /// A pair may begin at the index, and the bytes end inside it.
  case cut
  case character(UInt32)

  /// The length of a pair in bytes.
  static let length = 6

  init(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) {
    var scalar: UInt32 = 0
    for offset in 0..<Self.length {
      guard start + offset < bytes.count else {
        self = .cut
        return
      }
      let byte = unsafe bytes[start + offset]
      guard Self.isByte(byte, at: offset) else {
        self = .none
        return
      }
      switch offset {
      case 1, 4: scalar = scalar << 4 | UInt32(byte & 0x0F)
      case 2, 5: scalar = scalar << 6 | UInt32(byte & 0x3F)
      default: break
      }
    }
    self = .character(0x1_0000 + scalar)
  }

  private static func isByte(_ byte: UInt8, at offset: Int) -> Bool {
    switch offset {
    case 0, 3: byte == 0xED
    case 1: byte & 0xF0 == 0xA0
    case 4: byte & 0xF0 == 0xB0
    default: byte & 0xC0 == 0x80
    }
  }
}
