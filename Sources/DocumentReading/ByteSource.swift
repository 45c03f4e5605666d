/// Bytes that are read in pieces, one thread at a time.
package protocol ByteSource: AnyObject {
  /// Returns the next bytes; empty at the end.
  func next() throws(InputFailure) -> [UInt8]
}

extension ByteSource {
  /// The usual piece size.
  package static var pieceBytes: Int { 64 << 10 }
}

/// Pieces that were already read from a source, followed by the rest.
package final class RewoundBytes: ByteSource {
  private var pieces: ArraySlice<[UInt8]>
  private let rest: (any ByteSource)?

  /// - Parameter rest: The source after the pieces; nil for none.
  package init(_ pieces: [[UInt8]], _ rest: (any ByteSource)? = nil) {
    self.pieces = pieces[...]
    self.rest = rest
  }

  package func next() throws(InputFailure) -> [UInt8] {
    if let piece = pieces.popFirst() { return piece }
    return try rest?.next() ?? []
  }
}
