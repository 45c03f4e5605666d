internal import CLibXML2

/// How far the parser is in the CDATA section whose text it hands over past libxml2.
struct PassedSection {
  /// Whether what comes next is text of a section.
  var isOpen = false
  var text = SectionText()
  /// Whether its text ended in a carriage return, to which a line feed may belong.
  var endsInReturn = false
  /// How many bytes libxml2 has not seen in all.
  var byteCount = 0
}

/// The text of CDATA sections.
extension StrictParser {
  /// Whether libxml2 stands at the beginning of a CDATA section's text, and has nothing else that waits.
  var isAtSection: Bool {
    guard unsafe context.pointee.instate == XML_PARSER_CDATA_SECTION, let input = unsafe context.pointee.input
    else { return false }
    return unsafe !isDamaged && context.pointee.inputNr == 1 && input.pointee.cur == input.pointee.end
  }

  /// Hands over the text of a CDATA section past libxml2, which would go over each byte of it three times: for its end,
  /// for good UTF-8, which it is, and to count lines. For libxml2 the section is empty.
  ///
  /// - Returns: Where libxml2 is to go on: at the end of the section, or of the bytes.
  func passSection(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    let held = section.text.heldBrackets
    let rest = unsafe UnsafeBufferPointer(rebasing: bytes[start...])
    let part = unsafe section.text.look(in: rest.span)
    let brackets: [UInt8] = .init(repeating: UInt8(ascii: "]"), count: part.heldBrackets)
    unsafe brackets.withUnsafeBufferPointer { unsafe sectionText($0) }
    unsafe sectionText(UnsafeBufferPointer(rebasing: rest[..<part.count]))
    section.byteCount += part.heldBrackets + part.count
    guard let end = part.end else { return bytes.count }
    section.isOpen = false
    if held == part.heldBrackets { return start + part.count }
    // Its end began in an earlier piece.
    unsafe Array("]]>".utf8).withUnsafeBufferPointer { unsafe feed($0, 0..<$0.count) }
    return start + end
  }

  /// Text of a CDATA section. Its lines end as they do elsewhere, which libxml2 does not see to when it gets a document in
  /// pieces (XML 1.0, section 2.11).
  func sectionText(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let first = unsafe bytes.first else { return }
    var start = section.endsInReturn && first == UInt8(ascii: "\n") ? 1 : 0
    while let lineEnd = unsafe bytes.span.firstIndex(of: UInt8(ascii: "\r"), from: start) {
      unsafe text(UnsafeBufferPointer(rebasing: bytes[start..<lineEnd]))
      unsafe Self.lineFeed.withUnsafeBufferPointer { unsafe text($0) }
      start = lineEnd + 1
      if start < bytes.count, unsafe bytes[start] == UInt8(ascii: "\n") { start += 1 }
    }
    section.endsInReturn = unsafe bytes[bytes.count - 1] == UInt8(ascii: "\r")
    unsafe text(UnsafeBufferPointer(rebasing: bytes[start...]))
  }

  private static let lineFeed = [UInt8(ascii: "\n")]
}
