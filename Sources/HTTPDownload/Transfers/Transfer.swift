import CCurl
import WebAddress

/// One transfer that has left the queue. It is used on the loop's thread.
final class Transfer {
  let queued: WaitingTransfer
  private(set) var easy: EasyHandle
  let collector: ResponseCollector
  let startedAt: ContinuousClock.Instant
  /// The time when the current request began: the first request, a redirect's, or a second attempt.
  private var requestStartedAt: ContinuousClock.Instant
  private var pausedAt: ContinuousClock.Instant?
  /// The time that does not count towards the limits, because the sink had paused the transfer or the process
  /// was stopped.
  private var pausedTime = Duration.zero
  private var head: ResponseHead?
  /// True if the sink has received the head.
  private var isHeadAnnounced = false
  /// The result on the network. Chunks may still wait for the sink.
  private(set) var result: Result<DownloadSummary, DownloadError>?
  /// True if the process was stopped during the transfer. Its server may have given up in that time.
  private var wasInterrupted = false
  /// The part of ``pausedTime`` before the answer.
  private var interruptedBeforeAnswer = Duration.zero
  /// True if another request may use the handle.
  private(set) var isHandleReusable = false
  /// True if the validators are sent to the current address.
  var sendsValidators = true
  /// True until a redirect leaves the origin to which the additional header fields belong.
  var isAtFirstOrigin = true
  var redirects: [Redirect] = []
  /// The cookies that redirects have set.
  var cookies = TransferCookies()
  /// The target of the redirect that was received last; nil if it cannot be read.
  var location: WebAddress?
  /// True while a redirect waits until it may be followed. libcurl has no transfer then.
  var awaitsRedirect = false
  /// True if the transfer ends with a redirect that is not followed now.
  private(set) var isRedirectDelayed = false
  /// A redirect's target, until its request is sent. The request may wait for a connection.
  var hop: WebAddress?
  /// Returns whether another transfer will use the connection to an origin, which transfers may share.
  var leavesConnection: (_ origin: String, _ isShared: Bool) -> Bool = { _, _ in false }
  /// The proxy that caused the failure; nil if none did.
  var deadProxy: String?
  /// True for the current request's second attempt, on a new connection.
  private(set) var isRetry = false
  /// The count of connections that were opened for the requests before the current one.
  private var earlierConnections = 0

  init(_ queued: WaitingTransfer, easy: EasyHandle, arrivals: ArrivalList) {
    self.queued = queued
    self.easy = easy
    collector = ResponseCollector(id: queued.id, limits: queued.request.limits, arrivals: arrivals)
    startedAt = arrivals.now
    requestStartedAt = arrivals.now
  }

  /// Forgets the response to the last request: the next one goes to a redirect's target, or is a second
  /// attempt.
  func beginRequest(isRetry: Bool, easy: EasyHandle, now: ContinuousClock.Instant) {
    earlierConnections += self.easy.number(CURLINFO_NUM_CONNECTS)
    self.easy = easy
    self.isRetry = isRetry
    requestStartedAt = now
    isHandleReusable = false
    awaitsRedirect = false
    collector.beginResponse()
  }

  var id: TransferID { queued.id }
  var request: DownloadRequest { queued.request }
  /// The request address's origin.
  var origin: String { queued.origin }
  var sink: any DownloadSink { queued.sink }

  /// True if the sink only needs to be notified of the end.
  var isOver: Bool {
    switch result {
    case nil: false
    case .failure: true
    case .success: collector.isDelivered
    }
  }

  var isPaused: Bool { pausedAt != nil }

  /// The time at which the total timeout expires; nil while the sink pauses the transfer.
  var deadline: ContinuousClock.Instant? {
    isPaused ? nil : startedAt + request.limits.totalTimeout + pausedTime
  }

  /// Delivers chunks to the sink until none is left or the sink pauses.
  func deliver() throws(DownloadError) -> DownloadFlow {
    while let chunk = try nextChunk() {
      try announceHead()
      let flow = sink.didReceive(chunk: chunk, transfer: id)
      guard flow == .proceed else { return flow }
    }
    return .proceed
  }

  private func nextChunk() throws(DownloadError) -> [UInt8]? {
    do throws(DownloadError) {
      return try collector.nextChunk()
    } catch {
      throw placed(error)
    }
  }

  func setPaused(_ isPaused: Bool, now: ContinuousClock.Instant) throws(DownloadError) {
    guard isPaused != self.isPaused else { return }
    if let since = pausedAt { pausedTime += now - since }
    pausedAt = isPaused ? now : nil
    collector.noteSign()
    // A transfer that has ended on the network cannot be paused there.
    guard result == nil else { return }
    let code = easy.pause(isPaused)
    guard code == CURLE_OK else { throw error(of: code) }
  }

