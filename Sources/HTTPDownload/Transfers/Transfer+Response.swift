import CCurl
import TextOutput
import WebAddress

/// A transfer's response, or the reason why it failed.
extension Transfer {
  /// True if the final response's head is complete and its body is not needed.
  var hasOnlyStatus: Bool {
    let block = collector.header.block
    return collector.header.isComplete && block.status > 200 && block.redirectLocation == nil
      && !collector.hasWantedBody
  }

  /// Returns the final response's head.
  ///
  /// - Throws: An error for responses that libcurl accepts and this module does not.
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
    // The value is negative if the length is unknown.
    let length = easy.amount(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
    head.contentLength = length >= 0 ? length : nil
    head.retryAfter = block.text(.retryAfter)
    head.limitFields = block.limitFields
    head.cacheControl = block.text(.cacheControl)
    head.expires = block.text(.expires)
    head.date = block.text(.date)
    head.wasConditional = isConditional
    head.interception = interception(block)
    head.link = block[.link].map(WebAddress.text)
    head.isChallenge = isChallenge(block)
    head.redirects = redirects
    return head
  }

  /// Returns whether an answer comes from a wall against programs, which services such as Cloudflare place in
  /// front of servers.
  private func isChallenge(_ block: HeaderBlock) -> Bool {
    // A wall has no stored answer to confirm.
    guard !collector.hasWantedBody, block.status != 304 else { return false }
    return BotWall.refuses(block)
      || [403, 503].contains(block.status) && BotWall.isRefusal(collector.sample)
  }

  /// Returns the sign that the response does not come from the server; nil without one.
  private func interception(_ block: HeaderBlock) -> ResponseHead.Interception? {
    switch block.status {
    // RFC 9110, 15.5.8: only proxies send it.
    case 407: return proxy == nil ? nil : .proxy(isCertain: true)
    // RFC 6585, section 6: origin servers do not send it.
    case 511: return .network
    case 400...:
      guard plainProxy != nil else { return nil }
      let names = block.text(.squidError) != nil || block.text(.proxyStatus)?.contains("error=") ?? false
      return names || [502, 503, 504].contains(block.status) ? .proxy(isCertain: false) : nil
    default: return nil
    }
  }

  private func checkStatus(_ block: HeaderBlock) throws(DownloadError) {
    let status = block.status
    // If only libcurl or only this reader takes a line for a status line, the head would belong to another
    // response.
    guard collector.header.isComplete, status == easy.number(CURLINFO_RESPONSE_CODE) else {
      throw .protocolViolation(.invalidHead)
    }
    if isRedirectDelayed { return }
    switch status {
    case ..<200:
      throw .protocolViolation(.interimStatus(status))
    case 304 where !isConditional:
      throw .protocolViolation(.unrequestedNotModified)
    case 226 where !collector.hasWantedBody:
      throw .protocolViolation(asksForPartialFeed ? .unmarkedPart : .unrequestedPart)
    case 301, 302, 303, 307, 308:
      throw .protocolViolation(.noLocation(status))
    default:
      break
    }
  }

  /// True if the request to the current address is conditional.
  var isConditional: Bool {
    guard sendsValidators else { return false }
    return sendableValidator(request.etag) != nil || sendableValidator(request.lastModified) != nil
  }

  /// True if the request allows the server to leave out articles that the client has.
  var asksForPartialFeed: Bool { request.acceptsPartialFeed && isConditional }

  /// Returns a stored validator in the form to send; nil if it is empty or could inject a line.
  func sendableValidator(_ value: [UInt8]?) -> [UInt8]? {
    guard let value, !value.isEmpty, HeaderBytes.isClean(value) else { return nil }
    return value
  }

