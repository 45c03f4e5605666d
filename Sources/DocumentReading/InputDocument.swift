/// A document whose beginning was read.
package struct InputDocument: Sendable {
  /// The name for people: a path, or `-`.
  package let name: String
  /// The name as an address of the scheme `file`.
  package let address: String
  /// The beginning, in pieces: all of it, or at least ``headBytes`` bytes.
  package let head: [[UInt8]]
  /// The bytes after ``head``; nil if it is whole.
  package let rest: (any ByteSource)?
  /// True if the rest must be read before the next document: they have one source.
  package let isStreamed: Bool

  /// The size up to which a document is read at once.
  package static let headBytes = 1 << 20

  /// Reads the beginning of a document.
  init(name: String, address: String, of source: any ByteSource, isStreamed: Bool) throws(InputFailure) {
    (self.name, self.address) = (name, address)
    var head: [[UInt8]] = []
    var count = 0
    var isWhole = false
    while count < Self.headBytes, !isWhole {
      let piece = try source.next()
      isWhole = piece.isEmpty
      if !isWhole { head.append(piece) }
      count += piece.count
    }
    self.head = head
    rest = isWhole ? nil : source
    self.isStreamed = isStreamed && !isWhole
  }

  /// The number of bytes in ``head``.
  package var headCount: Int { head.reduce(0) { $0 + $1.count } }
}
