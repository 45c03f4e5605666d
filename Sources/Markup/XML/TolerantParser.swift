/// Reads documents that are not well-formed XML. It never fails, finds the tags, and treats the rest as text.
///
/// It continues where the strict parser met damage, with the same open elements, and delivers the same
/// events. Its decisions never depend on the chunk boundaries: to look ahead, it waits for more, up to a
/// fixed number of bytes.
final class TolerantParser {
  let handler: XMLEventHandler
  let limits: XMLReaderLimits
  let parts: [StaticString]
  let names: NameTable
  let entities: EntityTable
  var open: OpenElements
  private(set) var exceededLimit: XMLLimit?

  /// The unread bytes begin at `position`.
  var buffer: [UInt8] = []
  var position = 0
  var isLast = false
  var isInCharacterData = false
  /// Search results, recorded so that hostile documents cannot cause repeated searches: the offset of the
  /// next `]]>`, and the offsets up to which no `-->` (first) and no `?>` (second) exists.
  var knownEndOfData = 0
  var searched = [0, 0]
  var decoded: [UInt8] = []
  /// The number of document bytes that were removed from the buffer.
  private(set) var passed = 0
  var ahead = TagsAhead()
  var tag = TolerantTag()
  var endedParts = EndedParts()
  /// True if the tag at `position` exceeds its maximum length.
  var isInLongTag = false
  /// The number of entities around this position.
  private var entityLevel = 0

  /// Continues inside the elements in `open`.
  init(
    handler: XMLEventHandler, limits: XMLReaderLimits, parts: [StaticString], names: NameTable,
    entities: EntityTable, open: OpenElements
  ) {
    self.handler = handler
    self.parts = parts
    self.limits = limits
    self.names = names
    self.entities = entities
    self.open = open
  }

  /// Reads a piece of the document.
  func parse(_ bytes: Span<UInt8>) {
    guard exceededLimit == nil else { return }
    buffer.append(bytes)
    run()
    if names.count > limits.names { exceed(limits.onNames) }
    buffer.removeSubrange(..<position)
    knownEndOfData -= position
    searched = searched.map { $0 - position }
    passed += position
    position = 0
  }

  /// Reads the bytes that were waiting for more.
  func finish() {
    guard exceededLimit == nil else { return }
    isLast = true
    run()
  }

  private func exceed(_ limit: XMLLimit) {
    exceededLimit = exceededLimit ?? limit
  }

  private func run() {
    while position < buffer.count, exceededLimit == nil {
      let before = (position, isInCharacterData, isInLongTag)
      if isInCharacterData {
        readCharacterData()
      } else if buffer[position] == UInt8(ascii: "<") {
        readMarkup()
      } else {
        readText()
      }
      if entities.isExhausted { exceed(limits.onExpandedBytes) }
      if (position, isInCharacterData, isInLongTag) == before { return }
    }
  }

  // MARK: Text

  /// Delivers text up to the next markup and replaces its references. A reference that is cut at the end
  /// waits.
  private func readText() {
    let bytes = buffer
    let end = bytes.span.firstIndex(of: UInt8(ascii: "<"), from: position) ?? bytes.count
    let mayGrow = end == bytes.count && !isLast
    let text = bytes.span.extracting(..<end)
    var index = position
    decoded.removeAll(keepingCapacity: true)
    while index < end {
      let reference = text.firstIndex(of: UInt8(ascii: "&"), from: index) ?? end
      decoded.append(text.extracting(index..<reference))
      index = reference
      guard index < end else { break }
      let name = Self.referenceEnd(in: text, from: index)
      if name == nil, mayGrow, end - index <= 64 { break }
      if let name {
        var last = name
        if HTMLEntity.mayBeFirstHalf(text, at: index) {
          if mayGrow, end - name <= 9 { break }
          if name < end, text[name] == UInt8(ascii: "&") {
            last = Self.referenceEnd(in: text, from: name) ?? name
          }
        }
        if let markup = markup(of: text.extracting((index + 1)..<(name - 1))) {
          emitText()
          readEntity(markup)
          decoded.removeAll(keepingCapacity: true)
          guard exceededLimit == nil else { return }
        } else {
          entities.appendDecoding(text.extracting(index..<last), to: &decoded)
        }
        index = last
        continue
      }
      let behind = HTMLEntity.appendUnfinished(in: text, at: index, to: &decoded)
      if behind > index {
        index = behind
        continue
      }
      decoded.append(text[index])
      index += 1
    }
    position = index
    emitText()
  }

  /// Returns an entity's markup; nil if the entity is text.
  private func markup(of name: Span<UInt8>) -> [UInt8]? {
    guard entityLevel < EntityTable.deepestNesting else { return nil }
    return entities.takeMarkup(for: name)
  }

