internal import CZlib

/// The decoded bytes of a source in the format gzip (RFC 1952), which may have several members.
///
/// `@unchecked Sendable` because one thread at a time reads a source; see ``ByteSource``.
@safe final class GzipBytes: ByteSource, @unchecked Sendable {
  private let source: any ByteSource
  /// zlib refers to the stream by its address, so it must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private var input: [UInt8] = []
  private var position = 0
  private var isInMember = true

  init(_ source: any ByteSource) throws(InputFailure) {
    self.source = source
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    // The largest window, for gzip alone.
    let code = unsafe inflateInit2_(stream, 16 + MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard code == Z_OK else {
      unsafe stream.deallocate()
      throw InputFailure(.system, "out of memory")
    }
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  func next() throws(InputFailure) -> [UInt8] {
    while true {
      if position == input.count {
        (input, position) = (try source.next(), 0)
        if input.isEmpty {
          guard !isInMember else { throw .cutCompression }
          return []
        }
      }
      if !isInMember {
        guard try beginMember() else { continue }
      }
      let piece = try inflate()
      if !piece.isEmpty { return piece }
    }
  }

  /// Begins another member. Zeros after a member are padding.
  private func beginMember() throws(InputFailure) -> Bool {
    while position < input.count, input[position] == 0 { position += 1 }
    guard position < input.count else { return false }
    guard input[position] == 0x1F, unsafe inflateReset(stream) == Z_OK else {
      throw InputFailure(.refused, "its compression is damaged: more bytes follow its end")
    }
    isInMember = true
    return true
  }

  private func inflate() throws(InputFailure) -> [UInt8] {
    var code = Z_OK
    let capacity = Self.pieceBytes
    let piece = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
      unsafe input.withUnsafeBufferPointer { input in
        unsafe stream.pointee.next_in = input.baseAddress.map { unsafe $0 + position }
        unsafe stream.pointee.avail_in = UInt32(input.count - position)
        unsafe stream.pointee.next_out = output.baseAddress
        unsafe stream.pointee.avail_out = UInt32(capacity)
        code = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
        unsafe position = input.count - Int(stream.pointee.avail_in)
        count = unsafe capacity - Int(stream.pointee.avail_out)
      }
    }
    switch code {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: isInMember = false
    case Z_MEM_ERROR: throw InputFailure(.system, "out of memory")
    default:
      // The bytes before the damage are returned first. zlib then repeats the error.
      guard !piece.isEmpty else { throw .damagedCompression }
    }
    return piece
  }
}

extension InputFailure {
  static let cutCompression = InputFailure(.refused, "cut off: its compression is not complete")
  static let damagedCompression = InputFailure(.refused, "its compression is damaged")
}
