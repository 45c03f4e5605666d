internal import CLibXML2
internal import Glibc

/// An element or attribute name, as the document spells it.
///
/// The bytes belong to the parser's name table and live as long as the parser. Two names from one parser are
/// equal exactly if their ``identity`` is.
@safe
public struct XMLName {
  let local: UnsafePointer<UInt8>
  let prefix: UnsafePointer<UInt8>?
  let namespace: UnsafePointer<UInt8>?

  /// Addresses that identify the local part and the namespace (the prefix if no namespace is declared).
  @inlinable public var identity: (local: UInt, space: UInt) { (localAddress, spaceAddress) }

  @usableFromInline var localAddress: UInt { unsafe UInt(bitPattern: local) }
  @usableFromInline var spaceAddress: UInt { unsafe UInt(bitPattern: namespace ?? prefix) }

  /// True if the name's prefix, or the default, has a declared namespace.
  public var hasNamespace: Bool { unsafe namespace != nil }

  /// True if the name has a prefix.
  public var hasPrefix: Bool { unsafe prefix != nil }

  /// Calls `body` with the local part.
  public func withLocalBytes<R>(_ body: (Span<UInt8>) -> R) -> R { unsafe Self.withBytes(of: local, body) }

  /// Calls `body` with the namespace's name; empty without one.
  public func withNamespaceBytes<R>(_ body: (Span<UInt8>) -> R) -> R {
    guard let namespace = unsafe namespace else { return body(Span()) }
    return unsafe Self.withBytes(of: namespace, body)
  }

  /// Calls `body` with the prefix; empty without one.
  public func withPrefixBytes<R>(_ body: (Span<UInt8>) -> R) -> R {
    guard let prefix = unsafe prefix else { return body(Span()) }
    return unsafe Self.withBytes(of: prefix, body)
  }

  /// Returns whether `names`, in lower case, contain the local part. Upper and lower case letters are equal.
  package func isNamed(anyOf names: [StaticString]) -> Bool { withLocalBytes { $0.isNamed(anyOf: names) } }

  /// Both names come from one table, so that equal bytes have equal addresses.
  static func == (left: XMLName, right: XMLName) -> Bool {
    unsafe left.local == right.local && left.prefix == right.prefix
  }

  /// Returns whether the local parts are equal in any case. It stops at the first difference, because names
  /// may be very long.
  func hasSameLocalIgnoringCase(as other: XMLName) -> Bool {
    var index = 0
    while unsafe local[index].asciiLowercased == other.local[index].asciiLowercased {
      if unsafe local[index] == 0 { return true }
      index += 1
    }
    return false
  }

  private static func withBytes<R>(of text: UnsafePointer<UInt8>, _ body: (Span<UInt8>) -> R) -> R {
    let count = unsafe strlen(UnsafeRawPointer(text).assumingMemoryBound(to: CChar.self))
    return unsafe body(UnsafeBufferPointer(start: text, count: count).span)
  }
}

/// The interned names in one document, shared by the strict and the tolerant parser.
@safe
final class NameTable {
  private let table: xmlDictPtr

  /// Shares `table` with the parser that owns it; nil without one.
  init?(sharing table: xmlDictPtr?) {
    guard let table = unsafe table, unsafe xmlDictReference(table) == 0 else { return nil }
    unsafe self.table = unsafe table
  }

  deinit { unsafe xmlDictFree(table) }

  /// The number of names.
  var count: Int { unsafe Int(xmlDictSize(table)) }

  /// Returns the unique address of these bytes; nil if the table is full.
  func intern(_ bytes: Span<UInt8>) -> UnsafePointer<UInt8>? {
    unsafe bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress, let count = Int32(exactly: buffer.count) else { return nil }
      return unsafe xmlDictLookup(table, base, count)
    }
  }

  /// Returns the unique address of a name in this program.
  func intern(_ text: StaticString) -> UnsafePointer<UInt8>? {
    text.withUTF8Buffer { unsafe intern($0.span) }
  }
}

/// The open elements and the namespaces that they declare. The tolerant parser needs them to continue after
/// the strict one.
@safe
struct OpenElements {
  @safe
  struct Binding {
    let prefix: UnsafePointer<UInt8>?
    let namespace: UnsafePointer<UInt8>?
  }

  private var names: [XMLName] = []
  /// The number of bindings before each element.
  private var bindingCounts: [Int] = []
  private var bindings: [Binding] = []

  var depth: Int { names.count }

  /// The number of namespace declarations in force.
  var bindingCount: Int { bindings.count }

  /// The element that was opened last.
  var top: XMLName? { names.last }

  /// Returns the open element at position `count` from the top; 1 is the top.
  func name(fromTop count: Int) -> XMLName? {
    count > 0 && count <= names.count ? names[names.count - count] : nil
  }

  /// Declares a namespace for the element that is pushed next.
  mutating func bind(prefix: UnsafePointer<UInt8>?, to namespace: UnsafePointer<UInt8>?) {
    unsafe bindings.append(Binding(prefix: prefix, namespace: namespace))
  }

  /// Pushes an element that declares the last `count` bindings.
  mutating func push(_ name: XMLName, declaring count: Int) {
    names.append(name)
    bindingCounts.append(bindings.count - count)
  }

  mutating func pop() {
    guard names.popLast() != nil, let count = bindingCounts.popLast() else { return }
    if bindings.count > count { bindings.removeLast(bindings.count - count) }
  }

  mutating func cut(toDepth depth: Int) {
    while names.count > depth { pop() }
  }

  /// Returns a prefix's namespace here; nil stands for no prefix and for no namespace.
  func namespace(for prefix: UnsafePointer<UInt8>?) -> UnsafePointer<UInt8>? {
    unsafe bindings.last { unsafe $0.prefix == prefix }?.namespace
  }

  /// Returns how many elements an end tag ends; 0 if no open element matches.
  func countClosed(byEndOf name: XMLName) -> Int {
    if let top = names.last, top == name { return 1 }
    if let index = names.lastIndex(where: { $0 == name }) { return names.count - index }
    let index = names.suffix(32).lastIndex { $0.hasSameLocalIgnoringCase(as: name) }
    return index.map { names.count - $0 } ?? 0
  }
}
