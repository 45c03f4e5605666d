import Inflating
import TextOutput

/// Collects one transfer's data from libcurl until the loop delivers it.
///
/// libcurl's callbacks only append here. The sink is called after libcurl has returned, so it may call the
/// downloader.
final class ResponseCollector {
  /// The size up to which an unwanted body is read, in bytes, so that its connection can be used again.
  static let maxDiscardedBytes = 64 << 10

  /// The approximate maximum size of the data that waits for the sink, in bytes. From a fast server, libcurl
  /// reads megabytes in one call.
  static let maxWaitingBytes = 64 << 10

  /// The result of receiving a header line or some body bytes.
  enum Intake: Equatable {
    case taken
    /// Nothing is accepted: libcurl keeps the bytes and pauses the transfer until it is resumed.
    case full
    /// Nothing is accepted: the transfer must end.
    case refused
  }

  /// True if libcurl has paused the transfer because enough bytes wait for the sink.
  var isFull = false
  private let limits: DownloadLimits
  private let id: TransferID
  private let arrivals: ArrivalList
  /// True if the transfer is in `arrivals`.
  private var isListed = false
  /// The time when the server last sent something, or the transfer began or resumed.
  private(set) var lastSign: ContinuousClock.Instant
  /// True if the transfer does not count towards the limit because it is silent.
  private(set) var isSilent = false
  /// Returns whether an address is public, for configurations that allow only public ones.
  var isPublic: @Sendable ([UInt8]) -> Bool = AddressPolicy.isPublic
  var acceptsPartialFeed = false
  /// Called inside libcurl's call with each complete head.
  var onHead: (() -> Void)?
  /// Called inside libcurl's call before each request that libcurl is about to send. Throws to end the
  /// transfer.
  var onRequest: (() throws(DownloadError) -> Void)?
  private(set) var header = HeaderReader()
  /// Body bytes that are not decoded yet. Decoded bytes never wait: the sink's pauses also pause decoding.
  private var chunks = ChunkLine()
  /// The count of received body bytes, before decoding.
  private var receivedByteCount = 0
  /// The count of body bytes for the sink so far, after decoding.
  private(set) var bodyByteCount = 0
  /// Decodes the body; nil if it has no coding, or has not begun to arrive.
  private var inflater: Inflater?
  /// True if no more bytes arrive.
  private var hasEnded = false
  private var discardedByteCount = 0
  /// The beginning of an unwanted body, for statuses that a wall against programs may send.
  private(set) var sample: [UInt8] = []
  /// The reason why the collector made libcurl end the transfer.
  private(set) var refusal: DownloadError?

  /// An address that was refused because it is not public.
  private(set) var refusedAddress: String?

  /// - Parameter arrivals: The list to which `id` is added when a chunk is ready.
  init(id: TransferID, limits: DownloadLimits, arrivals: ArrivalList) {
    self.id = id
    self.limits = limits
    self.arrivals = arrivals
    lastSign = arrivals.now
  }

  /// Records that the transfer no longer counts towards the limit.
  func fallSilent() {
    isSilent = true
  }

  /// Records that data arrived, or that the sink resumed the transfer.
  func noteSign() {
    lastSign = arrivals.now
    guard isSilent else { return }
    isSilent = false
    arrivals.awoken.append(id)
  }

  /// Prepares for the response to the transfer's next request.
  func beginResponse() {
    noteSign()
    header.beginResponse()
    discardedByteCount = 0
    sample = []
    refusedAddress = nil
  }

  func receive(headerLine: Span<UInt8>) -> Intake {
    noteSign()
    let wasComplete = header.isComplete
    header.read(headerLine)
    guard header.byteCount <= limits.maxHeaderBytes else {
      refusal = .headersTooLarge(limit: limits.maxHeaderBytes)
      return .refused
    }
    // No other protocol was requested. After 101, libcurl would wait for another answer.
    guard !header.isComplete || header.block.status != 101 else {
      refusal = .protocolViolation(.switchedProtocols)
      return .refused
    }
    // A line after a complete head is a trailer.
    guard header.isComplete, !wasComplete, header.block.status >= 200 else { return .taken }
    onHead?()
    // A redirect's body is not needed, nor is a connection that ends with it.
    return header.block.redirectLocation != nil && header.block.endsConnection ? .refused : .taken
  }

  /// Returns whether a request may be sent, after its connection was made.
  func maySendRequest() -> Bool {
    allows { () throws(DownloadError) in try onRequest?() }
  }

  /// Returns whether `body` allows the transfer to continue. If `body` throws an error, the error becomes the
  /// refusal.
  private func allows(_ body: () throws(DownloadError) -> Void) -> Bool {
    do throws(DownloadError) {
      try body()
      return true
    } catch {
      refusal = error
      return false
    }
  }

