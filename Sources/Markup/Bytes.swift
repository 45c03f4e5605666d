internal import Glibc
internal import TextOutput

extension UInt8 {
  /// True for XML white space: space, tab, line feed and carriage return.
  @inlinable package var isXMLSpace: Bool {
    self == 0x20 || self == 0x0A || self == 0x09 || self == 0x0D
  }

  /// True for HTML white space: XML white space and the form feed.
  @inlinable package var isHTMLSpace: Bool { isXMLSpace || self == 0x0C }

  /// True for a byte that ends a tag's name in HTML.
  @inlinable package var endsHTMLName: Bool {
    isHTMLSpace || self == UInt8(ascii: "/") || self == UInt8(ascii: ">")
  }

  /// True for A to Z, a to z, 0 to 9.
  @inlinable package var isASCIIAlphanumeric: Bool { isASCIILetter || isASCIIDigit }

  /// True for A to Z, a to z.
  @inlinable package var isASCIILetter: Bool { (self | 0x20) &- 0x61 < 26 }

  /// True for 0 to 9.
  @inlinable package var isASCIIDigit: Bool { self &- 0x30 < 10 }

  /// True for a byte that can begin an XML name in a document that may be damaged.
  @inlinable package var isXMLNameStart: Bool {
    isASCIILetter || self == UInt8(ascii: "_") || self == UInt8(ascii: ":") || self >= 0x80
  }

  /// True for a byte that ends an XML name in a document that may be damaged.
  @inlinable package var endsXMLName: Bool {
    switch self {
    case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: "/"), UInt8(ascii: ">"), UInt8(ascii: "="), UInt8(ascii: "<"),
      0x22, 0x27:
      true
    default: false
    }
  }

  /// The letter in lower case; any other byte unchanged.
  @inlinable package var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

  /// The value as a hexadecimal digit, or nil.
  @inlinable package var hexadecimalDigit: UInt8? {
    if isASCIIDigit { return self &- 0x30 }
    let letter = (self | 0x20) &- 0x61
    return letter < 6 ? letter &+ 10 : nil
  }
}

extension [UInt8] {
  /// Appends the bytes in a span.
  @inlinable package mutating func append(_ span: Span<UInt8>) {
    unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Appends a byte in the form that URLs use: a percent sign and two hexadecimal digits.
  package mutating func appendPercentEncoded(_ byte: UInt8) {
    let digits: StaticString = "0123456789ABCDEF"
    // Both indexes are below 16.
    unsafe append(contentsOf: [0x25, digits.utf8Start[Int(byte >> 4)], digits.utf8Start[Int(byte & 15)]])
  }

  /// Appends a Unicode scalar value as UTF-8; U+FFFD for other numbers.
  package mutating func appendUTF8(_ scalar: UInt32) {
    switch scalar {
    case 0..<0x80:
      append(UInt8(truncatingIfNeeded: scalar))
    case 0x80..<0x800:
      append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
      append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
    case 0x800..<0xD800, 0xE000..<0x1_0000:
      append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
      append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F))
      append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
    case 0x1_0000...0x10_FFFF:
      append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
      append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 12 & 0x3F))
      append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F))
      append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
    default:
      append(contentsOf: [0xEF, 0xBF, 0xBD])
    }
  }
}

extension Span<UInt8> {
  /// Returns whether the bytes from `start` on begin with `text`.
  @inlinable package func hasPrefix(_ text: StaticString, at start: Int = 0) -> Bool {
    let length = text.utf8CodeUnitCount
    guard start >= 0, count - start >= length, text.hasPointerRepresentation else { return false }
    for index in 0..<length where unsafe self[start + index] != text.utf8Start[index] { return false }
    return true
  }

  /// Returns whether `text` ends with the byte at `last`.
  package func ends(_ text: StaticString, at last: Int) -> Bool {
    hasPrefix(text, at: last + 1 - text.utf8CodeUnitCount)
  }

  /// Returns whether the bytes from `start` on begin with `text`, which is in lower case. Upper and lower
  /// case letters are equal.
  @inlinable package func hasPrefixIgnoringCase(_ text: StaticString, at start: Int = 0) -> Bool {
    let length = text.utf8CodeUnitCount
    guard start >= 0, count - start >= length, text.hasPointerRepresentation else { return false }
    for index in 0..<length where unsafe self[start + index].asciiLowercased != text.utf8Start[index] {
      return false
    }
    return true
  }

  /// Returns whether the bytes equal `text`, which is in lower case. Upper and lower case letters are equal.
  @inlinable package func equalsIgnoringCase(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && hasPrefixIgnoringCase(text)
  }

