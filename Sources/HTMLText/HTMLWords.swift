internal import CLibXML2

/// Extracts the words of HTML for a search index: without tags, scripts and styles, and with decoded references.
///
/// A single pass over the bytes, many times as fast as ``HTMLText``, which produces text for reading. It does not track
/// the nesting of elements. Every tag becomes a space, except tags that may occur inside a word.
public enum HTMLWords {
  /// Returns the words of HTML without its markup; plain text is returned unchanged.
  public static func text(of html: String) -> String {
    guard html.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else {
      return html
    }
    var html = html
    var words: [UInt8] = []
    html.withUTF8 { unsafe append(wordsOf: $0.span, to: &words) }
    return String(decoding: words, as: UTF8.self)
  }

  /// Appends the words of HTML in UTF-8, as ``text(of:)`` returns them.
  public static func append(wordsOf html: Span<UInt8>, to words: inout [UInt8]) {
    words.reserveCapacity(words.count + html.count)
    var scanner = Scanner()
    swap(&scanner.result, &words)
    scanner.scan(html)
    swap(&scanner.result, &words)
  }

  /// Returns whether two texts of HTML in UTF-8 have the same words, whatever markup and white space is between them.
  public static func areSame(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
    var (left, right): ([UInt8], [UInt8]) = ([], [])
    append(wordsOf: one.span, to: &left)
    append(wordsOf: other.span, to: &right)
    var (index, place) = (left.firstWord(from: 0), right.firstWord(from: 0))
    while index < left.count, place < right.count {
      let endsWord = left.isSpace(at: index)
      guard endsWord == right.isSpace(at: place) else { return false }
      if endsWord {
        (index, place) = (left.firstWord(from: index), right.firstWord(from: place))
        // Space at the end of one text.
        if (index == left.count) != (place == right.count) { return false }
      } else {
        guard left[index] == right[place] else { return false }
        (index, place) = (index + 1, place + 1)
      }
    }
    return left.firstWord(from: index) == left.count && right.firstWord(from: place) == right.count
  }

  /// Returns whether two texts of HTML have the same tags in the same order, whatever words are between them.
  public static func haveSameTags(_ one: String, _ other: String) -> Bool { tags(of: one) == tags(of: other) }

  private static func tags(of html: String) -> [[UInt8]] {
    let bytes = Array(html.utf8)
    var scanner = Scanner()
    scanner.tags = []
    scanner.scan(bytes.span)
    return (scanner.tags ?? []).map { Array(bytes[$0]) }
  }

  /// The caller passes the source to each method.
  private struct Scanner {
    var result: [UInt8] = []
    /// The tags; nil if they are not wanted.
    var tags: [Range<Int>]?
    private var index = 0

    mutating func scan(_ source: Span<UInt8>) {
      while index < source.count {
        let mark = nextMark(source)
        unsafe source.extracting(index..<mark).withUnsafeBufferPointer {
          unsafe result.append(contentsOf: $0)
        }
        index = mark
        guard index < source.count else { return }
        if source[index] == UInt8(ascii: "<") { skipTag(source) } else { decodeReference(source) }
      }
    }

    /// Returns the index of the next `<` or `&`; the number of bytes without one.
    private func nextMark(_ source: Span<UInt8>) -> Int {
      unsafe source.withUnsafeBytes { bytes in
        let ones: UInt64 = 0x0101_0101_0101_0101
        var place = index
        while bytes.count - place >= 8 {
          let word = unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian
          let (tags, references) = (word ^ (ones &* 0x3C), word ^ (ones &* 0x26))
          let found = ((tags &- ones) & ~tags | (references &- ones) & ~references) & (ones &* 0x80)
          if found != 0 { return place + found.trailingZeroBitCount / 8 }
          place += 8
        }
        while place < bytes.count, unsafe bytes[place] != 0x3C, unsafe bytes[place] != 0x26 { place += 1 }
        return place
      }
    }

    private mutating func skipTag(_ source: Span<UInt8>) {
      if matches(source, "<!--", at: index) {
        index = place(source, of: "-->", from: index + 4).map { $0 + 3 } ?? source.count
        return
      }
      let next = index + 1 < source.count ? source[index + 1] : 0
      guard
        next.isASCIILetter || next == UInt8(ascii: "/") || next == UInt8(ascii: "!")
          || next == UInt8(ascii: "?")
      else {
        result.append(UInt8(ascii: "<"))
        index += 1
        return
      }
      let isInvisible =
        next | 0x20 == UInt8(ascii: "s")
        && (matches(source, "<script", at: index) || matches(source, "<style", at: index))
      let isInsideWord = next != UInt8(ascii: "!") && HTMLWords.inline.contains(name(source))
      let start = index
      skipToEndOfTag(source)
      tags?.append(start..<index)
      if !isInsideWord { result.append(UInt8(ascii: " ")) }
      guard isInvisible else { return }
      index = place(source, of: "</s", from: index) ?? source.count
    }

