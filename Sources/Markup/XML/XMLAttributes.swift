/// The attributes of one start tag, valid during the call that delivers them.
@safe
public struct XMLAttributes {
  /// Five addresses for each attribute, in libxml2's order: local name, prefix, namespace, value, end of
  /// value.
  private let cells: UnsafePointer<UnsafePointer<UInt8>?>?
  /// Two addresses for each namespace that the tag declares: prefix, namespace.
  private let namespaces: UnsafePointer<UnsafePointer<UInt8>?>?
  private let entities: EntityTable

  /// The number of namespaces that the tag declares.
  public let namespaceCount: Int
  /// The number of attributes, without namespace declarations.
  public let count: Int

  init(
    cells: UnsafePointer<UnsafePointer<UInt8>?>?, count: Int,
    namespaces: UnsafePointer<UnsafePointer<UInt8>?>?, namespaceCount: Int, entities: EntityTable
  ) {
    unsafe self.cells = unsafe cells
    self.count = unsafe cells == nil ? 0 : count
    unsafe self.namespaces = unsafe namespaces
    self.namespaceCount = unsafe namespaces == nil ? 0 : namespaceCount
    self.entities = entities
  }

  /// Returns the name of the attribute at `index`.
  public func name(at index: Int) -> XMLName? {
    guard index < count, let cells = unsafe cells, let local = unsafe cells[5 * index] else { return nil }
    return unsafe XMLName(local: local, prefix: cells[5 * index + 1], namespace: cells[5 * index + 2])
  }

  /// Calls `body` with the namespace that the tag declares at `index`.
  public func withNamespace(at index: Int, _ body: (Span<UInt8>) -> Void) {
    guard index < namespaceCount, let namespaces = unsafe namespaces,
      let text = unsafe namespaces[2 * index + 1]
    else { return }
    unsafe XMLName(local: text, prefix: nil, namespace: nil).withLocalBytes(body)
  }

  /// Appends the value of the attribute at `index`, with its references decoded.
  public func appendValue(at index: Int, to bytes: inout [UInt8]) {
    guard let raw = unsafe raw(at: index) else { return }
    if unsafe Self.needsDecoding(raw.span) {
      unsafe decode(raw.span, to: &bytes)
    } else {
      unsafe bytes.append(contentsOf: raw)
    }
  }

  /// Calls `body` with the decoded value of the attribute at `index`.
  public func withValue<R>(at index: Int, _ body: (Span<UInt8>) -> R) -> R {
    guard let raw = unsafe raw(at: index) else { return body(Span()) }
    guard unsafe Self.needsDecoding(raw.span) else { return unsafe body(raw.span) }
    var decoded: [UInt8] = []
    unsafe decode(raw.span, to: &decoded)
    return body(decoded.span)
  }

  /// Returns the value of the attribute at `index` as written.
  private func raw(at index: Int) -> UnsafeBufferPointer<UInt8>? {
    guard index < count, let cells = unsafe cells,
      let start = unsafe cells[5 * index + 3], let end = unsafe cells[5 * index + 4]
    else { return nil }
    return unsafe UnsafeBufferPointer(start: start, count: max(0, end - start))
  }

  private static func needsDecoding(_ raw: Span<UInt8>) -> Bool {
    raw.firstIndex(of: UInt8(ascii: "&")) != nil || raw.firstIndex(of: 0xC2) != nil
  }

  /// Decodes a value. libxml2 leaves `&#38;` for an ampersand and unknown names in it, and has decoded the
  /// numbers for C1 controls.
  private func decode(_ raw: Span<UInt8>, to bytes: inout [UInt8]) {
    let start = bytes.count
    entities.appendDecoding(raw, to: &bytes)
    WindowsCodePage.replaceControls(in: &bytes, from: start)
  }
}
