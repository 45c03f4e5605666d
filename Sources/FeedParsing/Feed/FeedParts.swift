/// The feed's module elements, in parts like those of items.
package struct FeedParts: Sendable, Equatable {
  /// The parts' texts, as UTF-8.
  private(set) var bytes: [UInt8] = []
  private(set) var parts: [ParsedExtension] = []

  /// Adds a part.
  ///
  /// - Parameter element: The element's number.
  mutating func append(
    _ kind: ParsedExtension.Kind, _ field: ParsedExtension.Field, element: UInt16,
    _ text: some Collection<UInt8>
  ) {
    let value = ByteSlice(
      offset: UInt32(truncatingIfNeeded: bytes.count), count: UInt32(truncatingIfNeeded: text.count))
    parts.append(ParsedExtension(kind: kind, field: field, element: element, value: value))
    bytes.append(contentsOf: text)
  }
}
