/// Replaces the line ends of a document by line feeds, before anything else reads it (XML 1.0, section 2.11).
struct LineEnds {
  /// True if the last piece ended in a carriage return: a line feed at the beginning of the next one belongs to it.
  private var endsInReturn = false
  private var normalized: [UInt8] = []

  /// Calls `body` with the next piece of the document, in which line feeds end the lines.
  mutating func normalize(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ body: (UnsafeBufferPointer<UInt8>) throws(XMLReadError) -> Void
  ) throws(XMLReadError) {
    guard let last = unsafe bytes.last else { return }
    var start = unsafe endsInReturn && bytes[0] == UInt8(ascii: "\n") ? 1 : 0
    endsInReturn = last == UInt8(ascii: "\r")
    guard var lineEnd = unsafe bytes.span.firstIndex(of: UInt8(ascii: "\r"), from: start) else {
      return try unsafe body(UnsafeBufferPointer(rebasing: bytes[start...]))
    }
    normalized.removeAll(keepingCapacity: true)
    while true {
      unsafe normalized.append(contentsOf: bytes[start..<lineEnd])
      normalized.append(UInt8(ascii: "\n"))
      start = lineEnd + 1
      if start < bytes.count, unsafe bytes[start] == UInt8(ascii: "\n") { start += 1 }
      guard let next = unsafe bytes.span.firstIndex(of: UInt8(ascii: "\r"), from: start) else { break }
      lineEnd = next
    }
    unsafe normalized.append(contentsOf: bytes[start...])
    try unsafe normalized.withUnsafeBufferPointer { text throws(XMLReadError) in try unsafe body(text) }
  }
}
