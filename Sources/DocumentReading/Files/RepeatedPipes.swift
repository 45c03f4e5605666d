/// Standard input and pipes for two successive readers: the second also gets all bytes from the beginning.
///
/// `@unchecked Sendable` because one thread at a time reads pipes.
package final class RepeatedPipes: @unchecked Sendable {
  /// A pipe, and the bytes that the first reader has read from it.
  private struct Pipe {
    let argument: String
    let bytes: KeptBytes
  }

  /// The pipes that the first reader opened, in this order.
  private var pipes: [Pipe] = []
  private var isRepeating = false
  /// The remaining byte count that may be kept.
  fileprivate var room: Int
  /// True if the first reader did not get all that it asked for, because too much would have to be kept.
  package fileprivate(set) var isFull = false

  /// The default byte limit: more than the largest document.
  private static let mostBytes = 64 << 20

  /// - Parameter most: The maximum byte count that is kept in memory.
  package init(most: Int = RepeatedPipes.mostBytes) {
    room = most
  }

  /// Begins the second reader. The first must have ended.
  package func restart() { isRepeating = true }

  /// Opens a pipe.
  ///
  /// - Parameters:
  ///   - argument: Its path; `-` for standard input.
  ///   - mustEnd: Asked while the pipe has no bytes; true ends the wait.
  func bytes(
    of argument: String, until mustEnd: @escaping @Sendable () -> Bool,
    _ open: () throws(InputFailure) -> FileBytes
  ) throws(InputFailure) -> any ByteSource {
    guard isRepeating else {
      let bytes = KeptBytes(try open(), self)
      pipes.append(Pipe(argument: argument, bytes: bytes))
      return bytes
    }
    guard let place = pipes.firstIndex(where: { $0.argument == argument }) else { return try open() }
    let bytes = pipes.remove(at: place).bytes
    return RewoundBytes(bytes.pieces, FileBytes(continuing: bytes.source, until: mustEnd))
  }
}

/// A pipe's bytes for the first reader, which are kept for the second.
private final class KeptBytes: ByteSource {
  let source: FileBytes
  private(set) var pieces: [[UInt8]] = []
  private let owner: RepeatedPipes

  init(_ source: FileBytes, _ owner: RepeatedPipes) {
    (self.source, self.owner) = (source, owner)
  }

  func next() throws(InputFailure) -> [UInt8] {
    if owner.room <= 0 {
      owner.isFull = true
      throw .stopped
    }
    let piece = try source.next()
    if !piece.isEmpty { pieces.append(piece) }
    owner.room -= piece.count
    return piece
  }
}
