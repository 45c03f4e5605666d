internal import Markup
internal import TextOutput

/// Runs of invisible characters with which newsletters fill a mail's preview.
///
/// A single such character is part of a word: Persian needs U+200C, and emoji need U+200D. Three in a row
/// show nothing.
enum InvisiblePadding {
  private static let fewest = 3

  /// Calls `body` with the text between such runs, and with a space for each run.
  static func split(_ text: Span<UInt8>, _ body: (Span<UInt8>) -> Void) {
    var copied = 0
    var place = 0
    while let start = firstMark(in: text, from: place) {
      let (end, isPadding) = run(in: text, at: start)
      place = end
      guard isPadding else { continue }
      if copied < start { body(text.extracting(copied..<start)) }
      body([UInt8(ascii: " ")].span)
      copied = end
    }
    if copied < text.count { body(text.extracting(copied..<text.count)) }
  }

  /// Returns whether a text has such runs.
  static func isPart(of text: Span<UInt8>) -> Bool {
    var place = 0
    while let start = firstMark(in: text, from: place) {
      let (end, isPadding) = run(in: text, at: start)
      if isPadding { return true }
      place = end
    }
    return false
  }

  /// Returns the index of the first byte that may begin an invisible character.
  private static func firstMark(in text: Span<UInt8>, from start: Int) -> Int? {
    text.firstIndex(from: start) { bytes in
      bytes.marks(of: 0xC2) | bytes.marks(of: 0xCD) | bytes.marks(of: 0xE2) | bytes.marks(of: 0xEF)
    }
  }

  /// Returns the index after the spaces and invisible characters at an index, and whether they are padding.
  /// The index advances by at least one byte.
  private static func run(in text: Span<UInt8>, at start: Int) -> (end: Int, isPadding: Bool) {
    var count = 0
    var end = start
    while end < text.count {
      if text[end].isHTMLSpace {
        end += 1
      } else if text.hasPrefix("\u{A0}", at: end) {
        end += 2
      } else if let length = length(ofInvisibleIn: text, at: end) {
        count += 1
        end += length
      } else {
        break
      }
    }
    return (max(end, start + 1), count >= fewest)
  }

  private static func length(ofInvisibleIn text: Span<UInt8>, at place: Int) -> Int? {
    switch text[place] {
    case 0xC2: return text.hasPrefix("\u{AD}", at: place) ? 2 : nil
    case 0xCD: return text.hasPrefix("\u{34F}", at: place) ? 2 : nil
    case 0xEF: return text.hasPrefix("\u{FEFF}", at: place) ? 3 : nil
    case 0xE2:
      // U+2007, U+200B to U+200F, U+2060.
      guard place + 2 < text.count else { return nil }
      let (second, third) = (text[place + 1], text[place + 2])
      if second == 0x80 { return third == 0x87 || (0x8B...0x8F).contains(third) ? 3 : nil }
      return second == 0x81 && third == 0xA0 ? 3 : nil
    default: return nil
    }
  }
}
