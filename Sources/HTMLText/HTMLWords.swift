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
    var scanner = Scanner(source: Array(html.utf8))
    return String(decoding: scanner.words(), as: UTF8.self)
  }

  /// Returns whether two texts of HTML in UTF-8 have the same words, whatever markup and white space is between them.
  public static func areSame(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
    var (first, second) = (Scanner(source: Array(one)), Scanner(source: Array(other)))
    let (left, right) = (first.words(), second.words())
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

  private struct Scanner {
    private let source: [UInt8]
    private var result: [UInt8] = []
    private var index = 0

    init(source: [UInt8]) {
      self.source = source
      result.reserveCapacity(source.count)
    }

    mutating func words() -> [UInt8] {
      while index < source.count {
        switch source[index] {
        case UInt8(ascii: "<"): skipTag()
        case UInt8(ascii: "&"): decodeReference()
        case let byte:
          result.append(byte)
          index += 1
        }
      }
      return result
    }

    private mutating func skipTag() {
      if matches("<!--", at: index) {
        index = place(of: "-->", from: index + 4).map { $0 + 3 } ?? source.count
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
      let isInvisible = matches("<script", at: index) || matches("<style", at: index)
      let isInsideWord = next != UInt8(ascii: "!") && Self.inline.contains(name)
      skipToEndOfTag()
      if !isInsideWord { result.append(UInt8(ascii: " ")) }
      guard isInvisible else { return }
      index = place(of: "</s", from: index) ?? source.count
    }

    /// The name of the tag at the current index, in lower case; at most 8 letters of it.
    private var name: [UInt8] {
      var name: [UInt8] = []
      var place = index + 1
      if place < source.count, source[place] == UInt8(ascii: "/") { place += 1 }
      while place < source.count, name.count < 8, source[place].isASCIILetter {
        name.append(source[place] | 0x20)
        place += 1
      }
      return name
    }

    /// Tags that may occur inside a word.
    private static let inline = Set(
      Set(names: "a b i u em strong span sub sup mark font small big wbr s").map { Array($0.utf8) })

    private mutating func skipToEndOfTag() {
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

    private mutating func decodeReference() {
      let end = min(source.count, index + 12)
      var place = index + 1
      while place < end, source[place] != UInt8(ascii: ";"), source[place] > 0x20, source[place] < 0x7F {
        place += 1
      }
      guard place < end, source[place] == UInt8(ascii: ";"), let scalar = scalar(from: index + 1, to: place)
      else {
        result.append(UInt8(ascii: "&"))
        index += 1
        return
      }
      result.append(contentsOf: Array(String(Character(scalar)).utf8))
      index = place + 1
    }

    private func scalar(from start: Int, to end: Int) -> Unicode.Scalar? {
      var text = ""
      for place in start..<end { text.unicodeScalars.append(Unicode.Scalar(source[place])) }
      if text.first == "#" {
        let digits = text.dropFirst()
        let isHex = digits.first == "x" || digits.first == "X"
        let number = UInt32(isHex ? digits.dropFirst() : digits, radix: isHex ? 16 : 10)
        return number.flatMap { $0 >= 9 ? Unicode.Scalar($0) : nil }
      }
      return unsafe htmlEntityLookup(text).flatMap { unsafe Unicode.Scalar(UInt32($0.pointee.value)) }
    }

    /// Returns whether a text begins at `place`, ignoring case. The text is in lower case.
    private func matches(_ text: StaticString, at place: Int) -> Bool {
      let count = text.utf8CodeUnitCount
      guard place + count <= source.count else { return false }
      for offset in 0..<count {
        let byte = source[place + offset]
        let lower = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
        if unsafe lower != text.utf8Start[offset] { return false }
      }
      return true
    }

    private func place(of text: StaticString, from start: Int) -> Int? {
      guard start < source.count else { return nil }
      for place in start..<source.count
      where source[place] == UInt8(ascii: "<") || source[place] == UInt8(ascii: "-") {
        if matches(text, at: place) { return place }
      }
      return nil
    }
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
