import CCurl
import TextOutput
import WebAddress

/// What the transfer's response was, and why it was none.
extension Transfer {
  /// Whether the final response's head came whole and its body is of no interest.
  var hasOnlyStatus: Bool {
    let block = collector.header.block
    return collector.header.isComplete && block.status > 200 && block.redirectLocation == nil
      && !collector.hasWantedBody
  }

  /// The final response's head.
  ///
  /// - Throws: What libcurl takes for a success and we don't.
  func responseHead() throws(DownloadError) -> ResponseHead {
    let block = collector.header.block
    try checkStatus(block)
    let limit = request.limits.maxValidatorBytes
    var head = ResponseHead(
      status: block.status, address: currentAddress)
    head.etag = block.validator(.etag, limit: limit)
    head.lastModified = block.validator(.lastModified, limit: limit)
    head.contentType = block.text(.contentType)
    head.contentEncoding = block.text(.contentEncoding)
    // Below zero where there is none.
    let length = easy.amount(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
    head.contentLength = length >= 0 ? length : nil
    head.retryAfter = block.text(.retryAfter)
    head.cacheControl = block.text(.cacheControl)
    head.expires = block.text(.expires)
    head.date = block.text(.date)
    head.wasConditional = isConditional
    head.redirects = try redirects()
    return head
  }

  private func checkStatus(_ block: HeaderBlock) throws(DownloadError) {
    let status = block.status
    // A line that looks like a status line to one of us only would make the head another response's.
    guard collector.header.isComplete, status == easy.number(CURLINFO_RESPONSE_CODE) else {
      throw .protocolViolation(cause: "no proper response head")
    }
    if collector.refusal == .redirectDelayed { return }
    switch status {
    case ..<200:
      throw .protocolViolation(cause: "HTTP \(status) as the final response")
    case 304 where !isConditional:
      throw .protocolViolation(cause: "HTTP 304 (not modified) to an unconditional request")
    case 226 where !collector.hasWantedBody:
      throw .protocolViolation(
        cause: asksForPartialFeed
          ? "HTTP 226 (IM used) without IM: feed" : "HTTP 226 (IM used) to a request that did not ask for it")
    case 301, 302, 303, 307, 308:
      throw .protocolViolation(cause: "HTTP \(status) (redirect) without a location")
    default:
      break
    }
  }

  /// Whether the request asks only for what is new, at the address that is asked now.
  var isConditional: Bool {
    guard sendsValidators else { return false }
    return sendableValidator(request.etag) != nil || sendableValidator(request.lastModified) != nil
  }

  /// Whether the request lets the server leave out what the client has.
  var asksForPartialFeed: Bool { request.acceptsPartialFeed && isConditional }

  /// A stored validator as it is sent: none that is empty or could smuggle in a line.
  func sendableValidator(_ value: [UInt8]?) -> [UInt8]? {
    guard let value, !value.isEmpty, HeaderBytes.isClean(value) else { return nil }
    return value
  }

  private func redirects() throws(DownloadError) -> [Redirect] {
    let followed = collector.header.redirects
    guard !followed.isEmpty else { return [] }
    var address = request.address
    do throws(WebAddress.Problem) {
      return try followed.map { (status, location) throws(WebAddress.Problem) in
        address = try address.resolving(String(decoding: location, as: UTF8.self))
        return Redirect(status: status, target: address)
      }
    } catch {
      throw DownloadError(error)
    }
  }

  /// The error for what libcurl reports, unless it was we who made it stop.
  func error(of code: CURLcode) -> DownloadError {
    if let refusal = collector.refusal { return refusal }
    if code == CURLE_COULDNT_CONNECT, let address = collector.refusedAddress {
      return .refusedAddress(
        blamedProxy(easy.cause(of: code)).map { "the proxy \($0.address) (\(address))" } ?? address)
    }
    let cause = CauseText.printable(easy.cause(of: code), without: request.address.password)
    deadProxy = blamedProxy(cause)?.address
    let limits = request.limits
    switch code {
    case CURLE_OPERATION_TIMEDOUT:
      // Before the head nothing is slow: nothing comes.
      if cause.contains("too slow"), !collector.header.isComplete {
        return .timedOut(seconds: limits.lowSpeedTime / .seconds(1), phase: phase)
      }
      if cause.contains("too slow") {
        return .tooSlow(
          bytesPerSecond: limits.lowSpeedBytesPerSecond, seconds: Int(limits.lowSpeedTime / .seconds(1)))
      }
      return .timedOut(seconds: limits.connectTimeout / .seconds(1), phase: phase)
    case CURLE_FILESIZE_EXCEEDED: return .bodyTooLarge(limit: limits.maxBodyBytes)
    case CURLE_TOO_MANY_REDIRECTS: return .tooManyRedirects(limit: limits.maxRedirects)
    case CURLE_OUT_OF_MEMORY:
      // What libcurl calls lack of memory inside a header is its own bound of 100 KiB on one line.
      return collector.header.isComplete ? .outOfMemory : .headersTooLarge(limit: limits.maxHeaderBytes)
    case CURLE_RECV_ERROR where cause.contains("Too large response headers"):
      return .headersTooLarge(limit: limits.maxHeaderBytes)
    case CURLE_UNSUPPORTED_PROTOCOL:
      // libcurl says this also of HTTP/0.9 and of odd status lines, and its text may be of an earlier attempt.
      guard let location = collector.header.block.redirectLocation else {
        return .protocolViolation(cause: cause)
      }
      let scheme = String(decoding: location.prefix { $0 != UInt8(ascii: ":") }.prefix(20), as: UTF8.self)
      return .invalidAddress(
        .refusedScheme(
          "a redirect leads to the protocol \(printable(scheme)), and only http and https are fetched"))
    default:
      let words = CauseText.words(
        code, saying: cause, systemError: Int32(clamping: easy.number(CURLINFO_OS_ERRNO)),
        host: currentAddress.host ?? "")
      let proxy = blamedProxy(cause).map { "proxy \($0.address): " } ?? ""
      return DownloadError(code: code, saying: cause, cause: proxy + words)
    }
  }

  /// The proxy that is meant by what libcurl says; nil where it means the server.
  private func blamedProxy(_ cause: String) -> Proxy? {
    let origin = currentAddress.origin ?? origin
    let proxy = Proxy.ofEnvironment(scheme: String(origin.prefix { $0 != ":" }))
    return proxy.flatMap { $0.isBlamed(by: cause, origin: origin) ? $0 : nil }
  }

  /// Why a transfer that failed may do better at a second attempt; nil when it may not.
  func retryReason(after code: CURLcode) -> RetryReason? {
    guard retry == nil, collector.refusal == nil else { return nil }
    switch code {
    case CURLE_BAD_CONTENT_ENCODING:
      let isUnknown = easy.cause(of: code).contains("Unrecognized content encoding")
      return isUnknown && collector.bodyByteCount == 0 ? .unknownCoding : nil
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_WEIRD_SERVER_REPLY,
      CURLE_UNSUPPORTED_PROTOCOL, CURLE_HTTP2, CURLE_HTTP2_STREAM:
      let hasNothing = collector.header.block.status == 0 && easy.number(CURLINFO_NUM_CONNECTS) == 0
      return hasNothing ? .usedConnection : nil
    default:
      return nil
    }
  }

  /// How far the transfer has come.
  var phase: TransferPhase {
    if collector.header.isComplete { return .receiving }
    if easy.amount(CURLINFO_PRETRANSFER_TIME_T) > 0 { return .waiting }
    // The time of the connection is only known after the handshake.
    if easy.number(CURLINFO_LOCAL_PORT) > 0 { return .securing }
    return easy.amount(CURLINFO_NAMELOOKUP_TIME_T) > 0 ? .connecting : .resolving
  }
}

extension DownloadError {
  /// The errors whose meaning depends on libcurl's code, and for one of them on what it says.
  ///
  /// - Parameter cause: In our own words (``CauseText``).
  init(code: CURLcode, saying text: String, cause: String) {
    switch code {
    case CURLE_URL_MALFORMAT: self = .invalidAddress(.invalid(cause))
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .couldNotResolve(cause: cause)
    case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED, CURLE_PROXY: self = .couldNotConnect(cause: cause)
    case CURLE_RECV_ERROR where text.contains("chunked-encoding"): self = .protocolViolation(cause: cause)
    case CURLE_PARTIAL_FILE: self = .truncated(cause: cause)
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2_STREAM, CURLE_HTTP2:
      self = .connectionLost(cause: cause)
    // No write of ours fails without a refusal, which leaves libcurl's decoders; its words are of disks.
    case CURLE_WRITE_ERROR: self = .undecodableBody(cause: "it is damaged, or more bytes follow its end")
    case CURLE_BAD_CONTENT_ENCODING: self = .undecodableBody(cause: cause)
    case CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP_RETURNED_ERROR: self = .protocolViolation(cause: cause)
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
      self = .tls(saying: cause)
    default: self = .failed(cause: cause)
    }
  }

  /// The error for these words of a TLS library's, which name no plain HTTP when that is what answers.
  static func tls(saying cause: String) -> DownloadError {
    let plain = ["wrong version number", "packet length too long", "unexpected TLS packet"]
    guard plain.contains(where: { cause.contains($0) }) else { return .tls(cause: cause) }
    return .tls(cause: "the server does not speak TLS at this port; is it http?")
  }
}
