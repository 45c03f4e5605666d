internal import CLibXML2

/// Parses UTF-8 to events with libxml2's push parser, until the first damage.
///
/// Only this class uses the libxml2 context. Nothing outside the document is ever read: no network, no
/// external entity, no DTD. The entities that a document declares are bounded texts.
@safe
final class StrictParser {
  /// The size of the largest piece that is passed at once: so much of a tag is not yet examined.
  static let pieceBytes = 16 << 10

  /// The maximum number of bytes that may wait for a reference's semicolon; names are shorter.
  private static let waitingReference = 1024
  private static let longestReference = 1000

  let context: xmlParserCtxtPtr
  let handler: XMLEventHandler
  private let limits: XMLReaderLimits
  let entities: EntityTable
  /// The open elements, in memory of their own. As a property, they would cost a run-time exclusivity check
  /// for each element. Only this class's methods use it, and none calls back into another.
  let elements: UnsafeMutablePointer<OpenElements>

  /// The last settled position, in bytes from the beginning, and the number of elements that were open there.
  private(set) var settledOffset = 0
  private(set) var settledDepth = 0
  /// True if a comment exceeds its maximum length: until its end, nothing more must be parsed.
  private(set) var isInLongComment = false
  /// The limit that stopped the parser.
  private(set) var exceededLimit: XMLLimit?

  /// True if libxml2 waits for something that will not come.
  private var hasGivenUp = false
  var passed = PassedText()
  /// Character data that is not yet delivered: libxml2 passes it in many small pieces.
  let text: UnsafeMutablePointer<UInt8>
  var textCount = 0
  static let textCapacity = 8 << 10
  /// The minimum length for character data to be delivered at once, in bytes.
  static let longText = 1 << 10
  /// The entities that the SAX callback `getEntity` returns. They are reused: libxml2 reads them before the
  /// next call.
  private let textEntity: UnsafeMutablePointer<xmlEntity>
  private let attributeEntity: UnsafeMutablePointer<xmlEntity>
  private var replacement: [UInt8] = []

  init(handler: XMLEventHandler, limits: XMLReaderLimits, entities: EntityTable) throws(XMLReadError) {
    _ = Self.libraryIsReady
    self.handler = handler
    self.limits = limits
    self.entities = entities
    var callbacks = unsafe Self.callbacks
    guard let context = unsafe xmlCreatePushParserCtxt(&callbacks, nil, nil, 0, nil) else {
      throw .outOfMemory
    }
    unsafe self.context = unsafe context
    unsafe elements = .allocate(capacity: 1)
    unsafe elements.initialize(to: OpenElements())
    unsafe text = .allocate(capacity: Self.textCapacity)
    unsafe textEntity = .allocate(capacity: 1)
    unsafe attributeEntity = .allocate(capacity: 1)
    unsafe textEntity.initialize(to: xmlEntity())
    unsafe attributeEntity.initialize(to: xmlEntity())
    unsafe context.pointee.userData = Unmanaged.passUnretained(self).toOpaque()
    let options = XML_PARSE_NONET.rawValue | XML_PARSE_IGNORE_ENC.rawValue
    unsafe xmlCtxtUseOptions(context, Int32(bitPattern: options))
  }

  deinit {
    // libxml2 creates a document to store declared entities, and the caller must release it.
    unsafe xmlFreeDoc(context.pointee.myDoc)
    unsafe xmlFreeParserCtxt(context)
    unsafe elements.deinitialize(count: 1)
    unsafe elements.deallocate()
    unsafe text.deallocate()
    unsafe textEntity.deallocate()
    unsafe attributeEntity.deallocate()
  }

  /// The names, for the parser that continues after damage.
  var names: NameTable? { unsafe NameTable(sharing: context.pointee.dict) }

  var open: OpenElements { unsafe elements.pointee }

  /// True if the document is damaged, so that no more events follow.
  var isDamaged: Bool { unsafe hasGivenUp || context.pointee.wellFormed == 0 }

  /// True if undeclared prefixes were used.
  var hasUndeclaredPrefix: Bool { unsafe context.pointee.nsWellFormed == 0 }

  /// The number of bytes at the end that wait for more.
  var waitingBytes: Int {
    guard let input = unsafe context.pointee.input, let start = unsafe input.pointee.cur,
      let end = unsafe input.pointee.end
    else { return 0 }
    return unsafe max(0, end - start) + passed.section.heldBrackets
  }

