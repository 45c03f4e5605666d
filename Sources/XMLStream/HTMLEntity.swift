internal import CLibXML2
internal import Glibc

/// Character references of HTML: the names that feeds use without declaring them, and the numbers.
public enum HTMLEntity {
  /// The longest name that is looked up.
  public static let longestName = 8

  /// The character that HTML names `name` (without `&` and `;`), or nil.
  public static func scalar(named name: Span<UInt8>) -> UInt32? {
    guard name.count > 0, name.count <= longestName else { return nil }
    return scalars[key(of: name)]
  }

  /// A name in one number: none has more letters than fit.
  private static func key(of name: Span<UInt8>) -> UInt64 {
    var key: UInt64 = 0
    for index in 0..<name.count { key = key << 8 | UInt64(name[index]) }
    return key
  }

  /// What libxml2 knows: it would compare with each name every time that it is asked.
  private static let scalars: [UInt64: UInt32] = {
    var scalars: [UInt64: UInt32] = [:]
    for value in 0x22...0x2666 as ClosedRange<UInt32> {
      guard let name = unsafe htmlEntityValueLookup(value)?.pointee.name else { continue }
      let bytes = unsafe UnsafeBufferPointer(start: name, count: strlen(name))
      let key = unsafe bytes.reduce(0 as UInt64) { $0 << 8 | UInt64(UInt8(bitPattern: $1)) }
      scalars[key] = value
    }
    return scalars
  }()

  /// The character that the number of a reference stands for: 128 to 159 are taken as windows-1252, what no
  /// text may hold as U+FFFD.
  public static func scalar(numbered number: UInt32) -> UInt32 {
    switch number {
    case 0x80...0x9F: WindowsCodePage.scalar(for: UInt8(truncatingIfNeeded: number))
    case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x1_0000...0x10_FFFF: number
    default: 0xFFFD
    }
  }

  /// Appends the character reference at `start` (which is at `&`) as UTF-8.
  ///
  /// - Returns: Where the text goes on; `start` when there is no reference that HTML knows.
  public static func appendReference(
    in text: Span<UInt8>, at start: Int, to bytes: inout [UInt8]
  ) -> Int {
    let reference = decode(text, at: start)
    if let scalar = reference.scalar { bytes.appendUTF8(scalar) }
    return reference.end
  }

  /// Appends the character that is named at `start` (which is at `&`) without a semicolon, as browsers do: names of
  /// Latin-1 and of markup only, and only before white space, so that the parameters of addresses stay.
  ///
  /// - Returns: Where the text goes on; `start` when there is no such name.
  static func appendUnfinished(in text: Span<UInt8>, at start: Int, to bytes: inout [UInt8]) -> Int {
    var index = start + 1
    while index < text.count, index - start <= longestName, text[index].isASCIIAlphanumeric { index += 1 }
    guard index < text.count, text[index].isXMLSpace,
      let scalar = scalar(named: text.extracting((start + 1)..<index)), scalar < 0x100
    else { return start }
    bytes.appendUTF8(scalar)
    return index
  }

  /// The character of the reference at `start`, and where the text goes on; nil and `start` without one.
  public static func decode(_ text: Span<UInt8>, at start: Int) -> (scalar: UInt32?, end: Int) {
    var index = start + 1
    guard index < text.count else { return (nil, start) }
    if text[index] == UInt8(ascii: "#") { return decodeNumber(text, at: start) }
    while index < text.count, index - start <= longestName + 1, text[index].isASCIIAlphanumeric { index += 1 }
    guard index < text.count, index > start + 1, text[index] == UInt8(ascii: ";"),
      let scalar = scalar(named: text.extracting((start + 1)..<index))
    else { return (nil, start) }
    return (scalar, index + 1)
  }

  /// `&#123;` and `&#x1F;`; the semicolon may be missing.
  private static func decodeNumber(
    _ text: Span<UInt8>, at start: Int, isSecondHalf: Bool = false
  ) -> (scalar: UInt32?, end: Int) {
    var index = start + 2
    var number: UInt32 = 0
    var radix: UInt32 = 10
    if index < text.count, text[index] | 0x20 == UInt8(ascii: "x") {
      radix = 16
      index += 1
    }
    let first = index
    while index < text.count, let digit = text[index].hexadecimalDigit, UInt32(digit) < radix {
      number = min(number &* radix &+ UInt32(digit), 0x11_0000)
      index += 1
    }
    guard index > first else { return (nil, start) }
    if index < text.count, text[index] == UInt8(ascii: ";") { index += 1 }
    if !isSecondHalf, number & 0x1F_FC00 == 0xD800, text.hasPrefix("&#", at: index) {
      // The two halves of UTF-16, as some programs write characters beyond U+FFFF.
      let other = decodeNumber(text, at: index, isSecondHalf: true)
      if let low = other.scalar { return (0x1_0000 + ((number & 0x3FF) << 10) + (low & 0x3FF), other.end) }
    }
    if isSecondHalf { return number & 0x1F_FC00 == 0xDC00 ? (number, index) : (nil, start) }
    return (scalar(numbered: number), index)
  }

  /// Whether the reference at `start` may be the first half of a character, so that the next one belongs to it.
  static func mayBeFirstHalf(_ text: Span<UInt8>, at start: Int) -> Bool {
    text.hasPrefix("&#5", at: start) || text.hasPrefixIgnoringCase("&#xd", at: start)
  }
}
