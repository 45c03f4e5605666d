import CCurl
import WebAddress

/// libcurl's options for a transfer.
extension Transfer {
  /// Sets all options for a request to the current address. Another request may have used the handle.
  func prepare(_ configuration: DownloaderConfiguration) throws(DownloadError) {
    try easy.reset(id: id, collector: collector)
    try setRequest(configuration)
    try setLimits()
    try setConnection(configuration)
  }

  private func setRequest(_ configuration: DownloaderConfiguration) throws(DownloadError) {
    // A server that redirects to itself leaves the user out of the target.
    try easy.set(CURLOPT_URL, currentAddress.withUser(of: request.address).asciiText)
    try easy.set(CURLOPT_HTTPGET, true)
    let userAgent = request.userAgent ?? configuration.userAgent
    guard HeaderBytes.isClean(userAgent.utf8) else { throw .invalidHeader(name: "User-Agent") }
    try easy.set(CURLOPT_USERAGENT, userAgent)
    sendsValidators = request.validatorsAddress == currentAddress || validatorsBelong(to: currentAddress)
    try setHeaders()
    collector.onHead = { [unowned self] in noteHead() }
    collector.onRequest = { [unowned self] () throws(DownloadError) in try followRedirect() }
  }

  /// Sets the header fields for the current address.
  private func setHeaders() throws(DownloadError) {
    collector.acceptsPartialFeed = asksForPartialFeed
    var lines = [ContentCoding.requestLine] + conditionLines
    var cookies = self.cookies.value(for: currentAddress)
    for field in isAtFirstOrigin ? request.headers : [] {
      var field = field
      if field.name.lowercased() == "cookie", let others = cookies.take() {
        field.value += "; ".utf8 + others
      }
      guard let line = field.line() else { throw .invalidHeader(name: field.name) }
      lines.append(line)
    }
    if let cookies { lines.append("Cookie: ".utf8 + cookies) }
    try easy.set(headers: lines)
  }

  /// The header lines that make the request conditional.
  private var conditionLines: [[UInt8]] {
    guard sendsValidators else { return [] }
    var lines: [[UInt8]] = []
    if let value = sendableValidator(request.etag) { lines.append(Array("If-None-Match: ".utf8) + value) }
    if let value = sendableValidator(request.lastModified) {
      lines.append(Array("If-Modified-Since: ".utf8) + value)
    }
    if asksForPartialFeed { lines.append(Array("A-IM: feed".utf8)) }
    return lines
  }

  /// Returns whether a request for an address goes to the source of the validators, as far as it is known.
  private func validatorsBelong(to address: WebAddress) -> Bool {
    guard let sender = request.validatorsAddress else { return true }
    return address.problem == nil && sender.target == address.target
  }

  /// Checks again whether a redirect may be followed, just before its request is sent. It may have waited for
  /// a connection, and other answers may have arrived in that time.
  private func followRedirect() throws(DownloadError) {
    guard let address = hop else { return }
    hop = nil
    if !sink.mayFollow(to: address, transfer: id) { throw .redirected(to: address, .hostClosed) }
  }

  /// Lets libcurl close the connection after the response, unless another request will use it.
  ///
  /// When the next process takes its turn, an idle connection would be one too many for the server.
  private func noteHead() {
    noteLocation()
    let current = currentOrigin
    let isUsed =
      location.map { $0.origin == current } ?? false
      || leavesConnection(current, collector.header.block.isMultiplexed)
    // If this fails, the connection stays open until the server closes it.
    try? easy.set(CURLOPT_FORBID_REUSE, !isUsed)
  }

  private func setLimits() throws(DownloadError) {
    let limits = request.limits
    try easy.set(CURLOPT_CONNECTTIMEOUT_MS, limits.connectTimeout.wholeMilliseconds)
    try easy.set(CURLOPT_LOW_SPEED_LIMIT, max(0, limits.lowSpeedBytesPerSecond))
    try easy.set(CURLOPT_LOW_SPEED_TIME, limits.lowSpeedTime.wholeMilliseconds / 1000)
    try easy.set(CURLOPT_MAXFILESIZE_LARGE, bytes: max(1, limits.maxBodyBytes))
    try easy.set(CURLOPT_FOLLOWLOCATION, false)
    try easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
  }

  private func setConnection(_ configuration: DownloaderConfiguration) throws(DownloadError) {
    try easy.set(CURLOPT_NOSIGNAL, true)
    try easy.set(CURLOPT_FRESH_CONNECT, isRetry)
    try easy.set(CURLOPT_MAXAGE_CONN, configuration.idleConnectionAge.wholeMilliseconds / 1000)
    try easy.set(CURLOPT_BUFFERSIZE, 64 << 10)
    try easy.set(CURLOPT_HTTP09_ALLOWED, false)
    try easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    // Plain connections cannot be shared, so waiting for the first answer would only cost time.
    try easy.set(CURLOPT_PIPEWAIT, currentOrigin.hasPrefix("https:"))
    try easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
    try easy.set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    try easy.set(CURLOPT_SSL_VERIFYPEER, true)
    try easy.set(CURLOPT_SSL_VERIFYHOST, 2)
    // When a transfer ends, libcurl walks through all names that it remembers. By default it remembers them
    // for a minute, which means tens of thousands of names in a run with as many hosts.
    try easy.set(CURLOPT_DNS_CACHE_TIMEOUT, 2)
    // Otherwise a transfer's end would wait for a name server that does not answer.
    try easy.set(CURLOPT_QUICK_EXIT, true)
    if !configuration.allowsPrivateAddresses {
      collector.isPublic = configuration.isPublic
      try easy.setChecksAddresses()
    }
    if let problem = configuration.certificateProblem, currentOrigin.hasPrefix("https:") {
      throw .unusableCertificates(cause: problem)
    }
    if let file = configuration.certificateFile ?? CurlLibrary.certificateFile {
      try easy.set(CURLOPT_CAINFO, file)
      // libcurl reuses the certificates it has read for other connections, but not if a folder is set as
      // well.
      try easy.clear(CURLOPT_CAPATH)
    }
  }
}

extension Duration {
  /// The time for libcurl, in milliseconds: at least 1, because 0 means no limit, and at most about 24 days.
  var wholeMilliseconds: Int {
    Int(max(1, min(self / .milliseconds(1), Double(Int32.max))))
  }
}
