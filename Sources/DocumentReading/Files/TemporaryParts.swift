internal import Glibc

/// A temporary file that is divided into parts. They are written in any order, and read part by part.
///
/// The file has no name, so that it ends with the process. One thread at a time uses it.
package final class TemporaryParts {
  private struct Part {
    /// The places of the part's blocks in the file, in units of ``blockBytes``.
    var blocks: [Int] = []
    /// The bytes after these blocks.
    var pending: [UInt8] = []
  }

  private static let blockBytes = 32 << 10

  private let descriptor: Int32
  private var parts: [Part]
  private var blockCount = 0

  /// Creates the file in `$TMPDIR`, or else in `/var/tmp`. Nil if that is impossible.
  package init?(count: Int) {
    let folder = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
    var path = Array(((folder.isEmpty ? "/var/tmp" : folder) + "/newsimport-XXXXXX").utf8CString)
    let opened = unsafe path.withUnsafeMutableBufferPointer { path -> Int32 in
      guard let base = path.baseAddress else { return -1 }
      let opened = unsafe mkstemp(base)
      guard opened >= 0 else { return -1 }
      unsafe unlink(base)
      _ = fcntl(opened, F_SETFD, FD_CLOEXEC)
      return opened
    }
    guard opened >= 0 else { return nil }
    descriptor = opened
    parts = Array(repeating: Part(), count: count)
  }

  deinit { close(descriptor) }

  /// Adds bytes to a part.
  ///
  /// - Returns: False if the file cannot grow, such as on a full disk. The bytes then stay in memory.
  package func append(_ bytes: Span<UInt8>, to part: Int) -> Bool {
    unsafe bytes.withUnsafeBufferPointer { unsafe parts[part].pending += $0 }
    while parts[part].pending.count >= Self.blockBytes {
      guard write(parts[part].pending.prefix(Self.blockBytes)) else { return false }
      parts[part].blocks.append(blockCount)
      blockCount += 1
      parts[part].pending.removeFirst(Self.blockBytes)
    }
    return true
  }

  /// Writes a block after the others.
  private func write(_ block: ArraySlice<UInt8>) -> Bool {
    unsafe block.withUnsafeBytes { block in
      guard let base = block.baseAddress else { return false }
      var done = 0
      while done < block.count {
        let count = unsafe pwrite(
          descriptor, base + done, block.count - done, off_t(blockCount * Self.blockBytes + done))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        done += count
      }
      return true
    }
  }

  /// Returns a part's bytes in the order in which they were added. Nothing may be added after the first call.
  package func bytes(of part: Int) -> any ByteSource {
    PartBytes(self, parts[part].blocks, parts[part].pending)
  }

  fileprivate func block(at place: Int) throws(InputFailure) -> [UInt8] {
    var block: [UInt8] = []
    while block.count < Self.blockBytes {
      let offset = off_t(place * Self.blockBytes + block.count)
      let capacity = Self.blockBytes - block.count
      var code: Int32 = 0
      let piece = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, used in
        let count = unsafe pread(descriptor, buffer.baseAddress, capacity, offset)
        code = count < 0 ? errno : 0
        used = max(0, count)
      }
      if code == EINTR { continue }
      guard code == 0, !piece.isEmpty else { throw FileKind.failure(code == 0 ? EIO : code) }
      block += piece
    }
    return block
  }
}

private final class PartBytes: ByteSource {
  private let file: TemporaryParts
  private var blocks: ArraySlice<Int>
  private var rest: [UInt8]

  init(_ file: TemporaryParts, _ blocks: [Int], _ rest: [UInt8]) {
    (self.file, self.blocks, self.rest) = (file, blocks[...], rest)
  }

  func next() throws(InputFailure) -> [UInt8] {
    if let block = blocks.popFirst() { return try file.block(at: block) }
    defer { rest = [] }
    return rest
  }
}
