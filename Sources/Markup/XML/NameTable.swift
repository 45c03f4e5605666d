internal import CLibXML2

/// The interned names of one document, shared by the strict and the tolerant parser.
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

  /// Returns the unique address of a name of this program.
  func intern(_ text: StaticString) -> UnsafePointer<UInt8>? {
    text.withUTF8Buffer { unsafe intern($0.span) }
  }
}
