/// A source whose first bytes can be examined before they are read, and of which an exact number of bytes can be read.
final class PeekedBytes: ByteSource {
  // One thread at a time reads a source; see ``ByteSource``.
  private let source: any ByteSource
  private nonisolated(unsafe) var buffer: [UInt8] = []
  private nonisolated(unsafe) var position = 0
  /// The failure of the source, which follows the bytes that were read before it.
  private nonisolated(unsafe) var failure: InputFailure?

  init(_ source: any ByteSource) {
    self.source = source
  }

  /// Returns the next bytes without removing them, fewer than `count` only at the end or before a failure.
  func peek(_ count: Int) throws(InputFailure) -> ArraySlice<UInt8> {
    while unsafe buffer.count - position < count && failure == nil {
      let piece: [UInt8]
      do throws(InputFailure) {
        piece = try source.next()
      } catch {
        guard unsafe buffer.count > position else { throw error }
        unsafe failure = error
        break
      }
      if piece.isEmpty { break }
      if unsafe position == buffer.count {
        unsafe (buffer, position) = (piece, 0)
      } else {
        unsafe buffer.removeFirst(position)
        unsafe position = 0
        unsafe buffer += piece
      }
    }
    return unsafe buffer[position..<min(position + count, buffer.count)]
  }

  /// Returns some bytes, fewer than `count` only at the end.
  func read(_ count: Int) throws(InputFailure) -> [UInt8] {
    let bytes = Array(try peek(count))
    if bytes.count < count, let failure = unsafe failure { throw failure }
    unsafe position += bytes.count
    return bytes
  }

  /// Returns the next bytes, at most `limit`; empty at the end.
  func next(limit: Int) throws(InputFailure) -> [UInt8] {
    if unsafe position == buffer.count {
      if let failure = unsafe failure { throw failure }
      unsafe (buffer, position) = (try source.next(), 0)
    }
    let end = unsafe position + min(limit, buffer.count - position)
    if unsafe position == 0 && end == buffer.count {
      // Nothing is copied.
      defer { unsafe (buffer, position) = ([], 0) }
      return unsafe buffer
    }
    defer { unsafe position = end }
    return unsafe Array(buffer[position..<end])
  }

  func next() throws(InputFailure) -> [UInt8] { try next(limit: .max) }
}
