internal import CZstd

/// The decoded bytes of a source in the format Zstandard (RFC 8878), which may have several frames.
///
/// A frame may refer to up to 128 MiB before a byte, as the `zstd` program accepts by default.
///
/// `@unchecked Sendable` because one thread at a time reads a source; see ``ByteSource``.
@safe final class ZstdBytes: ByteSource, @unchecked Sendable {
  private let source: any ByteSource
  private let stream: OpaquePointer
  private var input: [UInt8] = []
  private var position = 0
  private var isInFrame = true
  /// True if another call without input may return bytes.
  private var hasMore = false

  init(_ source: any ByteSource) throws(InputFailure) {
    self.source = source
    guard let created = unsafe ZSTD_createDStream() else { throw InputFailure(.system, "out of memory") }
    unsafe stream = created
  }

  deinit {
    unsafe ZSTD_freeDStream(stream)
  }

  func next() throws(InputFailure) -> [UInt8] {
    while true {
      if position == input.count && !hasMore {
        (input, position) = (try source.next(), 0)
        if input.isEmpty {
          guard !isInFrame else { throw .cutCompression }
          return []
        }
      }
      let piece = try decode()
      if !piece.isEmpty { return piece }
    }
  }

  private func decode() throws(InputFailure) -> [UInt8] {
    var left = 0
    let capacity = Self.pieceBytes
    let piece = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
      unsafe input.withUnsafeBytes { bytes in
        var from = unsafe ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: position)
        var into = unsafe ZSTD_outBuffer(dst: output.baseAddress, size: capacity, pos: 0)
        left = unsafe ZSTD_decompressStream(stream, &into, &from)
        unsafe position = from.pos
        count = unsafe into.pos
      }
    }
    guard ZSTD_isError(left) == 0 else { throw Self.failure(ZSTD_getErrorCode(left)) }
    isInFrame = left != 0
    // At the end of a frame, another call without input would begin the next one.
    hasMore = left != 0 && piece.count == capacity
    return piece
  }

  private static func failure(_ code: ZSTD_ErrorCode) -> InputFailure {
    switch code {
    case ZSTD_error_frameParameter_windowTooLarge:
      InputFailure(
        .refused, "its compression refers back by more than 128 MiB; decompress it with zstd -d --long=31")
    case ZSTD_error_dictionary_wrong:
      InputFailure(.refused, "it was compressed with a dictionary; decompress it with zstd -d -D DICTIONARY")
    case ZSTD_error_memory_allocation: InputFailure(.system, "out of memory")
    default: .damagedCompression
    }
  }
}
