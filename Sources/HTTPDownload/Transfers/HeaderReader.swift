/// Reads a transfer's header lines as libcurl passes them, from interim responses, redirects, the final
/// response and its trailers.
package struct HeaderReader {
  /// The header block that was read last.
  package private(set) var block = HeaderBlock()
  /// The size of all lines so far, in bytes.
  private(set) var byteCount = 0
  /// True after a block's empty line. A later line that is not a status line is a trailer.
  private(set) var isComplete = false
  /// True if the last line was a known field, or continued one.
  private var wasKept = false

  /// Creates a reader before the first line.
  package init() {}

  /// Reads one line with its line end.
  package mutating func read(_ line: Span<UInt8>) {
    byteCount += line.count
    if block.status != 0 && !isComplete {
      readField(line)
      return
    }
    // Only trailers follow the final response's head, whatever they contain. Their fields never replace the
    // head's fields.
    guard !isFinal, let status = Self.status(line) else { return }
    block = HeaderBlock(status: status, version: Self.version(line))
    isComplete = false
    wasKept = false
  }

  /// True if no other response follows the block.
  private var isFinal: Bool { isComplete && block.status >= 200 }

  /// Forgets the last response. The size of its lines still counts.
  mutating func beginResponse() {
    block = HeaderBlock()
    isComplete = false
    wasKept = false
  }

  private mutating func readField(_ line: Span<UInt8>) {
    var end = line.count
    while end > 0, HeaderBytes.isBlank(line[end - 1]) { end -= 1 }
    guard end > 0 else {
      isComplete = true
      return
    }
    if line[0] == 0x20 || line[0] == 0x09 {
      // obs-fold (RFC 9112, section 5.2): a line break inside a value is read as a space.
      if wasKept { block.fold(line, Self.start(line, 0, end)..<end) }
      return
    }
    wasKept = false
    var colon = 0
    while colon < end, line[colon] != UInt8(ascii: ":") { colon += 1 }
    guard colon < end else { return }
    // Blanks before the colon are forbidden, but libcurl accepts them.
    var nameEnd = colon
    while nameEnd > 0, HeaderBytes.isBlank(line[nameEnd - 1]) { nameEnd -= 1 }
    guard let field = HeaderBlock.Field(name: line.extracting(0..<nameEnd)) else { return }
    block.add(line, Self.start(line, colon + 1, end)..<end, to: field)
    wasKept = true
  }

  /// Returns the position of the first byte from `start` to `end` that is no blank.
  private static func start(_ line: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    var start = start
    while start < end, HeaderBytes.isBlank(line[start]) { start += 1 }
    return start
  }

  /// Returns the version from `HTTP/1.1 200 OK`; later than 1.1 if it is neither 1.0 nor 1.1.
  private static func version(_ line: Span<UInt8>) -> HeaderBlock.Version {
    guard line.count > 7, line[5] == UInt8(ascii: "1"), line[6] == UInt8(ascii: ".") else { return .later }
    return line[7] == UInt8(ascii: "0") ? .http10 : .http11
  }

  /// Returns the code from `HTTP/1.1 200 OK`; nil for any other line.
  private static func status(_ line: Span<UInt8>) -> Int? {
    let prefix: StaticString = "HTTP/"
    guard line.count > prefix.utf8CodeUnitCount else { return nil }
    let isStatusLine = "HTTP/".utf8.enumerated().allSatisfy { line[$0.offset] == $0.element }
    guard isStatusLine else { return nil }
    var index = prefix.utf8CodeUnitCount
    while index < line.count, line[index] != 0x20 { index += 1 }
    while index < line.count, line[index] == 0x20 { index += 1 }
    var code = 0
    var digits = 0
    while index < line.count, digits < 3, line[index] >= UInt8(ascii: "0"), line[index] <= UInt8(ascii: "9") {
      code = code * 10 + Int(line[index] - UInt8(ascii: "0"))
      digits += 1
      index += 1
    }
    return code
  }
}
