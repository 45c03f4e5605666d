/// Turns the bytes of a document, in any encoding and any chunks, into UTF-8 that XML allows.
///
/// Good UTF-8 is passed on where it stands, without a copy.
package final class CharacterDecoder {
  /// Whose rules tell the encoding.
  private enum Language {
    case xml(contentType: String?)
    case html(contentType: String?)
    case json(contentType: String?)
  }

  private enum Conversion {
    case undecided
    /// UTF-8 or what a label says, which the first characters beyond ASCII will tell.
    case doubtful
    case none
    case windows1252
    case iconv(IconvConverter)
    /// ISO-2022-JP, by way of EUC-JP, which has all of its characters.
    case escapedJapanese(IconvConverter)
  }

  private let language: Language
  private var conversion = Conversion.undecided
  private var encoding = DocumentEncoding(head: [], contentType: nil)
  private var evidence = UTF8Evidence()
  private var escapes = EscapeGuard()
  /// Bytes that wait for more: the head while undecided, what is looked at while in doubt, later a cut sequence.
  private var waiting: [UInt8] = []
  /// Bytes with their escapes ended that wait for more.
  private var guarded: [UInt8] = []
  private var japanese = JapaneseEscapes()
  /// EUC-JP that waits for more.
  private var plainJapanese: [UInt8] = []
  private var converted: [UInt8] = []
  var repaired: [UInt8] = []

  /// Whether bytes were no text in their encoding or not in the one that a label says, a label means nothing, or
  /// characters that XML forbids were dropped.
  package internal(set) var hasRepaired = false
  /// Whether there was a character of UTF-8 that is not ASCII.
  var hasForeign = false
  /// Whether bytes that are no UTF-8 were taken for windows-1252.
  var hasFallenBack = false

  /// The encoding that is used for decoding, in lower case; "utf-8" while nothing is known.
  ///
  /// It is what the bytes turned out to be: windows-1252 where UTF-8 was expected and not one character was that.
  package var encodingName: String {
    let isUTF8 = encoding.name == "utf-8"
    return isUTF8 && hasFallenBack && !hasForeign && encoding.markLength == 0 ? "windows-1252" : encoding.name
  }

  /// The encoding that the beginning of the document told, whatever its bytes turned out to be later.
  var firstEncodingName: String { encoding.name }

  /// A decoder of XML; the charset of `contentType` counts more than the XML declaration.
  init(contentType: String?) {
    language = .xml(contentType: contentType)
  }

  private init(_ language: Language) {
    self.language = language
  }

  /// A decoder of JSON: its bytes tell the encoding, and the charset of `contentType` only where they are no UTF-8
  /// (RFC 8259, section 11).
  package static func json(contentType: String?) -> CharacterDecoder {
    CharacterDecoder(.json(contentType: contentType))
  }

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
    if case .doubtful = conversion { return try unsafe weigh(bytes, isLast: isLast, emit: emit) }
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
      case .json(let contentType):
        guard isLast || waiting.count >= 4 else { return }
        encoding = DocumentEncoding(headOfJSON: waiting, contentType: contentType)
      }
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

  /// Passes on ASCII, which is the same in both encodings, and holds back what follows until it is known what it is.
  private func weigh<E: Error>(
    _ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool, emit: (UnsafeBufferPointer<UInt8>) throws(E) -> Void
  ) throws(E) {
    var rest = unsafe bytes
    if waiting.isEmpty {
      let end = unsafe bytes.firstIndex(where: Self.tells) ?? bytes.count
      let plain = unsafe UnsafeBufferPointer(rebasing: bytes[..<end])
      _ = try unsafe pass(plain, isLast: false, emit: emit)
      unsafe rest = UnsafeBufferPointer(rebasing: bytes[end...])
    }
    unsafe waiting.append(contentsOf: rest)
    if waiting.isEmpty { return }
    let verdict = unsafe waiting.withUnsafeBufferPointer { unsafe evidence.verdict($0, isLast: isLast) }
    guard let verdict else { return }
    settle(isUTF8: verdict == .utf8 || (verdict == .open && isRatherUTF8))
    try unsafe drain(isLast: isLast, emit: emit)
  }

  /// Whether a byte is no plain ASCII: of a foreign character, an escape or a shift of ISO-2022.
  private static func tells(_ byte: UInt8) -> Bool { byte >= 0x80 || byte == 0x1B || byte == 0x0E }

  /// Whether the little that there is beyond ASCII, which is good UTF-8, is taken for that: if a label says so too, if
  /// it is more than a chance would make, or if it is no text in the other encoding.
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

  /// Passes on what is complete; the rest waits.
  private func passWithRest<E: Error>(
    _ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool, emit: (UnsafeBufferPointer<UInt8>) throws(E) -> Void
  ) throws(E) {
    var used = 0
    switch conversion {
    case .none, .undecided, .doubtful:
      used = try unsafe pass(bytes, isLast: isLast, emit: emit)
    case .windows1252:
      converted.removeAll(keepingCapacity: true)
      unsafe WindowsCodePage.append(bytes.span, to: &converted)
      used = bytes.count
      try unsafe passConverted(emit: emit)
    case .iconv(let converter):
      converted.removeAll(keepingCapacity: true)
      if EscapeGuard.isWanted(for: encoding.name) {
        used = unsafe escapes.append(bytes, isLast: isLast, to: &guarded)
        if escapes.hasRepaired { hasRepaired = true }
        let read = unsafe guarded.withUnsafeBufferPointer { unsafe convert($0, converter, isLast: isLast) }
        guarded.removeFirst(read)
      } else {
        used = unsafe convert(bytes, converter, isLast: isLast)
      }
      try unsafe passConverted(emit: emit)
    case .escapedJapanese(let converter):
      converted.removeAll(keepingCapacity: true)
      used = unsafe convertEscaped(bytes, converter, isLast: isLast)
      try unsafe passConverted(emit: emit)
    }
    if used < bytes.count, !isLast { unsafe waiting.append(contentsOf: bytes[used...]) }
  }

  /// Converts what is complete to `converted`; gives how many bytes that were, all of the last.
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

  /// As ``convert(_:_:isLast:)`` for ISO-2022-JP.
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
    let end = unsafe UTF8Scanner.validEnd(of: bytes, from: 0, hasForeign: &hasForeign)
    guard end < bytes.count else {
      if !bytes.isEmpty { try unsafe emit(bytes) }
      return end
    }
    let used = unsafe repair(bytes, isLast: isLast)
    let text = repaired
    if !text.isEmpty {
      try unsafe text.withUnsafeBufferPointer { buffer throws(E) in try unsafe emit(buffer) }
    }
    return used
  }
}
