/// Searches a piece of a document for texts that are long enough to bypass libxml2.
///
/// A result may be something else, such as part of a comment. libxml2 knows whether it is text when it
/// reaches it.
struct LongTextSearch {
  enum Text: Equatable {
    /// A CDATA section's text begins at this offset.
    case section(Int)
    /// Character data begins at this offset, after a tag.
    case run(Int)

    var start: Int {
      switch self {
      case .section(let start), .run(let start): start
      }
    }
  }

  /// The minimum text length: a shorter text is not worth another libxml2 call.
  private static let shortest = 128
  private static let sectionMark: StaticString = "<![CDATA["

  /// The offset of the next section's text, or the byte count if none follows; nil before the first search.
  private var section: Int?

  /// Returns the next text from `start` on, or nil.
  mutating func next(in bytes: Span<UInt8>, from start: Int) -> Text? {
    if section.map({ $0 <= start }) ?? true { section = Self.section(in: bytes, from: start) ?? bytes.count }
    let found = section ?? bytes.count
    let limit = found < bytes.count ? found - Self.sectionMark.utf8CodeUnitCount : found
    if let run = Self.run(in: bytes.extracting(..<limit), from: start) { return .run(run) }
    return found < bytes.count ? .section(found) : nil
  }

  /// Returns the offset of a section's text that does not end soon.
  private static func section(in bytes: Span<UInt8>, from start: Int) -> Int? {
    var from = start
    while let bracket = bytes.firstIndex(of: UInt8(ascii: "["), from: from) {
      from = bracket + 1
      let mark = bracket - 2
      guard mark >= start, bytes.hasPrefix(sectionMark, at: mark) else { continue }
      let text = mark + sectionMark.utf8CodeUnitCount
      var end = RunEnd(byte: UInt8(ascii: "]"))
      let beginning = bytes.extracting(text..<min(text + shortest, bytes.count))
      guard let short = end.end(in: beginning) else { return text }
      from = text + short
    }
    return nil
  }

  /// Returns the offset where long character data begins after a tag.
  private static func run(in bytes: Span<UInt8>, from start: Int) -> Int? {
    guard var tag = bytes.firstIndex(of: UInt8(ascii: "<"), from: start) else { return nil }
    while bytes.count - tag > shortest {
      // If several tags are close together, only the last one is examined.
      let near = bytes.extracting((tag + 1)..<(tag + 1 + shortest))
      if let last = near.lastIndex(of: UInt8(ascii: "<")) {
        tag += 1 + last
        continue
      }
      guard let end = bytes.firstIndex(of: UInt8(ascii: ">"), from: tag) else { return nil }
      let next = bytes.firstIndex(of: UInt8(ascii: "<"), from: tag + 1 + shortest) ?? bytes.count
      if next - end > shortest { return end + 1 }
      tag = next
    }
    return nil
  }
}

/// The end mark of a CDATA section or a comment, searched across pieces: at least two equal bytes and a `>`.
struct RunEnd {
  /// The byte before the `>`: `]` or `-`.
  let byte: UInt8
  /// The number of these bytes, at most two, that end the last piece and may belong to the mark.
  var held = 0

  /// Returns the offset after the end mark; nil if the next piece does not contain it.
  mutating func end(in bytes: Span<UInt8>) -> Int? {
    var (index, run) = (0, held)
    held = 0
    // Each run is examined once, with the held bytes before the first one.
    while let first = run > 0 ? index : bytes.firstIndex(of: byte, from: index) {
      index = first
      while index < bytes.count, bytes[index] == byte { index += 1 }
      run += index - first
      if index == bytes.count {
        held = min(run, 2)
        return nil
      }
      if run >= 2, bytes[index] == UInt8(ascii: ">") { return index + 1 }
      index += 1
      run = 0
    }
    return nil
  }
}

