/// Collects what libcurl passes of one transfer until the loop hands it on.
///
/// libcurl's callbacks only append here; the sink is called after libcurl has returned, so that it may do
/// what it likes.
final class ResponseCollector {
  /// The body of a response that nobody wants is read up to here, so that its connection can be used again.
  static let maxDiscardedBytes = 64 << 10

  /// About so many bytes wait for the sink at most: from a fast server libcurl reads megabytes in one call.
  static let maxWaitingBytes = 128 << 10

  /// What became of some bytes of a body.
  enum Intake: Equatable {
    case taken
    /// Not taken: libcurl keeps them and pauses the transfer until it's told to go on.
    case full
    /// Not taken: the transfer is to end.
    case refused
  }

  /// Whether libcurl has paused the transfer because enough bytes wait for the sink.
  var isFull = false
  private let limits: DownloadLimits
  private let id: TransferID
  private let arrivals: ArrivalList
  /// Whether the transfer stands in `arrivals`.
  private var isListed = false
  /// When something came last from the server, or the transfer began or went on.
  private(set) var lastSign: ContinuousClock.Instant
  /// Whether the loop has counted the transfer out because it's silent.
  private(set) var isSilent = false
  /// Which addresses may be connected to, where not all may.
  var isPublic: @Sendable ([UInt8]) -> Bool = AddressPolicy.isPublic
  /// Whether a partial feed was asked for.
  var acceptsPartialFeed = false
  /// Told of each redirect that libcurl is about to follow, inside libcurl's call; throws to end the transfer.
  var onRedirect: ((_ location: [UInt8]) throws(DownloadError) -> Void)?
  /// Told of each request that libcurl is about to send, inside libcurl's call; throws to end the transfer.
  var onRequest: (() throws(DownloadError) -> Void)?
  private(set) var header = HeaderReader()
  /// Body bytes that the sink has not got yet.
  private(set) var chunks = ChunkLine()
  /// Body bytes so far, whether the sink has got them or not.
  private(set) var bodyByteCount = 0
  private var discardedByteCount = 0
  /// Why the collector told libcurl to end the transfer.
  private(set) var refusal: DownloadError?

  /// An address that was not connected to because it isn't public.
  private(set) var refusedAddress: String?

  /// - Parameter arrivals: Gets `id` when there is a chunk to hand on.
  init(id: TransferID, limits: DownloadLimits, arrivals: ArrivalList) {
    self.id = id
    self.limits = limits
    self.arrivals = arrivals
    lastSign = arrivals.now
  }

  /// Notes that the transfer no longer counts.
  func fallSilent() {
    isSilent = true
  }

  /// Notes that something came, or that the sink lets the transfer go on.
  func noteSign() {
    lastSign = arrivals.now
    guard isSilent else { return }
    isSilent = false
    arrivals.awoken.append(id)
  }

  /// Takes one header line; false ends the transfer.
  func receive(headerLine: Span<UInt8>) -> Bool {
    noteSign()
    header.read(headerLine)
    guard header.byteCount <= limits.maxHeaderBytes else {
      refusal = .headersTooLarge(limit: limits.maxHeaderBytes)
      return false
    }
    // Nobody asked for another protocol; libcurl would go on waiting for an answer behind it.
    guard !header.isComplete || header.block.status != 101 else {
      refusal = .protocolViolation(cause: "HTTP 101 (switching protocols), which nobody asked for")
      return false
    }
    guard let onRedirect, header.isComplete, let location = header.block.redirectLocation else { return true }
    do throws(DownloadError) {
      try onRedirect(location)
      return true
    } catch {
      refusal = error
      return false
    }
  }

  /// Whether a request may be sent, now that its connection stands.
  func maySendRequest() -> Bool {
    do throws(DownloadError) {
      try onRequest?()
      return true
    } catch {
      refusal = error
      return false
    }
  }

  /// Takes decoded bytes of a body.
  func receive(body: Span<UInt8>) -> Intake {
    noteSign()
    guard hasWantedBody else {
      discardedByteCount += body.count
      return discardedByteCount <= Self.maxDiscardedBytes ? .taken : .refused
    }
    guard body.count <= limits.maxBodyBytes - bodyByteCount else {
      refusal = .bodyTooLarge(limit: limits.maxBodyBytes)
      return .refused
    }
    // While it is paused libcurl goes on decoding a coded body, up to 64 MB that nobody counts: those bytes are
    // taken, and the limit of the body bounds them.
    guard chunks.byteCount < Self.maxWaitingBytes || header.block[.contentEncoding] != nil else {
      isFull = true
      return .full
    }
    bodyByteCount += body.count
    chunks.append(body)
    if !isListed {
      isListed = true
      arrivals.transfers.append(id)
    }
    return .taken
  }

  /// Whether the body of the response goes to the sink.
  var hasWantedBody: Bool {
    header.block.status == 200 || (acceptsPartialFeed && header.block.isPartialFeed)
  }

  /// Whether a connection to this address may be made, where only public ones may.
  func accepts(_ address: SocketAddress) -> Bool {
    if isPublic(address.bytes) { return true }
    refusedAddress = address.text
    return false
  }

  /// The next bytes for the sink, nil when all that came have been handed on.
  func nextChunk() -> [UInt8]? {
    let chunk = chunks.popFirst()
    if chunk == nil { isListed = false }
    return chunk
  }
}

/// What has come since the loop last looked.
final class ArrivalList {
  /// The transfers that have something for their sinks.
  var transfers: [TransferID] = []
  /// The transfers that were silent and are so no longer.
  var awoken: [TransferID] = []
  /// The time of the loop's round: good enough for what is measured in seconds, and the clock isn't asked for each line.
  var now: ContinuousClock.Instant

  init(now: ContinuousClock.Instant) {
    self.now = now
  }
}

/// Bytes in chunks of a size that's good to hand over: libcurl's own pieces of 16 KiB cost a call each.
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
    // A full piece of libcurl's announces more of them, a smaller one is often the whole body.
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
