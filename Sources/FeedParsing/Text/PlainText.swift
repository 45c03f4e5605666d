internal import Markup

/// Makes plain text of titles and names, in place: the result is never longer.
enum PlainText {
  /// What the text is.
  enum Markup {
    /// Text in which `<` and `&` mean themselves.
    case none
    /// HTML.
    case html
    /// Text that may hold HTML, as in RSS titles: only tags that HTML has count as such, and only where they can be some.
    case maybe
  }

  /// Turns `bytes[start...]` into plain text: markup removed, references replaced, white space collapsed.
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

  /// Whether nothing is to be done.
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

  /// Writes behind the place that is read; white space is written before the next character only.
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

    /// Whether the characters need no more room than there is up to the end of the reference. Two names are shorter than
    /// what they stand for (`&nGt;` and `&nLt;`): such a reference may stay as it is.
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

/// What is known of the tags of HTML.
enum HTMLTag {
  /// Whether the tag begins or ends a line.
  static func separates(_ name: Span<UInt8>) -> Bool { breaks.contains(hash(name)) }

  /// Whether HTML has the tag.
  static func isKnown(_ name: Span<UInt8>) -> Bool {
    others.contains(hash(name)) || breaks.contains(hash(name))
  }

  /// Whether the tag has no end tag.
  static func isVoid(_ name: Span<UInt8>) -> Bool { voids.contains(hash(name)) }

  /// Whether the tag means something without attributes and without an end tag.
  static func mayStandAlone(_ name: Span<UInt8>) -> Bool { alone.contains(hash(name)) }

  /// Whether the tag changes how letters look.
  static func isOfLetters(_ name: Span<UInt8>) -> Bool { letters.contains(hash(name)) }

  /// Whether both are the same name.
  static func isSame(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    for index in 0..<one.count where one[index].asciiLowercased != other[index].asciiLowercased {
      return false
    }
    return true
  }

  private static let alone = table("br dd dt hr li option p td th tr wbr")

  private static let letters = table(
    "a b big blink center em font i marquee s small span strike strong sub sup tt u")

  private static let breaks = table(
    """
    address article aside blockquote br center dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 \
    h6 header hr li main nav ol p pre section table tbody td tfoot th thead tr ul
    """)

  private static let others = table(
    """
    a abbr acronym applet area audio b base basefont bdi bdo big body button canvas caption cite code col colgroup \
    data datalist del details dfn dialog em embed font frame frameset head html i iframe img input ins kbd label \
    legend link map mark meta meter noscript object optgroup option output param picture progress q rp rt ruby s \
    samp script select small source span strike strong style sub summary sup svg template textarea time title \
    track tt u var video wbr blink marquee
    """)

  private static let voids = table(
    "area base br col embed hr img input link meta param source track wbr")

  private static func table(_ words: String) -> Set<UInt64> {
    Set(words.split(separator: " ").map { hash(Array($0.utf8).span) })
  }

  private static func hash(_ bytes: Span<UInt8>) -> UInt64 {
    var hash = UInt64(bytes.count)
    for index in 0..<min(bytes.count, 12) { hash = hash &* 131 &+ UInt64(bytes[index].asciiLowercased) }
    return hash
  }
}
