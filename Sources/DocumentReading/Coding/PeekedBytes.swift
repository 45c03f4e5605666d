/// A source whose first bytes can be examined before they are read, and of which an exact number of bytes can be read.
///
/// `@unchecked Sendable` because one thread at a time reads a source; see ``ByteSource``.
final class PeekedBytes: ByteSource, @unchecked Sendable {
  private let source: any ByteSource
  private var buffer: [UInt8] = []
  private var position = 0
  /// The failure of the source, which follows the bytes that were read before it.
  private var failure: InputFailure?

  init(_ source: any ByteSource) {
    self.source = source
  }

  /// Returns the next bytes without removing them, fewer than `count` only at the end or before a failure.
  func peek(_ count: Int) throws(InputFailure) -> ArraySlice<UInt8> {
    while buffer.count - position < count && failure == nil {
      let piece: [UInt8]
      do throws(InputFailure) {
        piece = try source.next()
      } catch {
        guard buffer.count > position else { throw error }
        failure = error
        break
      }
      if piece.isEmpty { break }
      if position == buffer.count {
        (buffer, position) = (piece, 0)
      } else {
        buffer.removeFirst(position)
        position = 0
        buffer += piece
      }
    }
    return buffer[position..<min(position + count, buffer.count)]
  }

  /// Returns some bytes, fewer than `count` only at the end.
  func read(_ count: Int) throws(InputFailure) -> [UInt8] {
    let bytes = Array(try peek(count))
    if bytes.count < count, let failure = failure { throw failure }
    position += bytes.count
    return bytes
  }

  /// Returns the next bytes, at most `limit`; empty at the end.
  func next(limit: Int) throws(InputFailure) -> [UInt8] {
    if position == buffer.count {
      if let failure = failure { throw failure }
      (buffer, position) = (try source.next(), 0)
    }
    let end = position + min(limit, buffer.count - position)
    if position == 0 && end == buffer.count {
      // Nothing is copied.
      defer { (buffer, position) = ([], 0) }
      return buffer
    }
    defer { position = end }
    return Array(buffer[position..<end])
  }

  func next() throws(InputFailure) -> [UInt8] { try next(limit: .max) }
}
