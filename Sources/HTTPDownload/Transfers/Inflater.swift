import CZlib

/// Decodes one body in the formats gzip (RFC 1952), zlib (RFC 1950) or deflate (RFC 1951).
///
/// HTTP's name deflate means zlib (RFC 9110, section 8.4.1.2), but some servers send the bare format.
///
/// libcurl could decode as well, but it decodes everything that it has read, even if the receiver pauses.
/// 64 KiB can become 64 MiB. Here the receiver asks for each piece.
@safe package final class Inflater {
  /// zlib refers to the stream by its address, so it must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  /// The piece of the coded body that is being decoded, and how many of its bytes are decoded.
  private var input: [UInt8] = []
  private var position = 0
  private var hasFormat = false
  /// True if another call without input may return bytes or an error.
  private var hasMore = false
  /// True after a stream's last byte. Another gzip member may follow.
  private var isAtEnd = false

  package init() throws(DownloadError) {
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

  /// True if the coded body is complete.
  package var isComplete: Bool { isAtEnd && position == input.count }

  /// Returns the next decoded bytes, at most ``ChunkLine/chunkSize``; nil if that needs more chunks.
  ///
  /// - Parameter chunks: The coded bytes. The method removes the bytes that it reads.
  package func next(from chunks: inout ChunkLine) throws(DownloadError) -> [UInt8]? {
    while true {
      if position == input.count, !hasMore {
        guard let chunk = chunks.popFirst() else { return nil }
        (input, position) = (chunk, 0)
      }
      if !hasFormat {
        guard try chooseFormat(&chunks) else { return nil }
      }
      if isAtEnd { try beginMember() }
      let piece = try inflate()
      if !piece.isEmpty { return piece }
    }
  }

  /// Chooses the format by the first two bytes; returns false if they have not arrived.
  private func chooseFormat(_ chunks: inout ChunkLine) throws(DownloadError) -> Bool {
    while input.count < 2 {
      guard let chunk = chunks.popFirst() else { return false }
      input += chunk
    }
    let start = Int(input[0]) << 8 | Int(input[1])
    let isZlib = start >> 8 & 0x0F == Z_DEFLATED && start % 31 == 0
    if start != 0x1F8B, !isZlib, unsafe inflateReset2(stream, -MAX_WBITS) != Z_OK { throw .outOfMemory }
    hasFormat = true
    return true
  }

  private func beginMember() throws(DownloadError) {
    guard input[position] == 0x1F, unsafe inflateReset(stream) == Z_OK else {
      throw .undecodableBody(cause: "more bytes follow its end")
    }
    isAtEnd = false
  }

  /// Decodes one piece. It may be empty.
  private func inflate() throws(DownloadError) -> [UInt8] {
    var code = Z_OK
    // Compression reduces a feed to about a fifth of its size.
    let capacity = min(ChunkLine.chunkSize, max(4 << 10, 8 * (input.count - position)))
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
      guard !piece.isEmpty else { throw .undecodableBody(cause: "its compression is damaged") }
      hasMore = true
    }
    return piece
  }
}
