internal import CLibXML2
internal import Glibc

/// HTML character references: numbers, and the names that feeds use without declaring them.
public enum HTMLEntity {
  /// The characters for a reference, and the index after it.
  public struct Reference: Equatable, Sendable {
    /// The character; nil if HTML does not have the reference.
    public let scalar: UInt32?
    /// A second character, which a few names have.
    public let mark: UInt32?
    /// The index after the reference; the start without a reference.
    public let end: Int

    init(_ scalar: UInt32? = nil, mark: UInt32? = nil, end: Int) {
      (self.scalar, self.mark, self.end) = (scalar, mark, end)
    }
  }

  /// The longest name in HTML 4, and among names that need no semicolon.
  private static let longestUsualName = 8

  /// Returns the character that HTML 4 names `name` (without `&` and `;`), or nil.
  private static func scalar(named name: Span<UInt8>) -> UInt32? {
    guard name.count > 0, name.count <= longestUsualName else { return nil }
    return scalars[key(of: name)]
  }

  /// Returns the character that HTML names `name` (without `&` and `;`), and a second one for some names; or
  /// nil.
  static func characters(named name: Span<UInt8>) -> (UInt32, UInt32?)? {
    if let scalar = scalar(named: name) { return (scalar, nil) }
    guard name.count > 1, name.count <= HTMLNames.longest else { return nil }
    return HTMLNames.characters(named: name)
  }

  /// Returns a name as one number, which has room for the longest name.
  private static func key(of name: Span<UInt8>) -> UInt64 {
    var key: UInt64 = 0
    for index in 0..<name.count { key = key << 8 | UInt64(name[index]) }
    return key
  }

  /// The names that libxml2 knows, in a table. libxml2 itself would compare each name at every call.
  private static let scalars: [UInt64: UInt32] = {
    var scalars: [UInt64: UInt32] = [:]
    for value in 0x22...0x2666 as ClosedRange<UInt32> {
      guard let name = unsafe htmlEntityValueLookup(value)?.pointee.name else { continue }
      let bytes = unsafe UnsafeBufferPointer(start: name, count: strlen(name))
      let key = unsafe bytes.reduce(0 as UInt64) { $0 << 8 | UInt64(UInt8(bitPattern: $1)) }
      scalars[key] = value
    }
    // HTML 5 has other characters for these two.
    for (name, value) in [("lang", 0x27E8), ("rang", 0x27E9)] as [(String, UInt32)] {
      scalars[name.utf8.reduce(0) { $0 << 8 | UInt64($1) }] = value
    }
    return scalars
  }()

  /// Returns the character for a numeric reference. The numbers 128 to 159 are read as windows-1252, and
  /// invalid ones as U+FFFD.
  public static func scalar(numbered number: UInt32) -> UInt32 {
    switch number {
    case 0x80...0x9F: WindowsCodePage.scalar(for: UInt8(truncatingIfNeeded: number))
    case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x1_0000...0x10_FFFF: number
    default: 0xFFFD
    }
  }

  /// Appends the character reference with its `&` at `start` as UTF-8.
  ///
  /// - Returns: The index after the reference; `start` if HTML does not have the reference.
  public static func appendReference(
    in text: Span<UInt8>, at start: Int, to bytes: inout [UInt8]
  ) -> Int {
    let reference = decode(text, at: start)
    if let scalar = reference.scalar { bytes.append((scalar, reference.mark)) }
    return reference.end
  }

  /// Appends the character reference with its `&` at `start` as UTF-8, as browsers read it (HTML Standard,
  /// 13.2.5.72).
  ///
  /// Old names need no semicolon, even within a word.
  ///
  /// - Parameter isInAttribute: True for an attribute value, which may be an address with parameters to keep.
  /// - Returns: The index after the reference; `start` if HTML does not have the reference.
  package static func appendReference(
    in text: Span<UInt8>, at start: Int, isInAttribute: Bool, to bytes: inout [UInt8]
  ) -> Int {
    let end = appendReference(in: text, at: start, to: &bytes)
    guard end == start else { return end }
    let first = start + 1
    var index = first
    while index < text.count, index - first < longestOldName, text[index].isASCIIAlphanumeric { index += 1 }
    while index > first + 1 {
      let name = text.extracting(first..<index)
      if let scalar = scalar(named: name) ?? HTMLNames.characters(named: name)?.0, scalar < 0x100,
        isOld(name)
      {
        let next = index < text.count ? text[index] : 0
        if isInAttribute, next == UInt8(ascii: "=") || next.isASCIIAlphanumeric { return start }
        bytes.appendUTF8(scalar)
        return index
      }
      index -= 1
    }
    return start
  }