    /// The name of the tag at the current index, in lower case; at most 8 letters of it, one a byte.
    private func name(_ source: Span<UInt8>) -> UInt64 {
      var name: UInt64 = 0
      var place = index + 1
      if place < source.count, source[place] == UInt8(ascii: "/") { place += 1 }
      let end = min(source.count, place + 8)
      while place < end, source[place].isASCIILetter {
        name = name << 8 | UInt64(source[place] | 0x20)
        place += 1
      }
      return name
    }

    private mutating func skipToEndOfTag(_ source: Span<UInt8>) {
      var quote: UInt8 = 0
      // The end of the tag if a quotation mark is never closed.
      var likelyEnd: Int?
      while index < source.count {
        let byte = source[index]
        index += 1
        if byte == UInt8(ascii: ">") {
          if quote == 0 { return }
          likelyEnd = likelyEnd ?? index
        } else if quote != 0 {
          if byte == quote { (quote, likelyEnd) = (0, nil) }
        } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
          // A quotation mark counts only at the start of a value; an apostrophe elsewhere is ignored.
          if source[index - 2] == UInt8(ascii: "=") { quote = byte }
        }
      }
      index = likelyEnd ?? index
    }

    private mutating func decodeReference(_ source: Span<UInt8>) {
      let end = min(source.count, index + 12)
      var place = index + 1
      while place < end, source[place] != UInt8(ascii: ";"), source[place] > 0x20, source[place] < 0x7F {
        place += 1
      }
      guard place < end, source[place] == UInt8(ascii: ";"),
        let scalar = scalar(source.extracting((index + 1)..<place))
      else {
        result.append(UInt8(ascii: "&"))
        index += 1
        return
      }
      if scalar.isASCII {
        result.append(UInt8(truncatingIfNeeded: scalar.value))
      } else {
        result.append(contentsOf: Array(String(Character(scalar)).utf8))
      }
      index = place + 1
    }

    private func scalar(_ name: Span<UInt8>) -> Unicode.Scalar? {
      // The most frequent ones.
      switch name.packed {
      case 0x616D70: return "&"
      case 0x6C74: return "<"
      case 0x6774: return ">"
      case 0x7175_6F74: return "\""
      case 0x6E62_7370: return "\u{A0}"
      default: break
      }
      var text = ""
      for place in name.indices { text.unicodeScalars.append(Unicode.Scalar(name[place])) }
      if text.first == "#" {
        let digits = text.dropFirst()
        let isHex = digits.first == "x" || digits.first == "X"
        let number = UInt32(isHex ? digits.dropFirst() : digits, radix: isHex ? 16 : 10)
        return number.flatMap { $0 >= 9 ? Unicode.Scalar($0) : nil }
      }
      return unsafe htmlEntityLookup(text).flatMap { unsafe Unicode.Scalar(UInt32($0.pointee.value)) }
    }

    /// Returns whether a text begins at `place`, ignoring case. The text is in lower case.
    private func matches(_ source: Span<UInt8>, _ text: StaticString, at place: Int) -> Bool {
      let count = text.utf8CodeUnitCount
      guard place + count <= source.count else { return false }
      for offset in 0..<count {
        let byte = source[place + offset]
        let lower = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
        if unsafe lower != text.utf8Start[offset] { return false }
      }
      return true
    }

    private func place(_ source: Span<UInt8>, of text: StaticString, from start: Int) -> Int? {
      guard start < source.count else { return nil }
      for place in start..<source.count
      where source[place] == UInt8(ascii: "<") || source[place] == UInt8(ascii: "-") {
        if matches(source, text, at: place) { return place }
      }
      return nil
    }
  }

  /// Tags that may occur inside a word, as ``Scanner/name(_:)`` returns them.
  private static let inline = "a b i u em strong span sub sup mark font small big wbr s".split(separator: " ")
    .map { name in
      name.utf8.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    }
}

extension Span<UInt8> {
  /// At most 8 bytes as a number; 0 if there are more.
  fileprivate var packed: UInt64 {
    guard count <= 8 else { return 0 }
    var number: UInt64 = 0
    for index in indices { number = number << 8 | UInt64(self[index]) }
    return number
  }
}

extension [UInt8] {
  /// Returns whether white space is at an index: of ASCII, or the first byte of a no-break space.
  fileprivate func isSpace(at index: Int) -> Bool {
    self[index] <= 0x20 || (self[index] == 0xC2 && index + 1 < count && self[index + 1] == 0xA0)
  }

  /// Returns the index of the first byte from `start` on that is not white space; the number of bytes without one.
  fileprivate func firstWord(from start: Int) -> Int {
    var index = start
    while index < count, isSpace(at: index) { index += self[index] == 0xC2 ? 2 : 1 }
    return index
  }
}
