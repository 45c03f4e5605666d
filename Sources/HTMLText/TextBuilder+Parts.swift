internal import Markup
internal import TextOutput

/// An item's number in a list (HTML Standard, section 4.4.5).
enum ListNumber {
  case decimal, letters, capitals, roman, largeRoman

  /// Reads a list's `type`.
  init?(_ type: String) {
    switch type {
    case "1": self = .decimal
    case "a": self = .letters
    case "A": self = .capitals
    case "i": self = .roman
    case "I": self = .largeRoman
    default: return nil
    }
  }

  func text(of number: Int) -> String {
    switch self {
    case .decimal: "\(number)"
    case .letters: Self.letters(of: number)
    case .capitals: Self.letters(of: number).uppercased()
    case .roman: Self.roman(number)
    case .largeRoman: Self.roman(number).uppercased()
    }
  }

  /// Returns a, b, … z, aa, ab, …; digits for numbers below 1.
  private static func letters(of number: Int) -> String {
    guard number > 0 else { return "\(number)" }
    var rest = number
    var letters: [UInt8] = []
    while rest > 0 {
      rest -= 1
      letters.append(UInt8(ascii: "a") + UInt8(rest % 26))
      rest /= 26
    }
    return String(decoding: letters.reversed(), as: UTF8.self)
  }

  /// Returns i, ii, iii, …; digits for numbers beyond Roman numerals.
  private static func roman(_ number: Int) -> String {
    guard (1..<4000).contains(number) else { return "\(number)" }
    var rest = number
    var text = ""
    for (value, letters) in [
      (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
      (10, "x"),
      (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
    ] {
      while rest >= value {
        text += letters
        rest -= value
      }
    }
    return text
  }
}

/// The sign before a superscript or subscript.
enum ScriptSign {
  /// Nothing: a footnote in brackets, a trade mark, an ordinal's ending.
  case none
  /// "^" or "_".
  case sign
  /// The sign, and parentheses around the content, because it is more than a number or a word.
  case parentheses

  init(_ content: [UInt8], isSuperscript: Bool, after previous: UInt8) {
    let words = content.drop(while: \.isHTMLSpace)
    guard let first = words.first, let last = words.last(where: { !$0.isHTMLSpace }) else {
      self = .none
      return
    }
    let isMinus = words.starts(with: "−".utf8)
    let digits = words.dropFirst(
      isMinus ? 3 : first == UInt8(ascii: "-") || first == UInt8(ascii: "+") ? 1 : 0)
    let isWord = digits.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: ".") || $0.isHTMLSpace }
    let isOrdinal =
      isSuperscript && previous.isASCIIDigit && words.count > 1 && words.allSatisfy(\.isASCIILetter)
    if isOrdinal {
      self = .none
    } else if isWord, digits.last.map({ !$0.isHTMLSpace }) == true {
      self = .sign
    } else if first == UInt8(ascii: "[") || first == UInt8(ascii: "(")
      || first >= 0x80 && words.count <= 4 && !isMinus
    {
      self = first == UInt8(ascii: "(") && last == UInt8(ascii: ")") ? .sign : .none
    } else {
      self = .parentheses
    }
  }
}

/// Text without the characters that move the cursor or override the writing direction.
enum VisibleText {
  static func append(_ bytes: Span<UInt8>, to text: inout [UInt8]) {
    var copied = 0
    var place = 0
    while place < bytes.count {
      let length = length(ofControlIn: bytes, at: place)
      if length > 0 {
        text.append(bytes.extracting(copied..<place))
        copied = place + length
        // A line or paragraph separator.
        if length == 3, bytes[place + 1] == 0x80, bytes[place + 2] & 0xFE == 0xA8 {
          text.append(UInt8(ascii: " "))
        }
      }
      place += max(1, length)
    }
    text.append(bytes.extracting(copied..<bytes.count))
  }

  /// Returns whether any character of a text is visible.
  static func isPart(of bytes: Span<UInt8>) -> Bool {
    var place = 0
    while place < bytes.count {
      let length = length(ofControlIn: bytes, at: place)
      if length == 0 { return true }
      place += length
    }
    return false
  }

  /// Returns the length of the control character at an index, in bytes; 0 for other characters.
  private static func length(ofControlIn bytes: Span<UInt8>, at place: Int) -> Int {
    let byte = bytes[place]
    if byte < 0x80 { return byte < 0x20 && byte != 0x0A || byte == 0x7F ? 1 : 0 }
    let size: Int
    switch byte {
    case 0xC2, 0xD8: size = 2
    case 0xE2, 0xEF: size = 3
    default: return 0
    }
    guard bytes.count - place >= size else { return 0 }
    var value = UInt32(byte) & (size == 2 ? 0x1F : 0x0F)
    for index in place + 1..<place + size { value = value << 6 | UInt32(bytes[index]) & 0x3F }
    return Unicode.Scalar(value).map { $0 == "\u{200B}" || !$0.isShown } == true ? size : 0
  }

  /// Returns whether a character is a control character, invisible, or states a writing direction.
  static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\u{200B}" || Unicode.Scalar.isUnsafe(scalar.value)
  }
}

extension HTMLTree {
  /// Returns the number of items directly inside a list.
  func numberOfItems(in list: Index) -> Int {
    var count = 0
    var child = nodes[Int(list)].first
    while child > 0 {
      if nodes[Int(child)].tag == .li { count += 1 }
      child = nodes[Int(child)].next
    }
    return count
  }

  /// Returns an element's first characters, which are enough to know its kind.
  func beginning(of element: Index) -> [UInt8] {
    var beginning: [UInt8] = []
    var node = element
    for _ in 0..<8 {
      guard let next = following(node, in: element), beginning.count < 32 else { break }
      node = next
      if nodes[Int(node)].tag == nil { beginning += text[nodes[Int(node)].content.range.prefix(32)] }
    }
    return beginning
  }

  /// Returns whether all cells in a table are single lines, so that they can be written in columns.
  ///
  /// The search ends at the first table inside, so the tables of a document are searched in linear time.
  func isTableOfTexts(_ table: Index) -> Bool {
    var node = table
    var blocks = 0
    while let next = following(node, in: table) {
      node = next
      guard let tag = nodes[Int(node)].tag else { continue }
      switch tag {
      case .table, .ul, .ol, .menu, .dir, .dl, .pre, .listing, .xmp, .plaintext, .blockquote, .hr, .figure,
        .iframe,
        .h1, .h2, .h3, .h4, .h5, .h6, .noscript, .details, .object, .fieldset:
        return false
      case .td, .th: blocks = 0
      case .p, .div:
        blocks += 1
        if blocks > 1 { return false }
      default: break
      }
    }
    return true
  }
}
