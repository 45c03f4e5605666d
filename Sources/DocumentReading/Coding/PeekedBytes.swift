/// A source that lets its first bytes be examined before they are read.
final class PeekedBytes: ByteSource {
  private let source: any ByteSource
  private var buffer: [UInt8] = []
  /// The source's failure, which follows the bytes that were read before it.
  private var failure: InputFailure?

  init(_ source: any ByteSource) {
    self.source = source
  }

  /// The source, if it is a regular file; nil otherwise.
  var file: FileBytes? { (source as? FileBytes).flatMap { $0.size > 0 ? $0 : nil } }

  /// Returns the next bytes without removing them, fewer than `count` only at the end or before a failure.
  func peek(_ count: Int) throws(InputFailure) -> ArraySlice<UInt8> {
    while buffer.count < count && failure == nil {
      let piece: [UInt8]
      do throws(InputFailure) {
        piece = try source.next()
      } catch {
        guard !buffer.isEmpty else { throw error }
        failure = error
        break
      }
      if piece.isEmpty { break }
      if buffer.isEmpty { buffer = piece } else { buffer += piece }
    }
    return buffer.prefix(count)
  }

  func next() throws(InputFailure) -> [UInt8] {
    if !buffer.isEmpty {
      // Returns the buffer without a copy.
      defer { buffer = [] }
      return buffer
    }
    if let failure { throw failure }
    return try source.next()
  }
}
