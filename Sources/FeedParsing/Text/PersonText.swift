internal import Markup

/// The positions at which a text has a person's name and address.
///
/// The forms are `me@example.com (Name)`, `Name <me@example.com>`, `Name (me@example.com)`,
/// `Name <https://example.com/>`, a name, or a mail address alone.
struct PersonText {
  private(set) var name: Range<Int>?
  private(set) var email: Range<Int>?
  private(set) var url: Range<Int>?

  init(_ text: Span<UInt8>) {
    let all = text.trimmed
    if let url = Self.webAddress(text, all) {
      self.url = url
      setName(Self.trimmed(text, all.lowerBound, url.lowerBound))
    } else if let email = Self.mailAddress(text, all) {
      self.email = email
      // The name is the text on either side, without the brackets.
      let before = Self.trimmed(text, all.lowerBound, email.lowerBound)
      setName(before.isEmpty ? Self.trimmed(text, email.upperBound, all.upperBound) : before)
    } else {
      setName(all)
    }
  }

  private mutating func setName(_ range: Range<Int>) {
    if !range.isEmpty { name = range }
  }

  /// Returns the range of an http or https address in brackets at the end.
  private static func webAddress(_ text: Span<UInt8>, _ all: Range<Int>) -> Range<Int>? {
    guard let close = all.last, text[close] == UInt8(ascii: ">") || text[close] == UInt8(ascii: ")") else {
      return nil
    }
    let open = text[close] == UInt8(ascii: ">") ? UInt8(ascii: "<") : UInt8(ascii: "(")
    var start = close
    while start > all.lowerBound, text[start - 1] != open, !text[start - 1].isXMLSpace { start -= 1 }
    guard start > all.lowerBound, text[start - 1] == open else { return nil }
    return text.isWebAddress(at: start) ? start..<close : nil
  }

  private static func mailAddress(_ text: Span<UInt8>, _ all: Range<Int>) -> Range<Int>? {
    guard let at = text.firstIndex(of: UInt8(ascii: "@"), from: all.lowerBound), at < all.upperBound else {
      return nil
    }
    var first = at
    var last = at + 1
    while first > all.lowerBound, isPartOfAddress(text[first - 1]) { first -= 1 }
    while last < all.upperBound, isPartOfAddress(text[last]) { last += 1 }
    return first < at && last > at + 1 ? first..<last : nil
  }

  private static func isPartOfAddress(_ byte: UInt8) -> Bool {
    if byte.isASCIIAlphanumeric || byte >= 0x80 { return true }
    switch byte {
    case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "%"),
      UInt8(ascii: "@"), UInt8(ascii: "="), UInt8(ascii: "'"), UInt8(ascii: "&"):
      return true
    default: return false
    }
  }

  private static func trimmed(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> Range<Int> {
    var (first, last) = (start, end)
    while first < last, isAround(text[first]) { first += 1 }
    while last > first, isAround(text[last - 1]) { last -= 1 }
    // "mailto:" before the address does not belong to the name.
    if last - first >= 6, text.hasPrefixIgnoringCase("mailto", at: last - 6) {
      return trimmed(text, first, last - 6)
    }
    return first..<endOfBrackets(text, first, last, end)
  }

  private static func isAround(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, 0x09, 0x0A, 0x0D, 0x28, 0x29, 0x3C, 0x3E, 0x5B, 0x5D, 0x22, 0x2C, 0x2D, 0x3A, 0x3B: true
    default: false
    }
  }

  /// Returns the index after the brackets that follow `last` and close the name's own brackets.
  private static func endOfBrackets(_ text: Span<UInt8>, _ first: Int, _ last: Int, _ end: Int) -> Int {
    var open = 0
    for index in first..<last {
      if text[index] == UInt8(ascii: "(") { open += 1 }
      if text[index] == UInt8(ascii: ")") { open -= 1 }
    }
    var last = last
    while open > 0, last < end, text[last] == UInt8(ascii: ")") {
      last += 1
      open -= 1
    }
    return last
  }
}

/// Divides a text into several persons.
extension PersonText {
  /// Returns the separator between the persons in a text; nil if the text may be one person.
  ///
  /// A comma separates persons only if each part has a mail address; otherwise it may be the comma in
  /// `Smith, John`.
  static func separator(_ text: Span<UInt8>) -> UInt8? {
    let semicolon = UInt8(ascii: ";")
    let comma = UInt8(ascii: ",")
    if text.firstIndex(of: semicolon) != nil, count(text, semicolon, where: { _ in true }).matching > 1 {
      return semicolon
    }
    guard text.firstIndex(of: comma) != nil else { return nil }
    let parts = count(text, comma) { mailAddress(text, $0) != nil }
    return parts.matching > 1 && parts.matching == parts.all ? comma : nil
  }

  /// Counts the parts that are not blank, and how many of these match.
  private static func count(
    _ text: Span<UInt8>, _ separator: UInt8, where matches: (Range<Int>) -> Bool
  ) -> (all: Int, matching: Int) {
    var count = (all: 0, matching: 0)
    var start = 0
    while start < text.count {
      let end = end(of: text, from: start, separator)
      if !text.extracting(start..<end).trimmed.isEmpty {
        count.all += 1
        if matches(start..<end) { count.matching += 1 }
      }
      start = end + 1
    }
    return count
  }

  /// Returns the end of the part that begins at `start`: the next separator outside brackets and quotation
  /// marks.
  static func end(of text: Span<UInt8>, from start: Int, _ separator: UInt8) -> Int {
    var depth = 0
    var isQuoted = false
    for index in start..<text.count {
      switch text[index] {
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: "("), UInt8(ascii: "<"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: ">"), UInt8(ascii: "]"): depth = max(0, depth - 1)
      case separator where depth == 0 && !isQuoted && !endsReference(text, index): return index
      default: break
      }
    }
    return text.count
  }

  /// Returns whether the semicolon at `index` belongs to an unknown HTML reference.
  private static func endsReference(_ text: Span<UInt8>, _ index: Int) -> Bool {
    guard text[index] == UInt8(ascii: ";") else { return false }
    var start = index
    while start > 0, index - start < 32,
      text[start - 1].isASCIIAlphanumeric || text[start - 1] == UInt8(ascii: "#")
    {
      start -= 1
    }
    return start < index && start > 0 && text[start - 1] == UInt8(ascii: "&")
  }
}
