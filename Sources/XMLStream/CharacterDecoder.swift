/// Turns the bytes of a document, in any encoding and any chunks, into UTF-8 that XML allows.
///
/// Good UTF-8 is passed on where it stands, without a copy.
package final class CharacterDecoder {
  /// Whose rules tell the encoding.
  private enum Language {
    case xml(contentType: String?)
    case html(contentType: String?)
    case json
  }

  private enum Conversion {
    case undecided
    case none
    case windows1252
    case iconv(IconvConverter)
  }

  private let language: Language
  private var conversion = Conversion.undecided
  private var encoding = DocumentEncoding(head: [], contentType: nil)
  /// Bytes that wait for more: the head while undecided, later a cut sequence.
  private var waiting: [UInt8] = []
  private var converted: [UInt8] = []
  private var repaired: [UInt8] = []

  /// Whether bytes were no text in their encoding, or characters that XML forbids were dropped.
  package private(set) var hasRepaired = false

  /// The encoding that is used for decoding, in lower case; "utf-8" while nothing is known.
  package var encodingName: String { encoding.name }

  /// A decoder of XML; the charset of `contentType` counts more than the XML declaration.
  init(contentType: String?) {
    language = .xml(contentType: contentType)
  }

  private init(_ language: Language) {
    self.language = language
  }

  /// A decoder of JSON: its first bytes alone tell the encoding, as JSON has neither a declaration nor a charset
  /// (RFC 8259, section 11).
  package static func json() -> CharacterDecoder { CharacterDecoder(.json) }

  /// A decoder of HTML; the charset of `contentType` counts more than what the page says.
  package static func html(contentType: String?) -> CharacterDecoder {
    CharacterDecoder(.html(contentType: contentType))
  }

  /// Decodes a chunk, and everything that waits if it is the last; `emit` gets whole characters.
  package func decode<E: Error>(
    _ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool, emit: (UnsafeBufferPointer<UInt8>) throws(E) -> Void
  ) throws(E) {
    if waiting.isEmpty, case .none = conversion {
      try unsafe passWithRest(bytes, isLast: isLast, emit: emit)
      return
    }
    // One byte of what waits may be enough to complete it, and the rest then needs no copy.
    var taken = 0
    if case .none = conversion {
      while taken < bytes.count, taken < 4, !waiting.isEmpty {
        unsafe waiting.append(bytes[taken])
        taken += 1
        try unsafe drain(isLast: isLast && taken == bytes.count, emit: emit)
      }
      let rest = unsafe UnsafeBufferPointer(rebasing: bytes[taken...])
      if waiting.isEmpty {
        try unsafe passWithRest(rest, isLast: isLast, emit: emit)
        return
      }
      unsafe waiting.append(contentsOf: rest)
    } else {
      unsafe waiting.append(contentsOf: bytes)
    }
    try unsafe drain(isLast: isLast, emit: emit)
  }

  private func drain<E: Error>(isLast: Bool, emit: (UnsafeBufferPointer<UInt8>) throws(E) -> Void) throws(E) {
    if case .undecided = conversion {
      switch language {
      case .xml(let contentType):
        guard isLast || DocumentEncoding.canDecide(waiting) else { return }
        encoding = DocumentEncoding(head: waiting, contentType: contentType)
      case .html(let contentType):
        guard isLast || waiting.count >= DocumentEncoding.headLength else { return }
        encoding = DocumentEncoding(headOfHTML: waiting, contentType: contentType)
      case .json:
        guard isLast || waiting.count >= 4 else { return }
        encoding = DocumentEncoding(headOfJSON: waiting)
      }
      conversion = Self.conversion(for: encoding.name)
      waiting.removeFirst(encoding.markLength)
    }
    let bytes = waiting
    waiting.removeAll(keepingCapacity: true)
    try unsafe bytes.withUnsafeBufferPointer { buffer throws(E) in
      try unsafe passWithRest(buffer, isLast: isLast, emit: emit)
    }
  }

  private static func conversion(for name: String) -> Conversion {
    switch name {
    case "utf-8": .none
    case "windows-1252": .windows1252
    default: IconvConverter(from: name).map(Conversion.iconv) ?? .none
    }
  }

  /// Passes on what is complete; the rest waits.
  private func passWithRest<E: Error>(
    _ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool, emit: (UnsafeBufferPointer<UInt8>) throws(E) -> Void
  ) throws(E) {
    var used = 0
    switch conversion {
    case .none, .undecided:
      used = try unsafe pass(bytes, isLast: isLast, emit: emit)
    case .windows1252:
      converted.removeAll(keepingCapacity: true)
      unsafe WindowsCodePage.append(bytes.span, to: &converted)
      used = bytes.count
      try unsafe passConverted(emit: emit)
    case .iconv(let converter):
      converted.removeAll(keepingCapacity: true)
      let outcome = unsafe converter.convert(bytes, into: &converted)
      used = outcome.used
      if isLast, used < bytes.count { converted.append(contentsOf: [0xEF, 0xBF, 0xBD]) }
      if outcome.hadErrors || (isLast && used < bytes.count) { hasRepaired = true }
      try unsafe passConverted(emit: emit)
    }
    if used < bytes.count, !isLast { unsafe waiting.append(contentsOf: bytes[used...]) }
  }

  private func passConverted<E: Error>(emit: (UnsafeBufferPointer<UInt8>) throws(E) -> Void) throws(E) {
    let result = converted
    converted = []
    try unsafe result.withUnsafeBufferPointer { buffer throws(E) in
      _ = try unsafe pass(buffer, isLast: true, emit: emit)
    }
    converted = result
  }

  /// Emits good UTF-8 where it stands; where some is none, a repaired copy of all in one piece: the parsers look at
  /// what waits each time they get something, and thousands of pieces of a byte would cost thousands of looks.
  ///
  /// - Returns: How many bytes were used: fewer than there are when a sequence is cut.
  private func pass<E: Error>(
    _ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool, emit: (UnsafeBufferPointer<UInt8>) throws(E) -> Void
  ) throws(E) -> Int {
    let end = unsafe UTF8Scanner.validEnd(of: bytes, from: 0)
    guard end < bytes.count else {
      if !bytes.isEmpty { try unsafe emit(bytes) }
      return end
    }
    let outcome = unsafe repair(bytes, isLast: isLast)
    let text = repaired
    if !text.isEmpty {
      try unsafe text.withUnsafeBufferPointer { buffer throws(E) in try unsafe emit(buffer) }
    }
    guard outcome.hasSwitched else { return outcome.used }
    try unsafe passWithRest(
      UnsafeBufferPointer(rebasing: bytes[outcome.used...]), isLast: isLast, emit: emit)
    return bytes.count
  }

  /// Writes what is good, and what stands for the rest, to `repaired`.
  ///
  /// - Returns: How many bytes were used, and whether what follows is in another encoding.
  private func repair(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) -> (used: Int, hasSwitched: Bool) {
    repaired.removeAll(keepingCapacity: true)
    var index = 0
    while index < bytes.count {
      let end = unsafe UTF8Scanner.validEnd(of: bytes, from: index)
      unsafe repaired.append(contentsOf: bytes[index..<end])
      index = end
      guard index < bytes.count else { break }
      if !isLast, unsafe UTF8Scanner.isCut(bytes, at: index) { break }
      if unsafe bytes[index] >= 0x80, unsafe switchToDeclared(unlessC1: unsafe bytes, at: index) {
        return (index, true)
      }
      index += unsafe repair(bytes, at: index)
    }
    return (index, false)
  }

  /// What is no UTF-8 is in the declared encoding, where the Content-Type had said otherwise.
  private func switchToDeclared(unlessC1 bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
    guard case .none = conversion, let declared = encoding.declared, unsafe !isC1(bytes, at: index) else {
      return false
    }
    encoding = DocumentEncoding(head: [], contentType: nil)
    encoding.name = declared
    conversion = Self.conversion(for: declared)
    hasRepaired = true
    if case .none = conversion { return false }
    return true
  }

  private func isC1(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
    unsafe bytes[index] == 0xC2 && index + 1 < bytes.count && bytes[index + 1] & 0xE0 == 0x80
  }

  /// Appends what stands for the bytes at `index` that cannot be passed on; gives how many they are.
  private func repair(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
    let lead = unsafe bytes[index]
    if unsafe isC1(bytes, at: index) {
      append(unsafe WindowsCodePage.scalar(for: bytes[index + 1]))
      return 2
    }
    hasRepaired = true
    if lead < 0x80 { return 1 }
    let isThree =
      unsafe lead >= 0xE0 && lead < 0xF0 && index + 2 < bytes.count
      && bytes[index + 1] & 0xC0 == 0x80 && bytes[index + 2] & 0xC0 == 0x80
    if isThree, lead == 0xED || lead == 0xEF {
      repaired.appendUTF8(0xFFFD)
      return 3
    }
    append(WindowsCodePage.scalar(for: lead))
    return 1
  }

  /// Appends a character of windows-1252; U+FFFD for the controls that it has no character for.
  private func append(_ scalar: UInt32) { repaired.appendUTF8(scalar < 0xA0 ? 0xFFFD : scalar) }
}
