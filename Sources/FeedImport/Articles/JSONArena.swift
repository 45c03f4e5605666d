import FeedParsing
import TextOutput

/// Writes JSON (RFC 8259) at the end of an arena, with texts from the same arena.
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

  mutating func object(_ body: (inout JSONArena) -> Void) {
    bytes.append(UInt8(ascii: "{"))
    body(&self)
    bytes.append(UInt8(ascii: "}"))
  }

  /// Adds a text to the present object, unless it is nil.
  mutating func field(_ name: StaticString, _ value: ByteSlice?) {
    guard let value else { return }
    key(name)
    text(value)
  }

  /// Adds a whole number to the present object, unless it is nil.
  mutating func field(_ name: StaticString, _ value: Int64?) {
    guard let value else { return }
    key(name)
    bytes += String(value).utf8
  }

  /// Adds a number to the present object, unless it is nil. A whole number has no fraction.
  mutating func field(_ name: StaticString, _ value: Double?) {
    guard let value, value.isFinite else { return }
    key(name)
    bytes += (Int64(exactly: value).map { String($0) } ?? String(value)).utf8
  }

  private mutating func key(_ name: StaticString) {
    if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  mutating func text(_ slice: ByteSlice) {
    bytes.append(UInt8(ascii: "\""))
    if isPlain(slice) {
      copy(slice)
    } else {
      // A copy, because the array cannot be read while it grows. Few texts need it.
      let text = Array(bytes[slice.range])
      JSONText.append(escaping: text.span, to: &bytes)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private func isPlain(_ slice: ByteSlice) -> Bool {
    JSONEscape.next(in: bytes.span.extracting(slice.range), from: 0) == Int(slice.count)
  }

  /// Appends bytes from the arena itself.
  private mutating func copy(_ slice: ByteSlice) {
    let (range, end) = (slice.range, bytes.count)
    bytes.append(contentsOf: repeatElement(0, count: range.count))
    unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe bytes[end...].copyBytes(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
  }
}