  func receive(body: Span<UInt8>) -> Intake {
    noteSign()
    guard hasWantedBody else {
      keepSample(of: body)
      discardedByteCount += body.count
      return discardedByteCount <= Self.maxDiscardedBytes ? .taken : .refused
    }
    if receivedByteCount == 0 {
      guard allows({ () throws(DownloadError) in try prepareDecoding() }) else { return .refused }
    }
    guard body.count <= limits.maxBodyBytes - receivedByteCount else {
      refusal = .bodyTooLarge(limit: limits.maxBodyBytes)
      return .refused
    }
    guard chunks.byteCount < Self.maxWaitingBytes else {
      isFull = true
      return .full
    }
    receivedByteCount += body.count
    chunks.append(body)
    if !isListed {
      isListed = true
      arrivals.transfers.append(id)
    }
    return .taken
  }

  private func keepSample(of body: Span<UInt8>) {
    guard [403, 503].contains(header.block.status) else { return }
    for index in 0..<min(body.count, Self.sampleBytes - sample.count) { sample.append(body[index]) }
  }

  private static let sampleBytes = 16 << 10

  /// True if the sink receives the response body.
  var hasWantedBody: Bool {
    ResponseHead.isDocument(header.block.status) || (acceptsPartialFeed && header.block.isPartialFeed)
  }

  /// Returns whether a connection to this address is allowed, if only public addresses are.
  func accepts(_ address: SocketAddress) -> Bool {
    if isPublic(address.bytes) { return true }
    refusedAddress = address.text
    return false
  }

  /// Chooses the body's decoder from the head.
  private func prepareDecoding() throws(DownloadError) {
    // libcurl would decode transfer codings without limits, even if none was requested.
    guard ContentCoding.isPlain(transferEncoding: header.block.text(.transferEncoding)) else {
      throw .unrequestedTransferCoding
    }
    switch ContentCoding(field: header.block.text(.contentEncoding)) {
    case .plain: inflater = nil
    case .deflate:
      do throws(Inflater.Failure) {
        inflater = try Inflater()
      } catch {
        throw DownloadError(error)
      }
    case .unsupported(let names):
      throw .undecodableBody(cause: "its content encoding (\(printable(names))) was not requested")
    }
  }

  /// Returns the next decoded bytes for the sink; nil if more must arrive first.
  ///
  /// - Throws: An error if the body cannot be decoded, is too large or ends too early.
  func nextChunk() throws(DownloadError) -> [UInt8]? {
    guard let chunk = try decodedChunk() else {
      isListed = false
      guard isDelivered || !hasEnded else { throw .truncated(cause: "the compressed body is incomplete") }
      return nil
    }
    guard chunk.count <= limits.maxBodyBytes - bodyByteCount else {
      throw .bodyTooLarge(limit: limits.maxBodyBytes)
    }
    bodyByteCount += chunk.count
    return chunk
  }

  private func decodedChunk() throws(DownloadError) -> [UInt8]? {
    guard let inflater else { return chunks.popFirst() }
    // libcurl could decode as well, but it decodes all bytes that it has read, even if the receiver pauses:
    // 64 KiB can become 64 MiB. Here the receiver asks for each piece.
    do throws(Inflater.Failure) {
      while true {
        let piece = try inflater.next()
        if !piece.isEmpty { return piece }
        guard let chunk = chunks.popFirst() else { return nil }
        inflater.add(chunk)
      }
    } catch {
      throw DownloadError(error)
    }
  }

  /// True if the sink has received all that has arrived, and a coded body is complete.
  var isDelivered: Bool { chunks.isEmpty && inflater?.isComplete ?? true }

  /// Records that no more bytes arrive.
  func end() {
    hasEnded = true
  }
}

/// The data that arrived since the loop's last round.
final class ArrivalList {
  /// The transfers with data or a result for their sinks.
  var transfers: [TransferID] = []
  /// The transfers that are no longer silent.
  var awoken: [TransferID] = []
  /// The time of the loop's round. It is precise enough for periods in seconds, and saves reading the clock
  /// for each line.
  var now: ContinuousClock.Instant

  init(now: ContinuousClock.Instant) {
    self.now = now
  }
}

/// Bytes in chunks of an efficient size. libcurl's own pieces of 16 KiB would cost one call each.
struct ChunkLine {
  static let chunkSize = 64 << 10
  private var complete = Fifo<[UInt8]>()
  private var last: [UInt8] = []
  private(set) var byteCount = 0

  var isEmpty: Bool { complete.isEmpty && last.isEmpty }

  mutating func append(_ bytes: Span<UInt8>) {
    byteCount += bytes.count
    if last.count + bytes.count > Self.chunkSize, !last.isEmpty {
      complete.append(last)
      last = []
    }
    // After one of libcurl's full pieces more follow; a smaller piece is often the whole body.
    if last.isEmpty { last.reserveCapacity(bytes.count < 16 << 10 ? bytes.count : Self.chunkSize) }
    unsafe bytes.withUnsafeBufferPointer { unsafe last.append(contentsOf: $0) }
  }

  mutating func popFirst() -> [UInt8]? {
    var chunk = complete.popFirst()
    if chunk == nil, !last.isEmpty {
      chunk = last
      last = []
    }
    byteCount -= chunk?.count ?? 0
    return chunk
  }
}
