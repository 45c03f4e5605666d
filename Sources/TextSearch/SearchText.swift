/// Conversions of text for the index and from the index.
package enum SearchText {
  /// The maximum size of an indexed text, in bytes; the rest is not indexed.
  package static let largest = 1 << 20

  /// Inserts a separator between characters of scripts that are written without spaces between words. Each such
  /// character becomes a word, and several of them are found as a phrase. The scripts are Han, Hiragana, Katakana, and
  /// those of Thailand, Laos, Burma and Cambodia.
  package static func spaced(_ text: some StringProtocol) -> String {
    // All characters of these scripts have at least three bytes, and the first byte is 0xE0 or more.
    guard text.utf8.contains(where: { $0 >= 0xE0 }), text.unicodeScalars.contains(where: isSingleWord) else {
      return String(text)
    }
    var result = ""
    result.reserveCapacity(text.utf8.count * 2)
    var isAlone = false
    for scalar in text.unicodeScalars {
      let alone = isSingleWord(scalar)
      if (alone || isAlone) && !result.isEmpty { result.unicodeScalars.append(separator) }
      result.unicodeScalars.append(scalar)
      isAlone = alone
    }
    return result
  }

  /// Returns a text for the index: limited in size, without hit marks, and with separated words.
  package static func indexed(_ text: String) -> String {
    var text = text
    var bytes: [UInt8] = []
    bytes.reserveCapacity(min(text.utf8.count, largest))
    text.withUTF8 { unsafe append(indexed: $0.span, to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends a text in UTF-8 for the index; see ``indexed(_:)``.
  package static func append(indexed text: Span<UInt8>, to bytes: inout [UInt8]) {
    var end = min(text.count, largest)
    // A character that would be cut is left out.
    while end < text.count, end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
    let start = bytes.count
    var done = 0
    var isAlone = false
    func copy(_ range: Range<Int>) {
      unsafe text.extracting(range).withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }
    var index = 0
    while index < end {
      index = unsafe text.withUnsafeBytes { bytes in
        // Bytes between 0x09 and 0xDF need no change. Eight of them are passed over at once if all are ASCII.
        var place = index
        if !isAlone {
          while end - place >= 8 {
            let word = unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            if word & 0x8080_8080_8080_8080 != 0 { break }
            if (word &- 0x0909_0909_0909_0909) & ~word & 0x8080_8080_8080_8080 != 0 { break }
            place += 8
          }
        }
        return place
      }
      guard index < end else { break }
      let byte = text[index]
      if byte < 0x09 {
        copy(done..<index)
        if isAlone { bytes.append(contentsOf: separatorBytes) }
        bytes.append(UInt8(ascii: " "))
        index += 1
        done = index
        isAlone = false
        continue
      }
      let length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
      let next = min(index + length, end)
      let alone = length > 2 && isSingleWord(text, index, next)
      if alone || isAlone, index > done || bytes.count > start {
        copy(done..<index)
        bytes.append(contentsOf: separatorBytes)
        done = index
      }
      isAlone = alone
      index = next
    }
    copy(done..<end)
  }

  private static let separatorBytes: [UInt8] = [0xE2, 0x80, 0x8B]

  /// Returns whether the character of three or four bytes at an index is a word of its own.
  private static func isSingleWord(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    // The first bytes of these scripts.
    switch text[start] {
    case 0xE0, 0xE1, 0xE3...0xE9, 0xEF, 0xF0: break
    default: return false
    }
    var value = UInt32(text[start]) & (end - start == 3 ? 0x0F : 0x07)
    for place in (start + 1)..<end { value = value << 6 | UInt32(text[place] & 0x3F) }
    return Unicode.Scalar(value).map(isSingleWord) == true
  }

  /// Returns a text for display, with each run of white space replaced by one space.
  package static func collapsed(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// Removes the separators again.
  package static func joined(_ text: String) -> String {
    guard text.unicodeScalars.contains(separator) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != separator }))
  }

  /// ZERO WIDTH SPACE: invisible, and not part of a word for the index.
  private static let separator: Unicode.Scalar = "\u{200B}"

  private static func isSingleWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x3041...0x30FF, 0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0xFF66...0xFF9F,
      0x20000...0x3FFFF:
      true
    // Vowel signs and tone marks are excluded, because they belong to the preceding letters.
    case 0x0E01...0x0E30, 0x0E32...0x0E33, 0x0E40...0x0E46, 0x0E81...0x0EB0, 0x0EB2...0x0EB3, 0x0EC0...0x0EC6,
      0x1000...0x102A, 0x1780...0x17B3:
      true
    default: false
    }
  }
}
