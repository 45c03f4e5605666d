/// Decodes a document's bytes, in any encoding and any chunks, to UTF-8 that XML allows.
///
/// Valid UTF-8 is passed on without a copy.
package final class CharacterDecoder {
  private enum Conversion {
    case undecided
    /// UTF-8 or the declared encoding; the first characters beyond ASCII decide.
    case doubtful
    case none
    case windows1252
    case iconv(IconvConverter)
    /// ISO-2022-JP, converted to EUC-JP first, which has all its characters.
    case escapedJapanese(IconvConverter)
  }

  private let language: DocumentLanguage
  private let contentType: String?
  private var conversion = Conversion.undecided
  private var encoding = DocumentEncoding(head: [], .xml, contentType: nil)
  private var evidence = UTF8Evidence()
  private var escapes = EscapeGuard()
  /// Bytes that need more bytes after them: the head while undecided, the evidence while in doubt, later an
  /// incomplete sequence.
  private var waiting: [UInt8] = []
  /// Bytes with completed escapes that need more bytes after them.
  private var guarded: [UInt8] = []
  private var japanese = JapaneseEscapes()
  /// Bytes in EUC-JP that need more bytes after them.
  private var plainJapanese: [UInt8] = []
  private var converted: [UInt8] = []
  var repaired: [UInt8] = []

  /// True if bytes were not text in their encoding or in the declared one. Also true if a label is unknown,
  /// or if characters that XML forbids were dropped.
  package internal(set) var hasRepaired = false
  /// True if the text has a UTF-8 character that is not ASCII.
  var hasForeign = false
  /// True if bytes that are not UTF-8 were read as windows-1252.
  var hasFallenBack = false

  /// The encoding used for decoding, in lower case; "utf-8" while it is unknown.
  ///
  /// It is windows-1252 if UTF-8 was expected and all characters beyond ASCII were invalid.
  package var encodingName: String {
    let isUTF8 = encoding.name == "utf-8"
    return isUTF8 && hasFallenBack && !hasForeign && encoding.markLength == 0 ? "windows-1252" : encoding.name
  }

  /// The encoding that the document's beginning declares, whatever its bytes are later.
  var firstEncodingName: String { encoding.name }

  /// Creates a decoder. The charset in `contentType` takes precedence over the document's declaration.
  package init(_ language: DocumentLanguage, contentType: String?) {
    (self.language, self.contentType) = (language, contentType)
  }

  /// Decodes a chunk, and all waiting bytes if it is the last one; `emit` receives whole characters.
  package func decode<E: Error>(
    _ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool, emit: (Span<UInt8>) throws(E) -> Void
  ) throws(E) {
    if waiting.isEmpty, case .none = conversion {
      try unsafe passWithRest(bytes, isLast: isLast, emit: emit)
      return
    }
    if case .doubtful = conversion { return try unsafe weigh(bytes, isLast: isLast, emit: emit) }
    // A few bytes may complete the waiting sequence; the rest needs no copy then.
    var taken = 0
    if case .none = conversion {
      while taken < bytes.count, taken < 4, !waiting.isEmpty {
        unsafe waiting.append(bytes[taken])
        taken += 1
        try drain(isLast: isLast && taken == bytes.count, emit: emit)
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
    try drain(isLast: isLast, emit: emit)
  }

  private func drain<E: Error>(isLast: Bool, emit: (Span<UInt8>) throws(E) -> Void) throws(E) {
    if case .undecided = conversion {
      guard isLast || DocumentEncoding.canDecide(waiting, language) else { return }
      encoding = DocumentEncoding(head: waiting, language, contentType: contentType)
      conversion = encoding.alternative == nil ? Self.conversion(for: encoding.name) : .doubtful
      if encoding.hasFalseLabel { hasRepaired = true }
      waiting.removeFirst(encoding.markLength)
    }
    let bytes = waiting
    waiting.removeAll(keepingCapacity: true)
    try unsafe bytes.withUnsafeBufferPointer { buffer throws(E) in
      if case .doubtful = conversion { return try unsafe weigh(buffer, isLast: isLast, emit: emit) }
      try unsafe passWithRest(buffer, isLast: isLast, emit: emit)
    }
  }

  // MARK: Doubt

  /// Passes on ASCII, which is the same in both encodings, and holds back the rest until the encoding is
  /// known.
  private func weigh<E: Error>(
    _ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool, emit: (Span<UInt8>) throws(E) -> Void
  ) throws(E) {
    var rest = unsafe bytes
    if waiting.isEmpty {
      let end = unsafe bytes.firstIndex(where: Self.isSignificant) ?? bytes.count
      let plain = unsafe UnsafeBufferPointer(rebasing: bytes[..<end])
      _ = try unsafe pass(plain, isLast: false, emit: emit)
      unsafe rest = UnsafeBufferPointer(rebasing: bytes[end...])
    }
    unsafe waiting.append(contentsOf: rest)
    if waiting.isEmpty { return }
    let verdict = unsafe waiting.withUnsafeBufferPointer { unsafe evidence.verdict($0, isLast: isLast) }
    guard let verdict else { return }
    settle(isUTF8: verdict == .utf8 || (verdict == .open && isRatherUTF8))
    try drain(isLast: isLast, emit: emit)
  }

  /// Returns whether a byte is not plain ASCII: a foreign character, an escape or an ISO-2022 shift.
  private static func isSignificant(_ byte: UInt8) -> Bool { byte >= 0x80 || byte == 0x1B || byte == 0x0E }

  /// True if a few bytes of valid UTF-8 are read as UTF-8: a label declares it, chance would not produce so
  /// many, or they are not text in the other encoding.
  private var isRatherUTF8: Bool {
    let isUTF8 = encoding.name == "utf-8"
    if isUTF8 || encoding.alternativeIsLabelled { return true }
    if evidence.weight >= (EncodingName.isMultibyte(encoding.name) ? 4 : 2) { return true }
    guard encoding.name != "windows-1252", let converter = IconvConverter(from: encoding.name) else {
      return false
    }
    var text: [UInt8] = []
    let outcome = unsafe waiting[..<evidence.byteCount].withUnsafeBufferPointer {
      unsafe converter.convert($0, into: &text)
    }
    return outcome.hadErrors || outcome.used < evidence.byteCount
  }

  private func settle(isUTF8: Bool) {
    if isUTF8 != (encoding.name == "utf-8"), let other = encoding.alternative {
      encoding.name = other
      hasRepaired = true
    }
    conversion = Self.conversion(for: encoding.name)
  }

  // MARK: Conversion

  private static func conversion(for name: String) -> Conversion {
    switch name {
    case "utf-8": .none
    case "windows-1252": .windows1252
    case "iso-2022-jp": IconvConverter(from: "euc-jp").map(Conversion.escapedJapanese) ?? .none
    default: IconvConverter(from: name).map(Conversion.iconv) ?? .none
    }
  }

  /// Passes on complete sequences; the rest waits.
  private func passWithRest<E: Error>(
    _ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool, emit: (Span<UInt8>) throws(E) -> Void
  ) throws(E) {
    var used = 0
    switch conversion {
    case .none, .undecided, .doubtful:
      used = try unsafe pass(bytes, isLast: isLast, emit: emit)
    case .windows1252:
      converted.removeAll(keepingCapacity: true)
      unsafe WindowsCodePage.append(bytes.span, to: &converted)
      used = bytes.count
      try passConverted(emit: emit)
    case .iconv(let converter):
      converted.removeAll(keepingCapacity: true)
      if EscapeGuard.isNeeded(for: encoding.name) {
        used = unsafe escapes.append(bytes, isLast: isLast, to: &guarded)
        if escapes.hasRepaired { hasRepaired = true }
        let read = unsafe guarded.withUnsafeBufferPointer { unsafe convert($0, converter, isLast: isLast) }
        guarded.removeFirst(read)
      } else {
        used = unsafe convert(bytes, converter, isLast: isLast)
      }
      try passConverted(emit: emit)
    case .escapedJapanese(let converter):
      converted.removeAll(keepingCapacity: true)
      used = unsafe convertEscaped(bytes, converter, isLast: isLast)
      try passConverted(emit: emit)
    }
    if used < bytes.count, !isLast { unsafe waiting.append(contentsOf: bytes[used...]) }
  }

  /// Converts complete sequences to `converted`; returns how many bytes were used. The last chunk is used up.
  private func convert(
    _ bytes: UnsafeBufferPointer<UInt8>, _ converter: IconvConverter, isLast: Bool
  ) -> Int {
    let outcome = unsafe converter.convert(bytes, into: &converted)
    let isCut = isLast && outcome.used < bytes.count
    if isLast { converter.flush(into: &converted) }
    if isCut { converted.append(contentsOf: [0xEF, 0xBF, 0xBD]) }
    if outcome.hadErrors || isCut { hasRepaired = true }
    return isCut ? bytes.count : outcome.used
  }

  /// Converts ISO-2022-JP like ``convert(_:_:isLast:)``.
  private func convertEscaped(
    _ bytes: UnsafeBufferPointer<UInt8>, _ converter: IconvConverter, isLast: Bool
  ) -> Int {
    let used = unsafe escapes.append(bytes, isLast: isLast, to: &guarded)
    let taken = japanese.append(guarded.span, isLast: isLast, to: &plainJapanese)
    guarded.removeFirst(taken)
    if escapes.hasRepaired || japanese.hasRepaired { hasRepaired = true }
    let read = unsafe plainJapanese.withUnsafeBufferPointer { unsafe convert($0, converter, isLast: isLast) }
    plainJapanese.removeFirst(read)
    return used
  }

  private func passConverted<E: Error>(emit: (Span<UInt8>) throws(E) -> Void) throws(E) {
    let result = converted
    converted = []
    try unsafe result.withUnsafeBufferPointer { buffer throws(E) in
      _ = try unsafe pass(buffer, isLast: true, emit: emit)
    }
    converted = result
  }

  /// Emits valid UTF-8 without a copy, and otherwise a repaired copy of all bytes in one piece.
  ///
  /// The parsers examine their input at each call, so thousands of one-byte pieces would be slow.
  ///
  /// - Returns: The number of bytes that were used; fewer than given if a sequence is incomplete.
  private func pass<E: Error>(
    _ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool, emit: (Span<UInt8>) throws(E) -> Void
  ) throws(E) -> Int {
    let end = unsafe UTF8Scanner.validEnd(of: bytes, from: 0, hasForeign: &hasForeign)
    guard end < bytes.count else {
      if !bytes.isEmpty { try unsafe emit(bytes.span) }
      return end
    }
    let used = unsafe repair(bytes, isLast: isLast)
    let text = repaired
    if !text.isEmpty { try emit(text.span) }
    return used
  }
}