/// A CDATA section's text across pieces, up to the `]]>` that ends it (XML 1.0, section 2.7).
struct SectionText {
  /// One piece's share of the section.
  struct Part: Equatable {
    /// The number of brackets from previous pieces that turned out to be text. They come first.
    var heldBrackets = 0
    /// The length of the text at the beginning of the piece, in bytes.
    var count: Int
    /// The offset after `]]>`; nil if the section continues.
    var end: Int?
  }

  private var mark = RunEnd(byte: UInt8(ascii: "]"))

  /// The number of brackets, at most two, that end the last piece and may belong to `]]>`.
  var heldBrackets: Int { mark.held }

  /// Searches the next piece for the end.
  mutating func look(in bytes: Span<UInt8>) -> Part {
    let before = mark.held
    let end = mark.end(in: bytes)
    let text = before + (end.map { $0 - "]]>".utf8.count } ?? bytes.count - mark.held)
    let held = min(before, text)
    return Part(heldBrackets: held, count: text - held, end: end)
  }
}

/// Character data between tags that can be read without libxml2. It ends at the next tag, at the end of the
/// piece, or at possible damage (XML 1.0, section 2.4).
struct TextRun: Equatable {
  /// The offset where the text ends.
  var end: Int
  /// True if the text continues in the next piece.
  var isOpen: Bool

  init(in bytes: Span<UInt8>, from start: Int) {
    let tag = bytes.firstIndex(of: UInt8(ascii: "<"), from: start)
    end = tag ?? bytes.count
    isOpen = tag == nil
    var from = start
    // `]]>` is not allowed here; a bracket at the end of a piece may begin it.
    while let bracket = bytes.extracting(..<end).firstIndex(of: UInt8(ascii: "]"), from: from) {
      from = bracket + 1
      if from == end ? isOpen : bytes[from] == UInt8(ascii: "]") {
        end = bracket
        isOpen = false
      }
    }
  }
}

/// A reference that means the same in every document: a character number, or an entity that XML itself
/// defines (XML 1.0, sections 4.1 and 4.6).
struct PlainReference: Equatable {
  /// The character.
  var scalar: UInt32
  /// The offset after the reference.
  var end: Int

  init(_ scalar: UInt32, end: Int) {
    (self.scalar, self.end) = (scalar, end)
  }

  /// Reads the reference with its `&` at `start`. Nil for other references, and for numbers of characters
  /// that text does not allow.
  init?(in bytes: Span<UInt8>, at start: Int) {
    let name = start + 1
    guard name < bytes.count else { return nil }
    switch bytes[name] {
    case UInt8(ascii: "l") where bytes.hasPrefix("lt;", at: name): self.init(0x3C, end: name + 3)
    case UInt8(ascii: "g") where bytes.hasPrefix("gt;", at: name): self.init(0x3E, end: name + 3)
    case UInt8(ascii: "a") where bytes.hasPrefix("amp;", at: name): self.init(0x26, end: name + 4)
    case UInt8(ascii: "a") where bytes.hasPrefix("apos;", at: name): self.init(0x27, end: name + 5)
    case UInt8(ascii: "q") where bytes.hasPrefix("quot;", at: name): self.init(0x22, end: name + 5)
    case UInt8(ascii: "#"): self.init(numberIn: bytes, at: name + 1)
    default: return nil
    }
  }

  private init?(numberIn bytes: Span<UInt8>, at start: Int) {
    guard start < bytes.count else { return nil }
    let isHexadecimal = bytes[start] == UInt8(ascii: "x")
    let first = isHexadecimal ? start + 1 : start
    guard let number = bytes.characterCode(from: first, radix: isHexadecimal ? 16 : 10, digits: 8),
      number.end < bytes.count, bytes[number.end] == UInt8(ascii: ";")
    else { return nil }
    switch number.value {
    // libxml2 judges the others: controls, UTF-16 surrogates, noncharacters.
    case 0x09, 0x0A, 0x20...0x7E, 0xA0...0xD7FF, 0xE000...0xFFFD, 0x1_0000...0x10_FFFF:
      self.init(number.value, end: number.end + 1)
    default: return nil
    }
  }
}