  /// Reads an entity's elements instead of the reference to it.
  private func readEntity(_ markup: [UInt8]) {
    let outer = (buffer, position, isLast, knownEndOfData, searched, ahead, passed)
    (buffer, position, isLast, knownEndOfData, searched, ahead, passed) = (
      markup, 0, true, 0, [0, 0], TagsAhead(), 0
    )
    entityLevel += 1
    run()
    entityLevel -= 1
    isInCharacterData = false
    (buffer, position, isLast, knownEndOfData, searched, ahead, passed) = outer
  }

  /// Returns the offset after the semicolon of the reference that begins at `start`; nil if it is not a
  /// reference.
  private static func referenceEnd(in text: Span<UInt8>, from start: Int) -> Int? {
    var index = start + 1
    while index < text.count, index - start <= 64 {
      let byte = text[index]
      if byte == UInt8(ascii: ";") { return index > start + 1 ? index + 1 : nil }
      let isName = byte.isASCIIAlphanumeric || byte == 0x23 || byte == 0x2D || byte == 0x2E || byte == 0x5F
      if !isName { break }
      index += 1
    }
    return nil
  }

  func emitText() {
    guard !decoded.isEmpty else { return }
    let text = decoded
    handler.text(text.span)
  }

  /// Treats the `<` as text.
  func takeAsText() {
    position += 1
    decoded.removeAll(keepingCapacity: true)
    decoded.append(UInt8(ascii: "<"))
    emitText()
  }

  // MARK: Elements

  /// Begins the element for the complete start tag in `tag`. Returns false if more bytes are needed; it is
  /// then called again with the same tag.
  func startElement(_ text: Span<UInt8>) -> Bool {
    guard let name = resolve(tag.name, text) else { return true }
    guard let part = endedPart(around: name) else { return false }
    if part { reopenPart() }
    guard let ended = countEnded(by: name) else { return false }
    noteEndedParts(by: name, inTop: ended)
    for _ in 0..<ended { closeTop() }
    beginElement(text)
    return true
  }

  private func beginElement(_ text: Span<UInt8>) {
    while open.depth >= limits.depth, handler.state.mayEndEarly { closeTop() }
    guard open.depth < limits.depth else { return exceed(limits.onDepth) }
    guard open.bindingCount + tag.bindings.count <= limits.namespaces else {
      return exceed(limits.onNamespaces)
    }
    for binding in tag.bindings { unsafe open.bind(prefix: binding.prefix, to: binding.namespace) }
    guard let resolved = resolve(tag.name, text) else { return }
    open.push(resolved, declaring: tag.bindings.count)
    deliver(resolved, text)
    if tag.isEmpty || tag.isVoid(in: text) { closeTop() }
  }

  private func deliver(_ name: XMLName, _ text: Span<UInt8>) {
    var cells: [UnsafePointer<UInt8>?] = unsafe []
    unsafe text.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return }
      for attribute in tag.attributes {
        guard let name = unsafe resolve(attribute.name, bytes.span, isAttribute: true) else { continue }
        unsafe cells.append(contentsOf: [
          name.local, name.prefix, name.namespace, base + attribute.value.lowerBound,
          base + attribute.value.upperBound,
        ])
      }
      let bindings = unsafe tag.bindings.flatMap { unsafe [$0.prefix, $0.namespace] }
      unsafe cells.withUnsafeBufferPointer { list in
        unsafe bindings.withUnsafeBufferPointer { namespaces in
          unsafe handler.startElement(
            name,
            XMLAttributes(
              cells: list.baseAddress, count: list.count / 5, namespaces: namespaces.baseAddress,
              namespaceCount: namespaces.count / 2, entities: entities))
        }
      }
    }
  }

  /// Handles an end tag. It ends the matching element and everything inside; without a match it is ignored.
  ///
  /// - Returns: False if more bytes are needed.
  func endElement(_ name: TolerantTag.Name, _ text: Span<UInt8>) -> Bool {
    guard let name = resolve(name, text) else { return true }
    guard let ended = countEnded(byEndOf: name) else { return false }
    if ended == 0 { closeEndedPart(name) }
    for _ in 0..<ended { closeTop() }
    return true
  }

  private func closeTop() {
    guard open.depth > 0 else { return }
    open.pop()
    _ = handler.endElement()
  }

  /// Returns the interned name with the namespace that its prefix has here.
  private func resolve(
    _ name: TolerantTag.Name, _ span: Span<UInt8>, isAttribute: Bool = false
  ) -> XMLName? {
    guard let local = unsafe names.intern(span.extracting(name.local)) else { return nil }
    guard let range = name.prefix, let prefix = unsafe names.intern(span.extracting(range)) else {
      return unsafe XMLName(
        local: local, prefix: nil, namespace: isAttribute ? nil : open.namespace(for: nil))
    }
    let isXML = span.extracting(range).hasPrefix("xml") && range.count == 3
    let namespace =
      unsafe isXML ? names.intern("http://www.w3.org/XML/1998/namespace") : open.namespace(for: prefix)
    return unsafe XMLName(local: local, prefix: prefix, namespace: namespace)
  }
}