  /// Parses a piece of UTF-8. Damage sets ``isDamaged``.
  func parse(_ bytes: UnsafeBufferPointer<UInt8>) {
    var start = unsafe passOpenText(bytes)
    var search = LongTextSearch()
    while let text = unsafe search.next(in: bytes.span, from: start) {
      unsafe feed(bytes, start..<text.start)
      start = text.start
      switch text {
      case .section: if isAtSection { start = unsafe passSection(bytes, from: start) }
      case .run: if isAtRun { start = unsafe passRun(bytes, from: start) }
      }
    }
    unsafe feed(bytes, start..<bytes.count)
    checkWaiting()
  }

  func feed(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
    guard let base = bytes.baseAddress, !range.isEmpty, let count = Int32(exactly: range.count) else {
      return
    }
    unsafe (base + range.lowerBound).withMemoryRebound(to: CChar.self, capacity: range.count) { start in
      _ = unsafe xmlParseChunk(context, start, count, 0)
    }
  }

  /// Checks the bytes that libxml2 keeps until it has a complete tag, comment or reference.
  private func checkWaiting() {
    isInLongComment = false
    if unsafe xmlDictSize(context.pointee.dict) > Int32(clamping: limits.names) {
      return stop(limits.onNames)
    }
    guard let input = unsafe context.pointee.input, let start = unsafe input.pointee.cur,
      let end = unsafe input.pointee.end, unsafe end - start > Self.waitingReference, !isDamaged,
      unsafe context.pointee.instate != XML_PARSER_CDATA_SECTION
    else { return }
    let waiting = unsafe UnsafeBufferPointer(start: start, count: end - start)
    let (first, second) = unsafe (waiting[0], waiting[1])
    if first == UInt8(ascii: "&") {
      // For a bare ampersand, libxml2 would wait for a semicolon anywhere in the document.
      hasGivenUp = true
    } else if waiting.count > limits.tagBytes, unsafe waiting.starts(with: "<!--".utf8) {
      isInLongComment = true
    } else if first != UInt8(ascii: "<") || second == UInt8(ascii: "!") || second == UInt8(ascii: "?") {
      hasGivenUp = waiting.count > limits.tagBytes
    } else if waiting.count > limits.tagBytes {
      // The tolerant parser reads the part within the limit.
      hasGivenUp = true
    } else if waiting.count > Self.pieceBytes, unsafe countAttributes(waiting) > 2 * limits.attributes {
      stop(limits.onAttributes)
    }
  }

  /// Returns about how many attributes an incomplete tag has.
  private func countAttributes(_ tag: UnsafeBufferPointer<UInt8>) -> Int {
    var count = 0
    for index in 1..<tag.count
    where unsafe tag[index - 1] == UInt8(ascii: "=") && (tag[index] == 0x22 || tag[index] == 0x27) {
      count += 1
    }
    return count
  }

  /// Ends the document, which does not include text after the last tag.
  func finish() {
    _ = unsafe xmlParseChunk(context, nil, 0, 1)
  }

  private func stop(_ limit: XMLLimit) {
    exceededLimit = exceededLimit ?? limit
    unsafe xmlStopParser(context)
  }

  // MARK: Events

  func start(
    _ name: XMLName, namespaces: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, namespaceCount: Int,
    attributes: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, attributeCount: Int
  ) {
    handOverText()
    if unsafe elements.pointee.depth >= limits.depth {
      // Missing end tags, which are known only at the end, are more frequent than deep documents.
      hasGivenUp = true
      unsafe xmlStopParser(context)
      return
    }
    if max(attributeCount, namespaceCount) > limits.attributes {
      return stop(limits.onAttributes)
    }
    if let namespaces = unsafe namespaces {
      for index in 0..<namespaceCount {
        unsafe elements.pointee.bind(prefix: namespaces[2 * index], to: namespaces[2 * index + 1])
      }
    }
    unsafe elements.pointee.push(name, declaring: namespaceCount)
    if unsafe elements.pointee.bindingCount > limits.namespaces {
      return stop(limits.onNamespaces)
    }
    let list = unsafe XMLAttributes(
      cells: attributes.map { unsafe UnsafePointer($0) }, count: attributeCount,
      namespaces: namespaces.map { unsafe UnsafePointer($0) }, namespaceCount: namespaceCount,
      entities: entities)
    handler.startElement(name, list)
    checkEntities()
  }

  /// Stops at once if the entities exceed their limit, so that the result does not depend on the chunks.
  private func checkEntities() {
    if entities.isExhausted { stop(limits.onExpandedBytes) }
  }

