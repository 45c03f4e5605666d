internal import Markup

/// The values of attributes, and the texts at the end of the batch's bytes.
extension FeedBuilder {
  /// Appends the value of an attribute without a namespace; false if it is missing.
  mutating func append(_ local: LocalName, of attributes: XMLAttributes) -> Bool {
    for index in 0..<attributes.count {
      guard let name = attributes.name(at: index), names.meaning(of: name) == ElementName(.rss, local) else {
        continue
      }
      attributes.appendValue(at: index, to: &batch.bytes)
      if isInItem { checkItem() }
      return true
    }
    return false
  }

  /// Returns the value of an attribute as a slice of the item's texts; nil if it is missing or empty.
  mutating func slice(_ local: LocalName, of attributes: XMLAttributes) -> ByteSlice? {
    let start = batch.bytes.count
    guard append(local, of: attributes) else { return nil }
    return trimmedSlice(from: start)
  }

  /// Returns the result of `body` for the value of an attribute without surrounding white space; nil if it is missing
  /// or blank.
  mutating func value<Result>(
    _ local: LocalName, of attributes: XMLAttributes, _ body: (Span<UInt8>) -> Result?
  ) -> Result? {
    for index in 0..<attributes.count {
      guard let name = attributes.name(at: index), names.meaning(of: name) == ElementName(.rss, local) else {
        continue
      }
      return attributes.withValue(at: index) { value in
        let text = value.extracting(value.trimmed)
        return text.isEmpty ? nil : body(text)
      }
    }
    return nil
  }

  // MARK: Texts

  /// Returns the text from `start` on without surrounding white space, as a slice that counts from `itemStart`. If it
  /// is blank, it is removed, and the result is nil.
  mutating func trimmedSlice(from start: Int) -> ByteSlice? {
    var first = start
    var last = batch.bytes.count
    while first < last, batch.bytes[first].isXMLSpace { first += 1 }
    while last > first, batch.bytes[last - 1].isXMLSpace { last -= 1 }
    batch.bytes.removeSubrange(last...)
    guard last > first else {
      batch.bytes.removeSubrange(start...)
      return nil
    }
    return ByteSlice(
      offset: UInt32(truncatingIfNeeded: first - itemStart), count: UInt32(truncatingIfNeeded: last - first))
  }

  /// Removes the text from `start` on, and returns it as a string; nil if it is blank.
  mutating func takeText(from start: Int) -> String? {
    let slice = trimmedSlice(from: start)
    let text = slice.map { String(decoding: batch.bytes[$0.moved(by: itemStart).range], as: UTF8.self) }
    batch.bytes.removeSubrange(min(start, batch.bytes.count)...)
    return text
  }

  /// Returns the empty buffer for rewritten text; ``replace(from:with:)`` takes it back.
  mutating func takeScratch() -> [UInt8] {
    var buffer: [UInt8] = []
    swap(&buffer, &scratch)
    buffer.removeAll(keepingCapacity: true)
    return buffer
  }

  /// Replaces the text from `start` on.
  mutating func replace(from start: Int, with text: [UInt8]) {
    batch.bytes.removeSubrange(start...)
    batch.bytes.append(contentsOf: text)
    scratch = text
  }
}
