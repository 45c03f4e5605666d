import HTMLText

/// A text's words, which a difference compares.
package struct WordText {
  /// The words' numbers: equal for equal bytes. They are different in each process.
  package let numbers: [Int]
  private let bytes: [UInt8]
  private let words: [Range<Int>]

  /// The parts into which a text is divided.
  enum Parts {
    /// Words between white space, which does not count. Each character in a script without spaces is a word.
    case words
    /// The words of HTML, without its markup.
    case wordsOfHTML
    /// Tags, words, and the white space between them.
    case source
  }

  init(_ text: String, in parts: Parts) {
    let bytes = Array((parts == .wordsOfHTML ? HTMLWords.text(of: text) : text).utf8)
    var words: [Range<Int>] = []
    var start = 0
    while start < bytes.count {
      let end = bytes.endOfPart(at: start, in: parts)
      if parts == .source || !bytes.isSpace(at: start) { words.append(start..<end) }
      start = end
    }
    (self.bytes, self.words) = (bytes, words)
    numbers = bytes.withUnsafeBytes { buffer in
      words.map { word in
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: buffer[word]))
        return hasher.finalize()
      }
    }
  }

  /// Returns a part of the text, with single spaces for white space that does not count.
  package func text(_ range: Range<Int>) -> String {
    var text: [UInt8] = []
    for word in range {
      if word > range.lowerBound, words[word - 1].upperBound < words[word].lowerBound {
        text.append(UInt8(ascii: " "))
      }
      text += bytes[words[word]]
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension [UInt8] {
  /// Returns whether white space is at an index: in ASCII, or the first byte of a no-break space.
  fileprivate func isSpace(at index: Int) -> Bool {
    self[index] <= 0x20 || (self[index] == 0xC2 && index + 1 < count && self[index + 1] == 0xA0)
  }

  fileprivate func endOfPart(at start: Int, in parts: WordText.Parts) -> Int {
    if isSpace(at: start) { return end(of: start) { isSpace(at: $0) } }
    if let size = sizeOfUnspacedCharacter(at: start) { return Swift.min(count, start + size) }
    let isSource = parts == .source
    let isTag = isSource && self[start] == UInt8(ascii: "<")
    let end = end(of: start) { index in
      if isSpace(at: index) || sizeOfUnspacedCharacter(at: index) != nil { return false }
      return !isSource || self[index] != UInt8(ascii: "<") && self[index - 1] != UInt8(ascii: ">")
    }
    return isTag ? Swift.max(end, start + 1) : end
  }

  /// Returns the index after the last byte that continues what begins at an index.
  private func end(of start: Int, _ continues: (Int) -> Bool) -> Int {
    var index = start + 1
    // The second byte of a no-break space.
    if self[start] == 0xC2, isSpace(at: start) { index += 1 }
    while index < count, continues(index) { index += self[index] == 0xC2 && isSpace(at: index) ? 2 : 1 }
    return Swift.min(index, count)
  }

  /// Returns the size of a Chinese or Japanese character, which is written without spaces; nil for others.
  private func sizeOfUnspacedCharacter(at index: Int) -> Int? {
    switch self[index] {
    // U+3000 to U+9FFF, without the mark that combines with the character before it.
    case 0xE3...0xE9: 3
    // U+20000 and above; emoji are below.
    case 0xF0 where index + 1 < count && self[index + 1] >= 0xA0: 4
    default: nil
    }
  }
}
