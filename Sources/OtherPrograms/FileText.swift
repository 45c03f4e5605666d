import DocumentReading

extension FilePathBytes {
  /// Returns a regular file's text; nil if it cannot be read, or is too large.
  func text(upTo mostBytes: Int) -> String? {
    var bytes: [UInt8] = []
    do throws(InputFailure) {
      guard try FileKind(of: self, follows: true) == .regular else { return nil }
      let source = try FileBytes(opening: self)
      while bytes.count <= mostBytes {
        let piece = try source.next()
        if piece.isEmpty { return String(decoding: bytes, as: UTF8.self) }
        bytes += piece
      }
    } catch {
      return nil
    }
    return nil
  }
}
