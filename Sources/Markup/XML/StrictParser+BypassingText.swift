internal import CLibXML2

/// The state of text that bypasses libxml2.
struct PassedText {
  /// True if a CDATA section's text follows.
  var isInSection = false
  /// True if more character data may follow.
  var isInRun = false
  var section = SectionText()
  /// The total number of bytes that have bypassed libxml2.
  var byteCount = 0
}

/// Text that bypasses libxml2, which would scan each byte in a CDATA section three times: for the end, for
/// valid UTF-8 (known already), and for lines. It would also look up each reference as an entity. libxml2
/// determines where text is.
extension StrictParser {
  /// True if libxml2 is at the beginning of a CDATA section's text and has read everything so far.
  var isAtSection: Bool { unsafe context.pointee.instate == XML_PARSER_CDATA_SECTION && hasReadAll }

  /// True if libxml2 is in an element where character data may follow, and has read everything so far.
  var isAtRun: Bool {
    unsafe context.pointee.instate == XML_PARSER_CONTENT && elements.pointee.depth > 0 && hasReadAll
  }

  private var hasReadAll: Bool {
    guard let input = unsafe context.pointee.input, !isDamaged else { return false }
    return unsafe context.pointee.inputNr == 1 && input.pointee.cur == input.pointee.end
  }

  /// Continues the text in which the last piece ended.
  ///
  /// - Returns: The offset at which libxml2 continues.
  func passOpenText(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    if passed.isInSection { return unsafe passSection(bytes, from: 0) }
    return unsafe passed.isInRun && isAtRun ? passRun(bytes, from: 0) : 0
  }

  /// Delivers a CDATA section's text. For libxml2 the section is empty.
  ///
  /// - Returns: The offset at which libxml2 continues: the section's end, or the byte count.
  func passSection(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    let held = passed.section.heldBrackets
    let rest = unsafe UnsafeBufferPointer(rebasing: bytes[start...])
    let part = unsafe passed.section.look(in: rest.span)
    let brackets: [UInt8] = .init(repeating: UInt8(ascii: "]"), count: part.heldBrackets)
    unsafe brackets.withUnsafeBufferPointer { unsafe text($0) }
    unsafe text(UnsafeBufferPointer(rebasing: rest[..<part.count]))
    passed.byteCount += part.heldBrackets + part.count
    passed.isInSection = part.end == nil
    guard let end = part.end else { return bytes.count }
    if held == part.heldBrackets { return start + part.count }
    // Its end began in an earlier piece.
    unsafe Array("]]>".utf8).withUnsafeBufferPointer { unsafe feed($0, 0..<$0.count) }
    return start + end
  }

  /// Delivers character data and replaces its references, up to the next tag or to characters that only
  /// libxml2 can judge.
  ///
  /// - Returns: The offset at which libxml2 continues.
  func passRun(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    let run = unsafe TextRun(in: bytes.span, from: start)
    let text = unsafe bytes.span.extracting(..<run.end)
    var index = start
    while index < run.end {
      let next = text.firstIndex(of: UInt8(ascii: "&"), from: index) ?? run.end
      let plain = unsafe UnsafeBufferPointer(rebasing: bytes[index..<next])
      unsafe self.text(plain)
      index = next
      guard next < run.end, let reference = PlainReference(in: text, at: next) else { break }
      append(reference.scalar)
      index = reference.end
    }
    passed.byteCount += index - start
    passed.isInRun = run.isOpen && index == run.end
    return index
  }

  private func append(_ scalar: UInt32) {
    guard scalar < 0x80, textCount < Self.textCapacity else { return take(scalar) }
    unsafe text[textCount] = UInt8(truncatingIfNeeded: scalar)
    textCount += 1
  }
}
