import FeedParsing
import TextOutput

/// Writes JSON (RFC 8259) at the end of an arena, with texts of the same arena.
struct JSONArena {
  private(set) var bytes: [UInt8]

  init(_ bytes: consuming [UInt8]) {
    self.bytes = bytes
  }

  mutating func array<Element>(
    _ elements: some Collection<Element>, _ body: (inout JSONArena, Element) -> Void
  ) {
    bytes.append(UInt8(ascii: "["))
    for (place, element) in elements.enumerated() {
      if place > 0 { bytes.append(UInt8(ascii: ",")) }
      body(&self, element)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// Writes an object of the texts that exist, and a number.
  mutating func object(
    _ fields: [(name: String, value: ByteSlice?)], number: (name: String, value: Int64)? = nil
  ) {
    bytes.append(UInt8(ascii: "{"))
    var isFirst = true
    for case (let name, let value?) in fields {
      addName(name, isFirst: &isFirst)
      text(value)
    }
    if let number {
      addName(number.name, isFirst: &isFirst)
      bytes += String(number.value).utf8
    }
    bytes.append(UInt8(ascii: "}"))
  }

  private mutating func addName(_ name: String, isFirst: inout Bool) {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
    bytes.append(UInt8(ascii: "\""))
    bytes += name.utf8
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  mutating func text(_ slice: ByteSlice) {
    bytes.append(UInt8(ascii: "\""))
    for place in slice.range {
      let byte = bytes[place]
      guard JSONEscape.isPlain(byte) else {
        // A copy, because the array cannot be read while it grows. Few texts need it.
        let rest = Array(bytes[place..<slice.range.upperBound])
        JSONText.append(escaping: rest.span, to: &bytes)
        break
      }
      bytes.append(byte)
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
