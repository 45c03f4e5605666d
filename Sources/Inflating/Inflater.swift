internal import CZlib

/// Decodes one document in gzip (RFC 1952), zlib (RFC 1950) or deflate (RFC 1951) format, piece by piece.
///
/// HTTP's name deflate means zlib (RFC 9110, section 8.4.1.2), but some servers send the bare format.
@safe package final class Inflater {
  /// The reason why decoding ended early.
  package enum Failure: Error {
    case damaged
    /// More bytes follow the end of the document.
    case continued
    case outOfMemory
  }

  /// The maximum size of a decoded piece.
  package static let pieceBytes = 64 << 10

  /// zlib refers to the stream by its address, so it must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  /// The coded bytes, and the count that is already decoded.
  private var input: [UInt8] = []
  private var position = 0
  private var hasFormat = false
  /// True if another call without input may return bytes or an error.
  private var hasMore = false
  /// True after a stream's last byte. Another gzip member may follow.
  private var isAtEnd = false

  package init() throws(Failure) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    // The largest window, for gzip or zlib by the first bytes.
    guard
      unsafe inflateInit2_(stream, 32 + MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else {
      unsafe stream.deallocate()
      throw .outOfMemory
    }
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// True if the document is complete.
  package var isComplete: Bool { isAtEnd && position == input.count }

  /// Adds the next coded bytes.
  package func add(_ bytes: [UInt8]) {
    input = position == input.count ? bytes : input[position...] + bytes
    position = 0
  }

  /// Returns the next decoded bytes, at most ``pieceBytes``; empty if more input is needed.
  package func next() throws(Failure) -> [UInt8] {
    while position < input.count || hasMore {
      if !hasFormat {
        guard input.count > 1 else { break }
        try chooseFormat()
      }
      if isAtEnd {
        // Zeros after a member are padding.
        while position < input.count, input[position] == 0 { position += 1 }
        guard position < input.count else { break }
        try beginMember()
      }
      let piece = try inflate()
      if !piece.isEmpty { return piece }
    }
    return []
  }

  /// Chooses the format by the first two bytes.
  private func chooseFormat() throws(Failure) {
    let start = Int(input[0]) << 8 | Int(input[1])
    let isZlib = start >> 8 & 0x0F == Z_DEFLATED && start % 31 == 0
    if start != 0x1F8B, !isZlib, unsafe inflateReset2(stream, -MAX_WBITS) != Z_OK { throw .outOfMemory }
    hasFormat = true
  }

  private func beginMember() throws(Failure) {
    guard input[position] == 0x1F, unsafe inflateReset(stream) == Z_OK else { throw .continued }
    isAtEnd = false
  }

  /// Decodes one piece. It may be empty.
  private func inflate() throws(Failure) -> [UInt8] {
    var code = Z_OK
    // A compressed feed has about a fifth of its size.
    let capacity = min(Self.pieceBytes, max(4 << 10, 8 * (input.count - position)))
    let piece = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
      unsafe input.withUnsafeBufferPointer { input in
        unsafe stream.pointee.next_in = input.baseAddress.map { unsafe $0 + position }
        unsafe stream.pointee.avail_in = UInt32(input.count - position)
        unsafe stream.pointee.next_out = output.baseAddress
        unsafe stream.pointee.avail_out = UInt32(capacity)
        code = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
        position = unsafe input.count - Int(stream.pointee.avail_in)
        count = unsafe capacity - Int(stream.pointee.avail_out)
      }
    }
    switch code {
    case Z_OK, Z_BUF_ERROR:
      hasMore = piece.count == capacity
    case Z_STREAM_END:
      (hasMore, isAtEnd) = (false, true)
    case Z_MEM_ERROR:
      throw .outOfMemory
    default:
      // The bytes before the damage are returned first. zlib then repeats the error.
      guard !piece.isEmpty else { throw .damaged }
      hasMore = true
    }
    return piece
  }
}