  /// The longest name that needs no semicolon.
  private static let longestOldName = 6

  /// Returns whether a name for Latin-1 or markup needs no semicolon: the HTML 4 names, and six in upper
  /// case.
  private static func isOld(_ name: Span<UInt8>) -> Bool {
    if scalar(named: name) != nil { return !(name.count == 4 && name.hasPrefix("apos")) }
    return ["AMP", "COPY", "GT", "LT", "QUOT", "REG"].contains(name.text)
  }

  /// Appends a named reference without a semicolon, with its `&` at `start`, as browsers do. Only names for
  /// Latin-1 and markup are decoded, and only before white space, so that address parameters are not changed.
  ///
  /// - Returns: The index after the name; `start` if the name is unknown.
  static func appendUnfinished(in text: Span<UInt8>, at start: Int, to bytes: inout [UInt8]) -> Int {
    var index = start + 1
    while index < text.count, index - start <= longestUsualName, text[index].isASCIIAlphanumeric {
      index += 1
    }
    guard index < text.count, text[index].isXMLSpace,
      let scalar = scalar(named: text.extracting((start + 1)..<index)), scalar < 0x100
    else { return start }
    bytes.appendUTF8(scalar)
    return index
  }

  /// Returns the reference at `start`: its character and the index after it; nil and `start` without a
  /// reference.
  public static func decode(_ text: Span<UInt8>, at start: Int) -> Reference {
    var index = start + 1
    guard index < text.count else { return Reference(end: start) }
    if text[index] == UInt8(ascii: "#") {
      let number = decodeNumber(text, at: start)
      return Reference(number.scalar, end: number.end)
    }
    let limit = min(text.count, index + HTMLNames.longest + 1)
    while index < limit, text[index].isASCIIAlphanumeric { index += 1 }
    guard index < limit, index > start + 1, text[index] == UInt8(ascii: ";"),
      let characters = characters(named: text.extracting((start + 1)..<index))
    else { return Reference(end: start) }
    return Reference(characters.0, mark: characters.1, end: index + 1)
  }

  /// Reads `&#123;` or `&#x1F;`; the semicolon may be missing.
  private static func decodeNumber(
    _ text: Span<UInt8>, at start: Int, isSecondHalf: Bool = false
  ) -> (scalar: UInt32?, end: Int) {
    let first = start + 2
    let isHexadecimal = first < text.count && text[first] | 0x20 == UInt8(ascii: "x")
    let code = text.characterCode(from: isHexadecimal ? first + 1 : first, radix: isHexadecimal ? 16 : 10)
    guard let (number, end) = code else { return (nil, start) }
    let index = end < text.count && text[end] == UInt8(ascii: ";") ? end + 1 : end
    if !isSecondHalf, number & 0x1F_FC00 == 0xD800, text.hasPrefix("&#", at: index) {
      // A UTF-16 surrogate pair, which some programs write for characters beyond U+FFFF.
      let other = decodeNumber(text, at: index, isSecondHalf: true)
      if let low = other.scalar { return (0x1_0000 + ((number & 0x3FF) << 10) + (low & 0x3FF), other.end) }
    }
    if isSecondHalf { return number & 0x1F_FC00 == 0xDC00 ? (number, index) : (nil, start) }
    return (scalar(numbered: number), index)
  }

  /// Returns whether the reference at `start` may be the first half of a surrogate pair.
  static func mayBeFirstHalf(_ text: Span<UInt8>, at start: Int) -> Bool {
    text.hasPrefix("&#5", at: start) || text.hasPrefixIgnoringCase("&#xd", at: start)
  }
}

extension [UInt8] {
  /// Appends a reference's characters.
  mutating func append(_ characters: (UInt32, UInt32?)) {
    appendUTF8(characters.0)
    if let mark = characters.1 { appendUTF8(mark) }
  }
}