  /// Excludes an interruption of the process from the transfer's limits.
  func excuse(_ interruption: Duration) {
    guard result == nil else { return }
    wasInterrupted = true
    // A pause does not count anyway, and libcurl measures the speed from its end.
    guard !isPaused else { return }
    pausedTime += interruption
    if !collector.header.isComplete { interruptedBeforeAnswer += interruption }
    collector.noteSign()
    // If this fails, the connection may count as too slow.
    try? easy.set(CURLOPT_CONNECTTIMEOUT_MS, (request.limits.connectTimeout + pausedTime).wholeMilliseconds)
    guard !collector.isFull, !awaitsRedirect else { return }
    // Otherwise libcurl would find the whole interruption too slow before it reads the data that has arrived.
    _ = easy.pause(true)
    _ = easy.pause(false)
  }

  /// Resumes libcurl once the sink has received all bytes that caused the pause.
  func makeRoom() throws(DownloadError) {
    guard collector.isFull else { return }
    collector.isFull = false
    guard result == nil else { return }
    let code = easy.pause(false)
    guard code == CURLE_OK else { throw error(of: code) }
  }

  /// Records libcurl's result for the transfer.
  func conclude(_ code: CURLcode, now: ContinuousClock.Instant) {
    noteHandle(after: code)
    conclude(with: code == CURLE_OK ? nil : error(of: code), now: now)
  }

  /// Decides whether another request may use the handle. Both reasons against it were seen in libcurl 7.88.1.
  ///
  /// After a failure the handle may contain the rest of a header line, which it would put in front of the
  /// next response's lines. After a multiplexed transfer it keeps its buffer, and then refuses to set a
  /// buffer size.
  func noteHandle(after code: CURLcode) {
    isHandleReusable = code == CURLE_OK && easy.number(CURLINFO_HTTP_VERSION) < Int(CURL_HTTP_VERSION_2_0)
  }

  /// Records the transfer's end.
  ///
  /// - Parameter failure: The reason for an early end. An error in an error page's body is ignored, because
  ///   the status says enough. A redirect that is not followed now is an answer.
  func conclude(with failure: DownloadError?, now: ContinuousClock.Instant) {
    collector.end()
    isRedirectDelayed = failure == .redirectDelayed
    do throws(DownloadError) {
      if let failure, !isRedirectDelayed, collector.refusal != nil || !hasOnlyStatus {
        let isExcused = wasInterrupted && request.isRepeated && failure.isOfConnection
        throw isExcused ? .withheld : failure
      }
      result = .success(try summary(now: now))
    } catch {
      result = .failure(placed(error))
    }
  }

  /// The current address, after the redirects so far.
  var currentAddress: WebAddress { redirects.last?.target ?? request.address }

  var currentOrigin: String { currentAddress.origin ?? origin }

  /// Returns the error with the address at which it occurred, if a redirect led elsewhere.
  private func placed(_ error: DownloadError) -> DownloadError {
    let address = currentAddress
    guard error.isOfServer, let target = address.target, target != request.address.target else {
      return error
    }
    return .redirected(to: address, error)
  }

  /// Notifies the sink of the end. Before a success, passes it the head if it has not received it.
  func finish(_ result: Result<DownloadSummary, DownloadError>) {
    if case .failure = result, request.keepsCutBody { _ = try? deliver() }
    var result = result
    if case .success(var summary) = result {
      summary.decodedBytes = collector.bodyByteCount
      result = .success(summary)
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
    guard !isHeadAnnounced else { return }
    let head = try finalHead()
    isHeadAnnounced = true
    sink.didReceive(head: head, transfer: id)
  }

  private func finalHead() throws(DownloadError) -> ResponseHead {
    if let head { return head }
    let head = try responseHead()
    self.head = head
    return head
  }

  private func summary(now: ContinuousClock.Instant) throws(DownloadError) -> DownloadSummary {
    var summary = DownloadSummary(head: try finalHead())
    summary.wireBytes = easy.amount(CURLINFO_SIZE_DOWNLOAD_T)
    let answer = Duration.microseconds(easy.amount(CURLINFO_STARTTRANSFER_TIME_T))
    let firstByte = requestStartedAt - startedAt + answer
    summary.firstByteSeconds = max(.zero, firstByte - interruptedBeforeAnswer) / .seconds(1)
    summary.totalSeconds = (now - startedAt - pausedTime) / .seconds(1)
    summary.connectionsOpened = earlierConnections + easy.number(CURLINFO_NUM_CONNECTS)
    return summary
  }
}

/// A transfer in the queue. It is a class because a table with references wastes less space on free slots
/// than a table with values.
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
