import CCurl
import WebAddress

/// One transfer that has left the queue; lives on the loop's thread.
final class Transfer {
  let id: TransferID
  let request: DownloadRequest
  /// The origin of the request's address.
  let origin: String
  let sink: any DownloadSink
  let easy: EasyHandle
  let collector: ResponseCollector
  private let startedAt: ContinuousClock.Instant
  private var pausedAt: ContinuousClock.Instant?
  /// How long the sink has paused the transfer so far.
  private var pausedTime = Duration.zero
  private var head: ResponseHead?
  /// How the transfer ended on the network; chunks may still wait for the sink.
  private(set) var result: Result<DownloadSummary, DownloadError>?
  /// Whether the handle may serve another transfer; both reasons against it were seen in libcurl 7.88.1.
  ///
  /// After a failure it may hold the rest of a header line, which it would put before the next response's. After
  /// a multiplexed transfer it keeps its buffer and then refuses to be given a buffer size.
  private(set) var isHandleReusable = false
  /// Whether the validators go to the address that is asked now.
  var sendsValidators = true
  /// Whether no redirect has left the origin to which the additional header fields belong.
  var isAtHome = true
  /// Where a redirect leads, until the request is sent there: it may wait for a connection.
  var hop: WebAddress?
  /// The proxy that is to blame for the transfer's failure; nil where none is.
  var deadProxy: String?
  /// Why this is the second attempt; nil for the first.
  let retry: RetryReason?

  init(_ waiting: WaitingTransfer, easy: EasyHandle, arrivals: ArrivalList) {
    id = waiting.id
    request = waiting.request
    origin = waiting.origin
    sink = waiting.sink
    self.easy = easy
    collector = ResponseCollector(id: id, limits: request.limits, arrivals: arrivals)
    startedAt = arrivals.now
    retry = nil
  }

  /// The second attempt at a transfer that failed before its response began; its time goes on.
  init(retrying first: Transfer, for reason: RetryReason, easy: EasyHandle, arrivals: ArrivalList) {
    id = first.id
    request = first.request
    origin = first.origin
    sink = first.sink
    self.easy = easy
    collector = ResponseCollector(id: id, limits: request.limits, arrivals: arrivals)
    startedAt = first.startedAt
    retry = reason
  }

  /// Whether nothing is left to tell the sink but the end.
  var isOver: Bool {
    switch result {
    case nil: false
    case .failure: true
    case .success: collector.chunks.isEmpty
    }
  }

  var isPaused: Bool { pausedAt != nil }

  /// When the total timeout passes; nil while the sink pauses the transfer, which is no fault of the server's.
  var deadline: ContinuousClock.Instant? {
    isPaused ? nil : startedAt + request.limits.totalTimeout + pausedTime
  }

  /// Hands chunks to the sink until there is none, or the sink wants no more now.
  func deliver() throws(DownloadError) -> DownloadFlow {
    while let chunk = collector.nextChunk() {
      try announceHead()
      let flow = sink.didReceive(chunk: chunk, transfer: id)
      guard flow == .proceed else { return flow }
    }
    return .proceed
  }

  /// Pauses the transfer, or lets it go on.
  func setPaused(_ isPaused: Bool, now: ContinuousClock.Instant) throws(DownloadError) {
    guard isPaused != self.isPaused else { return }
    if let since = pausedAt { pausedTime += now - since }
    pausedAt = isPaused ? now : nil
    collector.noteSign()
    // A transfer that has ended on the network has nothing to hold back there.
    guard result == nil else { return }
    let code = easy.pause(isPaused)
    guard code == CURLE_OK else { throw error(of: code) }
  }

  /// Lets libcurl go on where it paused because enough waited for the sink, which has it all now.
  func makeRoom() throws(DownloadError) {
    guard collector.isFull else { return }
    collector.isFull = false
    guard result == nil else { return }
    let code = easy.pause(false)
    guard code == CURLE_OK else { throw error(of: code) }
  }

