/// The words of a text in UTF-8 in the form in which they are compared; see ``Folding``.
///
/// A word is a run of letters, digits and marks. Each character of scripts without spaces, each syllable of Hangul and each
/// emoji is a word. Characters that nobody sees, such as soft hyphens, separate no words.
package struct FoldedWords {
  /// The words so far, in UTF-8. The current word is at the end.
  package private(set) var bytes: [UInt8] = []
  /// The start of the current word in ``bytes``.
  package private(set) var start = 0
  /// The place of the current word in the text.
  package private(set) var range = 0..<0

  private let folding = Folding.shared
  /// The index of the next byte of the text.
  private var index = 0
  /// The rest of the text that stands for a character, and the character's place.
  private var rest = 0..<0
  private var restPlace = 0..<0

  package init() {}

  /// The current word.
  package var word: ArraySlice<UInt8> { bytes[start...] }

  /// Begins another text, whose words are behind those so far.
  package mutating func restart() { (index, rest, range) = (0, 0..<0, 0..<0) }

  /// Removes the words so far.
  package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Appends a separator, or another byte that belongs to no word.
  package mutating func append(_ byte: UInt8) { bytes.append(byte) }

  private var isEmpty: Bool { bytes.count == start }

  /// Appends the next word to ``bytes``; returns false at the end of the text.
  package mutating func next(in text: Span<UInt8>) -> Bool {
    start = bytes.count
    var place = index
    if !rest.isEmpty, takeRest(&place) { return end(place, restPlace.upperBound) }
    while index < text.count {
      if text[index] < 0x80 {
        let first = index
        takeLetters(of: text)
        if index == first {
          if !isEmpty { return end(place, index) }
          index += 1
        } else if first + (bytes.count - start) == index {
          place = first
        }
        continue
      }
      let (scalar, next) = Self.scalar(in: text, at: index)
      switch folding.result(of: scalar) {
      case .kind(.letter):
        take(text, next, &place)
      case .kind(.separator), .kind(.voicedMark), .kind(.semivoicedMark):
        if !isEmpty { return end(place, index) }
        index = next
      case .kind(.word):
        return isEmpty ? takeWord(scalar, until: next, text) : end(place, index)
      case .kind(.initial):
        if let syllable = syllable(scalar, text, next) {
          return isEmpty ? takeWord(syllable.scalar, until: syllable.end, text) : end(place, index)
        }
        take(text, next, &place)
      case .text(let folded):
        if let word = singleWord(folded) {
          return isEmpty ? takeWord(word, until: next, text) : end(place, index)
        }
        (rest, restPlace) = (folded, index..<next)
        index = next
        if takeRest(&place) {
          return end(place, rest.lowerBound > folded.lowerBound ? next : restPlace.lowerBound)
        }
      }
    }
    return isEmpty ? false : end(place, index)
  }

  private mutating func end(_ start: Int, _ end: Int) -> Bool {
    let start = max(start, range.upperBound)
    range = start..<max(start, end)
    return true
  }

  /// Takes letters and digits of ASCII.
  @inline(__always)
  private mutating func takeLetters(of text: Span<UInt8>) {
    let first = index
    while index < text.count, Self.isLetter(text[index]) { index += 1 }
    guard index > first else { return }
    let end = bytes.count
    unsafe text.extracting(first..<index).withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    unsafe bytes.withUnsafeMutableBufferPointer { bytes in
      for place in end..<bytes.count {
        let byte = unsafe bytes[place]
        unsafe bytes[place] = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
      }
    }
  }

  @inline(__always)
  private static func isLetter(_ byte: UInt8) -> Bool {
    let lower = byte | 0x20
    return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
      || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  /// Takes a character that stays as it is.
  @inline(__always)
  private mutating func take(_ text: Span<UInt8>, _ next: Int, _ place: inout Int) {
    if isEmpty { place = index }
    for byte in index..<next { bytes.append(text[byte]) }
    index = next
  }

  /// Takes the text that stands for a character, up to the end of a word.
  ///
  /// - Returns: True if a word ends in it.
  private mutating func takeRest(_ place: inout Int) -> Bool {
    while let next = rest.first {
      let byte = folding.texts[next]
      if byte == 0x20 {
        if !isEmpty { return true }
      } else {
        if isEmpty { place = restPlace.lowerBound }
        bytes.append(byte)
      }
      rest = next + 1..<rest.upperBound
    }
    return false
  }

  /// Returns the character of a text that is one word of one character; nil for another text.
  private func singleWord(_ text: Range<Int>) -> UInt32? {
    guard text.count > 3, folding.texts[text.lowerBound] == 0x20 else { return nil }
    let (scalar, next) = Self.scalar(in: folding.texts.span, at: text.lowerBound + 1)
    return next == text.upperBound - 1 ? scalar : nil
  }

  /// Takes a character that is a word, with the marks behind it.
  private mutating func takeWord(_ scalar: UInt32, until next: Int, _ text: Span<UInt8>) -> Bool {
    let place = index
    var scalar = scalar
    index = next
    marks: while index < text.count, text[index] >= 0x80 {
      let (mark, next) = Self.scalar(in: text, at: index)
      switch folding.result(of: mark) {
      case .text(let folded) where folded.isEmpty: break
      case .kind(let kind) where kind == .voicedMark || kind == .semivoicedMark:
        if let composed = folding.composed(scalar, kind) { scalar = composed }
      default: break marks
      }
      index = next
    }
    if let scalar = Unicode.Scalar(scalar) {
      for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { bytes.append(byte) }
    }
    return end(place, index)
  }

  /// Returns the syllable of Hangul that begins with a consonant, and the index after it.
  private func syllable(
    _ initial: UInt32, _ text: Span<UInt8>, _ next: Int
  ) -> (scalar: UInt32, end: Int)? {
    guard next < text.count, text[next] >= 0x80 else { return nil }
    let (vowel, end) = Self.scalar(in: text, at: next)
    guard let open = Folding.syllable(initial, vowel, final: nil) else { return nil }
    guard end < text.count, text[end] >= 0x80 else { return (open, end) }
    let (final, last) = Self.scalar(in: text, at: end)
    guard let closed = Folding.syllable(initial, vowel, final: final), closed != open else {
      return (open, end)
    }
    return (closed, last)
  }

  /// Returns the character at an index that does not begin with an ASCII byte, and the index after it. Bytes that are not UTF-8
  /// are U+FFFD, which separates words.
  @inline(__always)
  private static func scalar(in text: Span<UInt8>, at index: Int) -> (scalar: UInt32, next: Int) {
    let first = text[index]
    let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard first >= 0xC2, first < 0xF5, index + length <= text.count else { return (0xFFFD, index + 1) }
    var value = UInt32(first) & (0x7F >> UInt32(length))
    for place in index + 1..<index + length {
      guard text[place] & 0xC0 == 0x80 else { return (0xFFFD, place) }
      value = value << 6 | UInt32(text[place] & 0x3F)
    }
    // Neither a character in more bytes than it needs, nor a surrogate.
    let isValid =
      value >= (length == 2 ? 0x80 : length == 3 ? 0x800 : 0x1_0000) && Unicode.Scalar(value) != nil
    return (isValid ? value : 0xFFFD, index + length)
  }
}
