internal import Glibc

/// The name of an element or attribute, as the document spells it.
///
/// The bytes belong to the parser's table of names and live as long as the parser. Two names of one parser are equal
/// exactly if their ``identity`` is.
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

  /// Calls `body` with the bytes of the local part.
  public func withLocalBytes<R>(_ body: (Span<UInt8>) -> R) -> R { unsafe Self.withBytes(of: local, body) }

  /// Calls `body` with the bytes of the namespace's name; empty without one.
  public func withNamespaceBytes<R>(_ body: (Span<UInt8>) -> R) -> R {
    guard let namespace = unsafe namespace else { return body(Span()) }
    return unsafe Self.withBytes(of: namespace, body)
  }

  /// Calls `body` with the bytes of the prefix; empty without one.
  public func withPrefixBytes<R>(_ body: (Span<UInt8>) -> R) -> R {
    guard let prefix = unsafe prefix else { return body(Span()) }
    return unsafe Self.withBytes(of: prefix, body)
  }

  /// Returns whether the local part is one of `names`, ignoring the case of letters. The names are in lower case.
  package func isNamed(anyOf names: [StaticString]) -> Bool { withLocalBytes { $0.isNamed(anyOf: names) } }

  /// Both names come from one table, so that equal bytes have equal addresses.
  static func == (left: XMLName, right: XMLName) -> Bool {
    unsafe left.local == right.local && left.prefix == right.prefix
  }

  /// Returns whether the local parts are equal in any case. It stops at the first difference, because names may be
  /// very long.
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