  /// Takes note of how libcurl ended the transfer.
  func conclude(_ code: CURLcode, now: ContinuousClock.Instant) {
    isHandleReusable = code == CURLE_OK && easy.number(CURLINFO_HTTP_VERSION) < Int(CURL_HTTP_VERSION_2_0)
    conclude(with: code == CURLE_OK ? nil : error(of: code), now: now)
  }

  /// Takes note of the transfer's end.
  ///
  /// - Parameter failure: Why it ended before its time. What goes wrong in the body of an error page is no
  ///   news beside the status, and a redirect that is not followed now is an answer.
  func conclude(with failure: DownloadError?, now: ContinuousClock.Instant) {
    do throws(DownloadError) {
      if let failure, failure != .redirectDelayed, collector.refusal != nil || !hasOnlyStatus {
        throw failure
      }
      result = .success(try summary(now: now))
    } catch {
      result = .failure(placed(error))
    }
  }

  /// The address that is asked now, after the redirects so far.
  var currentAddress: WebAddress {
    easy.text(CURLINFO_EFFECTIVE_URL).map { WebAddress($0) } ?? request.address
  }

  /// The error with the address at which it happened, where a redirect led elsewhere.
  private func placed(_ error: DownloadError) -> DownloadError {
    let address = currentAddress
    guard error.isOfServer, let target = address.target, target != request.address.target else {
      return error
    }
    return .redirected(to: address, error)
  }

  /// Tells the sink the end, and before a success the head if it has not got it.
  func finish(_ result: Result<DownloadSummary, DownloadError>) {
    if case .failure = result, request.keepsCutBody { _ = try? deliver() }
    if case .success = result {
      do throws(DownloadError) {
        try announceHead()
      } catch {
        sink.didFinish(.failure(error), transfer: id)
        return
      }
    }
    sink.didFinish(result, transfer: id)
  }

  private func announceHead() throws(DownloadError) {
    guard head == nil else { return }
    let head = try responseHead()
    self.head = head
    sink.didReceive(head: head, transfer: id)
  }

  private func summary(now: ContinuousClock.Instant) throws(DownloadError) -> DownloadSummary {
    let head = if let head { head } else { try responseHead() }
    var summary = DownloadSummary(head: head)
    summary.decodedBytes = collector.bodyByteCount
    summary.wireBytes = easy.amount(CURLINFO_SIZE_DOWNLOAD_T)
    summary.firstByteSeconds = Double(easy.amount(CURLINFO_STARTTRANSFER_TIME_T)) / 1e6
    summary.totalSeconds = (now - startedAt - pausedTime) / .seconds(1)
    summary.httpVersion = easy.httpVersion
    summary.connectionsOpened = easy.number(CURLINFO_NUM_CONNECTS)
    return summary
  }
}

/// Why a transfer is tried once more.
enum RetryReason {
  /// Nothing but an error came over a connection that had served another transfer, such as what that one's
  /// server sent too much.
  case usedConnection
  /// The server names a coding that doesn't exist; often it's the character encoding of a plain body.
  case unknownCoding
}

/// A transfer in the queue; of many there, a table of references has less room to spare than one of values.
final class WaitingTransfer {
  let id: TransferID
  let request: DownloadRequest
  let origin: String
  let sink: any DownloadSink

  init(id: TransferID, request: DownloadRequest, origin: String, sink: any DownloadSink) {
    self.id = id
    self.request = request
    self.origin = origin
    self.sink = sink
  }
}

extension EasyHandle {
  /// The protocol of the last response, such as `1.1`.
  var httpVersion: String {
    switch number(CURLINFO_HTTP_VERSION) {
    case Int(CURL_HTTP_VERSION_1_0): "1.0"
    case Int(CURL_HTTP_VERSION_2_0): "2"
    case Int(CURL_HTTP_VERSION_3): "3"
    default: "1.1"
    }
  }
}
