/// Converts all line ends in a document to line feeds before any other step (XML 1.0, section 2.11).
struct LineEnds {
  /// True if the last piece ended with a carriage return: a line feed that begins the next piece belongs to
  /// it.
  private var endsInReturn = false
  private var normalized: [UInt8] = []

  /// Calls `body` with the next piece, with line feeds as line ends.
  mutating func normalize(
    _ bytes: Span<UInt8>, _ body: (Span<UInt8>) throws(XMLReadError) -> Void
  ) throws(XMLReadError) {
    if bytes.isEmpty { return }
    var start = endsInReturn && bytes[0] == UInt8(ascii: "\n") ? 1 : 0
    endsInReturn = bytes[bytes.count - 1] == UInt8(ascii: "\r")
    guard var lineEnd = bytes.firstIndex(of: UInt8(ascii: "\r"), from: start) else {
      return try body(bytes.extracting(start...))
    }
    normalized.removeAll(keepingCapacity: true)
    while true {
      normalized.append(bytes.extracting(start..<lineEnd))
      normalized.append(UInt8(ascii: "\n"))
      start = lineEnd + 1
      if start < bytes.count, bytes[start] == UInt8(ascii: "\n") { start += 1 }
      guard let next = bytes.firstIndex(of: UInt8(ascii: "\r"), from: start) else { break }
      lineEnd = next
    }
    normalized.append(bytes.extracting(start...))
    try body(normalized.span)
  }
}