  /// Returns whether an absolute address with http or https begins at `start`.
  package func isWebAddress(at start: Int = 0) -> Bool {
    guard hasPrefixIgnoringCase("http", at: start), count > start + 4 else { return false }
    return hasPrefix("://", at: start + (self[start + 4] | 0x20 == UInt8(ascii: "s") ? 5 : 4))
  }

  /// Returns whether `names`, in lower case, contain the bytes. Upper and lower case letters are equal.
  package func isNamed(anyOf names: [StaticString]) -> Bool {
    for name in names where equalsIgnoringCase(name) { return true }
    return false
  }

  /// Returns whether the bytes contain `text`, which is in lower case. Upper and lower case letters are
  /// equal.
  package func containsIgnoringCase(_ text: StaticString) -> Bool {
    guard count >= text.utf8CodeUnitCount else { return false }
    return (0...(count - text.utf8CodeUnitCount)).contains { hasPrefixIgnoringCase(text, at: $0) }
  }

  /// An FNV-1a hash for names, equal for upper and lower case letters.
  package var hashIgnoringCase: UInt64 {
    var hash = FNV1a()
    for index in indices { hash.add(self[index].asciiLowercased) }
    return hash.value
  }

  /// The range without leading and trailing white space.
  package var trimmed: Range<Int> { trimmed(from: 0) }

  /// Returns the range from `start` on without leading and trailing white space.
  package func trimmed(from start: Int) -> Range<Int> {
    let first = skippingSpace(from: start)
    var last = count
    while last > first, self[last - 1].isXMLSpace { last -= 1 }
    return first..<last
  }

  /// The index after an address's scheme, authority and path: the first `?` or `#`, or ``count`` (RFC 3986,
  /// section 3.3).
  package var endOfPath: Int {
    indices.first { self[$0] == UInt8(ascii: "?") || self[$0] == UInt8(ascii: "#") } ?? count
  }

  /// Returns the first index from `start` on that is not white space; ``count`` if all bytes are.
  @inlinable package func skippingSpace(from start: Int) -> Int {
    var index = start
    while index < count, self[index].isXMLSpace { index += 1 }
    return index
  }

  /// Returns the number that begins at `start`, and the index after its digits; nil without a digit.
  ///
  /// A number above U+10FFFF becomes 0x11_0000.
  ///
  /// - Parameter digits: The maximum number of digits to read.
  package func characterCode(
    from start: Int, radix: UInt32, digits: Int = .max
  ) -> (value: UInt32, end: Int)? {
    var (index, value) = (start, 0 as UInt32)
    while index < count, index - start < digits, let digit = self[index].hexadecimalDigit, digit < radix {
      value = Swift.min(value &* radix &+ UInt32(digit), 0x11_0000)
      index += 1
    }
    return index > start ? (value, index) : nil
  }

  /// Returns the index of the first `>` from `start` on that is not in quotation marks, or nil.
  package func endOutsideQuotes(from start: Int) -> Int? {
    var quote: UInt8 = 0
    for index in start..<count {
      let byte = self[index]
      if quote != 0 {
        if byte == quote { quote = 0 }
      } else if byte == 0x22 || byte == 0x27 {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        return index
      }
    }
    return nil
  }

  /// Returns the first index of `byte` from `start` on, or nil.
  package func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
    guard start < count else { return nil }
    return unsafe withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress,
        let found = unsafe memchr(base + start, Int32(byte), count - start)
      else { return nil }
      return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
  }

  /// Returns the last index of `byte`, or nil.
  package func lastIndex(of byte: UInt8) -> Int? {
    unsafe withUnsafeBytes { buffer in
      var end = buffer.count
      while end >= 8,
        unsafe buffer.loadUnaligned(fromByteOffset: end - 8, as: UInt64.self).marks(of: byte) == 0
      {
        end -= 8
      }
      while end > 0 {
        end -= 1
        if unsafe buffer[end] == byte { return end }
      }
      return nil
    }
  }

  /// Returns the first `"`, `&`, `<` or `>` from `start` on, or nil.
  package func firstMarkup(from start: Int) -> Int? {
    // `<` and `>` differ in one bit, which is set here, and so do `"` and `&`.
    firstIndex(from: start) { bytes in
      (bytes | 0x0202_0202_0202_0202).marks(of: 0x3E) | (bytes | 0x0404_0404_0404_0404).marks(of: 0x26)
    }
  }

  /// The bytes as a string; bytes that are not UTF-8 become U+FFFD.
  package var text: String { unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) } }
}