  /// Returns the error for libcurl's result, or the reason why the collector ended the transfer.
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
      // Before the head, the transfer is not slow: it receives nothing.
      if cause.contains("too slow"), !collector.header.isComplete {
        return .timedOut(seconds: limits.lowSpeedTime / .seconds(1), phase: phase)
      }
      if cause.contains("too slow") {
        return .tooSlow(
          bytesPerSecond: limits.lowSpeedBytesPerSecond, seconds: Int(limits.lowSpeedTime / .seconds(1)))
      }
      return .timedOut(seconds: limits.connectTimeout / .seconds(1), phase: phase)
    case CURLE_SSL_CACERT_BADFILE:
      return .unusableCertificates(cause: CertificateFile.words("has no certificate that can be read"))
    case CURLE_FILESIZE_EXCEEDED: return .bodyTooLarge(limit: limits.maxBodyBytes)
    case CURLE_OUT_OF_MEMORY:
      // libcurl reports a lack of memory inside a header if one line exceeds its own limit of 100 KiB.
      return collector.header.isComplete ? .outOfMemory : .headersTooLarge(limit: limits.maxHeaderBytes)
    case CURLE_RECV_ERROR where cause.contains("Too large response headers"):
      return .headersTooLarge(limit: limits.maxHeaderBytes)
    case CURLE_UNSUPPORTED_PROTOCOL:
      // libcurl reports this for HTTP/0.9 and invalid status lines.
      return .protocolViolation(.other(cause))
    default:
      // Over HTTP/2, libcurl reports a missing answer as a cut body.
      let code = code == CURLE_PARTIAL_FILE && !collector.header.isComplete ? CURLE_GOT_NOTHING : code
      let systemError = Int32(clamping: easy.number(CURLINFO_OS_ERRNO))
      // A proxy that closes a plain connection has not passed on the request.
      let closing = code == CURLE_GOT_NOTHING ? plainProxy : nil
      if let proxy = blamedProxy(cause) ?? closing ?? (code == CURLE_PROXY ? proxy : nil) {
        deadProxy = proxy.address
        let status = easy.number(CURLINFO_HTTP_CONNECTCODE)
        let words = CauseText.proxy(
          code, cause, systemError: systemError, status: status, reply: easy.number(CURLINFO_PROXY_ERROR))
        return .proxyFailed(cause: "proxy \(proxy.address): \(words)", status: status)
      }
      return DownloadError(code, message: cause, systemError: systemError, host: currentAddress.host ?? "")
    }
  }

  /// The proxy for the current address, if the environment names one; libcurl may bypass it because of
  /// `no_proxy`.
  private var proxy: Proxy? { Proxy.ofEnvironment(scheme: String(currentOrigin.prefix { $0 != ":" })) }

  /// The proxy that carried the request to an address without encryption; nil without one.
  private var plainProxy: Proxy? {
    guard currentOrigin.hasPrefix("http:"), let proxy,
      proxy.port == "\(easy.number(CURLINFO_PRIMARY_PORT))", !currentOrigin.hasSuffix(":\(proxy.port)")
    else { return nil }
    return proxy
  }

  /// Returns the proxy that libcurl's message concerns; nil if the message concerns the server.
  private func blamedProxy(_ cause: String) -> Proxy? {
    proxy.flatMap { $0.isBlamed(by: cause, origin: currentOrigin) ? $0 : nil }
  }

  /// Returns whether a failed request is sent again.
  ///
  /// No answer may have begun. Either the server did not process the request, or a reused connection brought
  /// only an error, such as excess data from its previous response.
  func deservesRetry(after code: CURLcode) -> Bool {
    guard !isRetry, collector.refusal == nil, collector.header.block.status == 0 else { return false }
    switch code {
    // Over HTTP/2, the first request on a connection is often not the only one. The connection may close
    // while it serves the others, or the server has sent GOAWAY (RFC 9113, sections 6.8 and 8.7). HTTP/1.1
    // has other codes for that.
    case CURLE_HTTP2, CURLE_PARTIAL_FILE, CURLE_SEND_ERROR:
      return true
    case CURLE_HTTP2_STREAM where easy.cause(of: code).contains("REFUSED_STREAM"):
      return true
    case CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL,
      CURLE_HTTP2_STREAM:
      return easy.number(CURLINFO_NUM_CONNECTS) == 0
    default:
      return false
    }
  }

  var phase: TransferPhase {
    if awaitsRedirect { return .waiting }
    if collector.header.isComplete { return .receiving }
    if easy.amount(CURLINFO_PRETRANSFER_TIME_T) > 0 { return .waiting }
    // libcurl reports the connection time only after the handshake.
    if easy.number(CURLINFO_LOCAL_PORT) > 0 { return .securing }
    return easy.amount(CURLINFO_NAMELOOKUP_TIME_T) > 0 ? .connecting : .resolving
  }
}