  func end() {
    handOverText()
    if unsafe elements.pointee.depth == settledDepth, handler.state.needsRepair {
      // Reading continues from the settled position, so the elements that are open there must stay open.
      unsafe xmlStopParser(context)
      return
    }
    unsafe elements.pointee.pop()
    guard handler.endElement() else { return }
    // Inside an entity, the position would refer to the entity's text.
    guard unsafe context.pointee.inputNr == 1 else { return }
    settledOffset = max(settledOffset, unsafe xmlByteConsumed(context) + passed.byteCount)
    settledDepth = unsafe elements.pointee.depth
  }

  func text(_ bytes: UnsafeBufferPointer<UInt8>) {
    // A C1 control comes only from a reference, in its own piece: the decoder never passes one.
    if bytes.count == 2, unsafe bytes[0] == 0xC2, unsafe bytes[1] < 0xA0 {
      return take(WindowsCodePage.scalar(for: unsafe bytes[1]))
    }
    if textCount + bytes.count > Self.textCapacity || bytes.count >= Self.longText {
      handOverText()
      if bytes.count >= Self.longText { return unsafe handler.text(bytes.span) }
    }
    guard let base = bytes.baseAddress else { return }
    unsafe (text + textCount).update(from: base, count: bytes.count)
    textCount += bytes.count
  }

  func take(_ scalar: UInt32) {
    var character: [UInt8] = []
    character.appendUTF8(scalar)
    handOverText()
    handler.text(character.span)
  }

  func handOverText() {
    guard textCount > 0 else { return }
    let count = textCount
    textCount = 0
    unsafe handler.text(UnsafeBufferPointer(start: text, count: count).span)
  }

  /// Returns the entity `name`. In content it includes its text, in attributes only its name, which
  /// ``XMLAttributes`` replaces: libxml2 would use only the first byte.
  func entity(_ name: UnsafePointer<UInt8>) -> UnsafeMutablePointer<xmlEntity>? {
    let state = unsafe context.pointee.instate
    if state == XML_PARSER_ATTRIBUTE_VALUE {
      unsafe attributeEntity.pointee.name = unsafe name
      unsafe attributeEntity.pointee.type = XML_ENTITY_DECL
      unsafe attributeEntity.pointee.etype = XML_INTERNAL_GENERAL_ENTITY
      unsafe attributeEntity.pointee.checked = 2
      return unsafe attributeEntity
    }
    // After a declaration, libxml2 requests the entity to attach memory to it, which would leak.
    guard state == XML_PARSER_CONTENT else { return nil }
    let spelling = unsafe XMLName(local: name, prefix: nil, namespace: nil)
    let isBeyond = spelling.withLocalBytes { $0.count > Self.longestReference || entities.isMarkup($0) }
    if isBeyond {
      // A long name is treated as if it had come in pieces, see `checkWaiting`. The tolerant parser reads
      // elements.
      hasGivenUp = true
      unsafe xmlStopParser(context)
      return nil
    }
    replacement.removeAll(keepingCapacity: true)
    spelling.withLocalBytes { entities.appendReplacement(for: $0, to: &replacement) }
    checkEntities()
    replacement.append(0)
    // libxml2 reads the text up to its final zero byte, and only until the next call of this function.
    unsafe replacement.withUnsafeMutableBufferPointer { unsafe textEntity.pointee.content = $0.baseAddress }
    unsafe textEntity.pointee.name = unsafe name
    unsafe textEntity.pointee.type = XML_ENTITY_DECL
    unsafe textEntity.pointee.etype = XML_INTERNAL_PREDEFINED_ENTITY
    return unsafe textEntity
  }

  func declare(_ name: UnsafePointer<UInt8>, kind: Int32, content: UnsafePointer<UInt8>?) {
    if kind == Int32(XML_INTERNAL_PARAMETER_ENTITY.rawValue)
      || kind == Int32(XML_EXTERNAL_PARAMETER_ENTITY.rawValue)
    {
      return
    }
    guard kind == Int32(XML_INTERNAL_GENERAL_ENTITY.rawValue), let content = unsafe content else { return }
    let entry = unsafe (
      name: XMLName(local: name, prefix: nil, namespace: nil),
      value: XMLName(local: content, prefix: nil, namespace: nil)
    )
    entry.name.withLocalBytes { name in
      entry.value.withLocalBytes { entities.declare(name, value: $0) }
    }
  }
}
