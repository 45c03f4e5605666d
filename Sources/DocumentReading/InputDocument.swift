/// A document with its beginning already read.
///
/// `@unchecked Sendable` because one thread at a time reads a document: first the reader of all documents, then
/// the worker that gets it.
package struct InputDocument: @unchecked Sendable {
  /// The name for people: a path, or `-`.
  package let name: String
  /// The name as a `file` URL.
  package let address: String
  /// The beginning, in pieces: all bytes, or at least ``headBytes`` bytes.
  package let head: [[UInt8]]
  /// The bytes after ``head``; nil if it is whole.
  package let rest: (any ByteSource)?
  /// True if the rest must be read before the next document, because they share one source.
  package let isStreamed: Bool

  /// Opens the document again, from its beginning; nil if that is impossible.
  package let reopen: (() throws(InputFailure) -> any ByteSource)?

  /// The size up to which a document is read at once.
  package static let headBytes = 1 << 20

  /// Reads a document's beginning. If its source fails after some bytes, ``rest`` fails.
  package init(
    name: String, address: String, of source: any ByteSource, isStreamed: Bool,
    reopen: (() throws(InputFailure) -> any ByteSource)? = nil
  ) throws(InputFailure) {
    (self.name, self.address, self.reopen) = (name, address, reopen)
    var head: [[UInt8]] = []
    var count = 0
    var rest: (any ByteSource)? = source
    while count < Self.headBytes {
      do throws(InputFailure) {
        let piece = try source.next()
        if piece.isEmpty {
          rest = nil
          break
        }
        head.append(piece)
        count += piece.count
      } catch {
        guard count > 0 else { throw error }
        rest = FailingBytes(error)
        break
      }
    }
    self.head = head
    self.rest = rest
    self.isStreamed = isStreamed && rest != nil
  }

  /// Creates a document that is in memory.
  package init(name: String, address: String, bytes: [UInt8]) {
    (self.name, self.address, reopen, rest, isStreamed) = (name, address, nil, nil, false)
    head = stride(from: 0, to: bytes.count, by: RewoundBytes.pieceBytes).map {
      Array(bytes[$0..<min($0 + RewoundBytes.pieceBytes, bytes.count)])
    }
  }

  /// Returns the first bytes, however they are divided: fewer than `count` only if the document has fewer.
  ///
  /// - Parameter count: At most ``headBytes``.
  package func beginning(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for piece in head where bytes.count < count { bytes += piece.prefix(count - bytes.count) }
    return bytes
  }

  /// Reads the whole document.
  ///
  /// - Throws: ``InputFailure`` if it cannot be read, or has more bytes.
  package func allBytes(upTo most: Int) throws(InputFailure) -> [UInt8] {
    let source = RewoundBytes(head, rest)
    var bytes: [UInt8] = []
    while true {
      let piece = try source.next()
      if piece.isEmpty { return bytes }
      bytes += piece
      if bytes.count > most {
        throw InputFailure(.refused, "larger than \(most) bytes; --max-body takes larger ones")
      }
    }
  }

  /// The size of ``head``, in bytes.
  package var headCount: Int { head.reduce(0) { $0 + $1.count } }
}

/// A source that has failed.
private final class FailingBytes: ByteSource {
  private let failure: InputFailure

  init(_ failure: InputFailure) { self.failure = failure }

  func next() throws(InputFailure) -> [UInt8] { throw failure }
}
