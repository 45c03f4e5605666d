import TextOutput

/// UTF-8 texts in the form in which their words are compared; see `Folding`.
///
/// A word is a run of letters, digits and marks; other ASCII characters separate words. Each emoji, each
/// Hangul syllable and each character in a script without spaces is a word. Invisible characters, such as
/// soft hyphens, are left out.
public struct FoldedText: Sendable {
  /// The texts so far.
  public private(set) var bytes: [UInt8] = []
  /// The place in the text for each byte, if places are kept.
  private var places: [Int] = []
  private let keepsPlaces: Bool
  private let folding = Folding.shared

  /// Creates an empty list of texts.
  ///
  /// - Parameter keepsPlaces: True if ``place(of:)`` is called.
  public init(keepsPlaces: Bool = false) { self.keepsPlaces = keepsPlaces }

  /// Removes the texts, and keeps their memory.
  public mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
  }

  /// Returns the place in the text for some ``bytes``. Different words have separate places.
  public func place(of range: Range<Int>) -> Range<Int> {
    places[range.lowerBound]..<places[range.upperBound]
  }

  /// Appends a text, and a separator.
  public mutating func append(_ text: Span<UInt8>) {
    bytes.reserveCapacity(bytes.count + text.count + 16)
    var index = 0
    while index < text.count {
      let end = Self.endOfASCII(text, from: index)
      if end > index {
        appendASCII(text, index..<end)
        index = end
      } else {
        index = appendCharacter(text, at: index)
      }
    }
    append(UInt8(ascii: " "), index)
  }

  private static func endOfASCII(_ text: Span<UInt8>, from start: Int) -> Int {
    unsafe text.withUnsafeBytes { bytes in
      var place = start
      while bytes.count - place >= 8,
        unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
      {
        place += 8
      }
      while place < bytes.count, unsafe bytes[place] < 0x80 { place += 1 }
      return place
    }
  }

  private mutating func appendASCII(_ text: Span<UInt8>, _ range: Range<Int>) {
    let start = bytes.count
    unsafe text.extracting(range).withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    unsafe bytes.withUnsafeMutableBufferPointer { bytes in
      for place in start..<bytes.count {
        let byte = unsafe bytes[place]
        unsafe bytes[place] = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
      }
    }
    if keepsPlaces { places += range }
  }

  @inline(__always)
  private mutating func append(_ byte: UInt8, _ place: Int) {
    bytes.append(byte)
    if keepsPlaces { places.append(place) }
  }

  /// Appends a folded character, and returns the index after it.
  private mutating func appendCharacter(_ text: Span<UInt8>, at index: Int) -> Int {
    let (scalar, next) = Self.scalar(in: text, at: index)
    switch folding.result(of: scalar) {
    case .kind(.letter): for place in index..<next { append(text[place], index) }
    case .kind(.separator), .kind(.voicedMark), .kind(.semivoicedMark): append(UInt8(ascii: " "), index)
    case .kind(.word): return appendWord(scalar, text, index..<next)
    case .kind(.initial):
      if let syllable = Self.syllable(scalar, text, next) {
        return appendWord(syllable.scalar, text, index..<syllable.end)
      }
      for place in index..<next { append(text[place], index) }
    case .text(let folded):
      if let word = singleWord(folded) { return appendWord(word, text, index..<next) }
      for place in folded { append(folding.texts[place], index) }
    }
    return next
  }

  /// Returns the character if a text is one word with one character; nil for another text.
  private func singleWord(_ text: Range<Int>) -> UInt32? {
    guard text.count > 3, folding.texts[text.lowerBound] == UInt8(ascii: " ") else { return nil }
    let (scalar, next) = Self.scalar(in: folding.texts.span, at: text.lowerBound + 1)
    return next == text.upperBound - 1 ? scalar : nil
  }

  /// Appends a character that is a word, with the marks after it, and returns the index after them.
  private mutating func appendWord(_ scalar: UInt32, _ text: Span<UInt8>, _ range: Range<Int>) -> Int {
    var (scalar, index) = (scalar, range.upperBound)
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
    append(UInt8(ascii: " "), range.lowerBound)
    if let scalar = Unicode.Scalar(scalar), let encoded = UTF8.encode(scalar) {
      for byte in encoded { append(byte, range.lowerBound) }
    }
    append(UInt8(ascii: " "), index)
    return index
  }

  /// Returns the Hangul syllable that begins with a consonant, and the index after it.
  private static func syllable(
    _ initial: UInt32, _ text: Span<UInt8>, _ next: Int
  ) -> (scalar: UInt32, end: Int)? {
    guard next < text.count, text[next] >= 0x80 else { return nil }
    let (vowel, end) = scalar(in: text, at: next)
    guard let open = Folding.syllable(initial, vowel, final: nil) else { return nil }
    guard end < text.count, text[end] >= 0x80 else { return (open, end) }
    let (final, last) = scalar(in: text, at: end)
    guard let closed = Folding.syllable(initial, vowel, final: final), closed != open else {
      return (open, end)
    }
    return (closed, last)
  }

  /// Returns the character at an index that does not begin with an ASCII byte, and the index after it.
  /// Invalid UTF-8 becomes U+FFFD, which separates words.
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
    // Reject overlong forms and surrogates.
    let isValid =
      value >= (length == 2 ? 0x80 : length == 3 ? 0x800 : 0x1_0000) && Unicode.Scalar(value) != nil
    return (isValid ? value : 0xFFFD, index + length)
  }
}

extension Span<UInt8> {
  /// Visits the words in folded text: runs of ASCII letters and digits, and of other bytes.
  ///
  /// - Parameter visit: Receives a word's place and its hash (64-bit FNV-1a).
  public func forEachFoldedWord(_ visit: (_ place: Range<Int>, _ hash: UInt64) -> Void) {
    var hash = FNV1a()
    var start = 0
    for index in indices {
      let byte = self[index]
      if byte >= 0x80 || byte &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 {
        hash.add(byte)
      } else {
        if index > start { visit(start..<index, hash.value) }
        (start, hash) = (index + 1, FNV1a())
      }
    }
    if start < count { visit(start..<count, hash.value) }
  }
}
