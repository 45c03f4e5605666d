internal import Markup

/// Converts titles and names to plain text, in place: the result is never longer.
enum PlainText {
  /// The kinds of text.
  enum Markup {
    /// Text without markup: `<` and `&` are characters.
    case none
    /// HTML.
    case html
    /// Text that may contain HTML, as in RSS titles. A tag is removed only if HTML defines it and the text
    /// does not merely mention it.
    case maybe
  }

  /// Converts `bytes[start...]` to plain text: markup removed, references decoded, white space collapsed.
  static func make(_ bytes: inout [UInt8], from start: Int, _ markup: Markup) {
    if isPlain(bytes.span.extracting(start...), markup) { return }
    var writer = Writer(position: start)
    var index = start
    var tags = TagScanner(textStart: start)
    while index < bytes.count {
      let byte = bytes[index]
      if byte.isXMLSpace {
        writer.space()
        index += 1
      } else if byte == UInt8(ascii: "<"), markup != .none,
        let tag = tags.tag(in: bytes.span, at: index, markup)
      {
        if tag.isBreak { writer.space() }
        index = tag.end
      } else if byte == UInt8(ascii: "&"), markup != .none {
        let reference = HTMLEntity.decode(bytes.span, at: index)
        if let scalar = reference.scalar, writer.hasRoom(for: reference) {
          writer.put(scalar: scalar, to: &bytes)
          if let mark = reference.mark { writer.put(scalar: mark, to: &bytes) }
          index = reference.end
        } else {
          writer.put(byte, to: &bytes)
          index += 1
        }
      } else {
        writer.put(byte, to: &bytes)
        index += 1
      }
    }
    bytes.removeSubrange(writer.position...)
  }

  /// Returns whether the text is already plain.
  private static func isPlain(_ text: Span<UInt8>, _ markup: Markup) -> Bool {
    guard text.count > 0 else { return true }
    var previousIsSpace = true
    for index in 0..<text.count {
      let byte = text[index]
      if byte <= 0x20 {
        if byte != 0x20 || previousIsSpace { return false }
        previousIsSpace = true
      } else {
        if byte == UInt8(ascii: "<") || byte == UInt8(ascii: "&"), markup != .none { return false }
        previousIsSpace = false
      }
    }
    return !previousIsSpace
  }

  /// Writes at a position that never passes the reading position. White space is written only before the next
  /// character.
  private struct Writer {
    var position: Int
    private var hasText = false
    private var owesSpace = false

    init(position: Int) {
      self.position = position
    }

    mutating func space() {
      owesSpace = hasText
    }

    /// Returns whether a reference's characters fit into the space up to its end.
    ///
    /// Two references have names shorter than their characters (`&nGt;` and `&nLt;`); such a reference may
    /// stay unchanged.
    func hasRoom(for reference: HTMLEntity.Reference) -> Bool {
      reference.mark == nil || reference.end - position - (owesSpace ? 1 : 0) >= 6
    }

    mutating func put(_ byte: UInt8, to bytes: inout [UInt8]) {
      if owesSpace {
        bytes[position] = 0x20
        position += 1
        owesSpace = false
      }
      bytes[position] = byte
      position += 1
      hasText = true
    }

    mutating func put(scalar: UInt32, to bytes: inout [UInt8]) {
      if scalar <= 0x20 { return space() }
      var text: [UInt8] = []
      text.appendUTF8(scalar)
      for byte in text { put(byte, to: &bytes) }
    }
  }
}
