internal import Inflating
public import WebAddress

/// A reason why a transfer ended without a usable response.
///
/// Causes are texts for people, in most cases libcurl's. Their control characters are escaped and passwords
/// removed, so they can be printed.
public indirect enum DownloadError: Error, Sendable, Hashable {
  /// The address cannot be fetched, or a redirect leads to one that cannot.
  case invalidAddress(WebAddress.Problem)
  /// The address belongs to a private network or this machine, which the configuration forbids.
  case refusedAddress(String)
  /// A header field in the request could inject another line.
  case invalidHeader(name: String)
  /// The host's name could not be resolved.
  case couldNotResolve(cause: String)
  /// The connection failed.
  case couldNotConnect(cause: String)
  /// The proxy refused the connection, or failed. No server was reached. The status is its answer to CONNECT;
  /// 0 without one.
  case proxyFailed(cause: String, status: Int = 0)
  /// The connection could not be secured.
  case tls(cause: String)
  /// The server's certificate could not be verified.
  case untrusted(cause: String)
  /// The trusted certificate file that an environment variable names cannot be used. Nothing was requested.
  case unusableCertificates(cause: String)
  /// A timeout expired.
  case timedOut(seconds: Double, phase: TransferPhase)
  /// The transfer stayed under the low-speed limit.
  case tooSlow(bytesPerSecond: Int, seconds: Int)
  /// The decoded body is larger than the limit, in bytes.
  case bodyTooLarge(limit: Int)
  /// The header lines are larger than the limit, in bytes.
  case headersTooLarge(limit: Int)
  /// The redirects exceed the limit.
  case tooManyRedirects(limit: Int)
  /// The server's answer violates HTTP or does not fit the request.
  case protocolViolation(HTTPViolation)
  /// The body could not be decoded.
  case undecodableBody(cause: String)
  /// The connection ended before the body did.
  case truncated(cause: String)
  /// The connection ended before the answer.
  case connectionLost(cause: String)
  /// The caller or the sink cancelled the transfer.
  case cancelled
  /// The caller or the sink closed the host to which the next request would go. Nothing was requested there.
  case hostClosed
  /// The host left this many consecutive transfers unanswered, possibly because of a proxy. Nothing was
  /// requested.
  case hostSilent(transfers: Int, proxy: String? = nil)
  /// The transfer was not allowed to begin or to continue, or its connection failed after an interruption.
  ///
  /// The sink can forbid the beginning; the caller can forbid the continuation. For an interruption, see
  /// ``DownloadRequest/isRepeated``.
  case withheld
  /// The sink does not follow a redirect now. Used only inside the transfer, which ends as a success.
  case redirectDelayed
  /// No memory was left for a handle.
  case outOfMemory
  /// An error at the target of a redirect.
  case redirected(to: WebAddress, DownloadError)
  /// Any other error that libcurl reports.
  case failed(cause: String)
}

/// A server's HTTP violation.
public enum HTTPViolation: Sendable, Hashable {
  /// The answer has no valid response head.
  case invalidHead
  /// The server switched to another protocol (101).
  case switchedProtocols
  /// The final response has this interim status.
  case interimStatus(Int)
  /// The server sent a 304 to an unconditional request.
  case unrequestedNotModified
  /// The server sent a 226 to a request for a whole document (RFC 3229).
  case unrequestedPart
  /// A 226 response is not marked as a partial feed.
  case unmarkedPart
  /// A redirect with this status has no location.
  case noLocation(Int)
  /// Another violation, in libcurl's words.
  case other(String)
}

/// A phase in a transfer.
public enum TransferPhase: Sendable, Hashable {
  /// The host's name is being resolved.
  case resolving
  /// The connection is being made.
  case connecting
  /// The TLS handshake is in progress.
  case securing
  /// The request was sent, and the response head is not complete.
  case waiting
  /// The body is being received.
  case receiving
}

extension DownloadError {
  init(_ problem: WebAddress.Problem) { self = .invalidAddress(problem) }

  init(_ failure: Inflater.Failure) {
    switch failure {
    case .damaged: self = .undecodableBody(cause: "its compression is damaged")
    case .continued: self = .undecodableBody(cause: "more bytes follow its end")
    case .outOfMemory: self = .outOfMemory
    }
  }
}

extension DownloadError {
  /// A server must not use a transfer coding that the client has not requested, except chunked (RFC 9112,
  /// section 7.4).
  static let unrequestedTransferCoding = DownloadError.undecodableBody(
    cause: "its transfer coding was not requested")

  /// True if no server was reached. The cause may be this machine's own network.
  public var isUnreachable: Bool {
    switch self {
    case .couldNotResolve, .couldNotConnect, .proxyFailed, .hostSilent: true
    case .timedOut(_, let phase): phase == .resolving || phase == .connecting
    default: false
    }
  }

  /// True if the transfer made no request, so its end says nothing about the network.
  public var isUnsent: Bool {
    switch self {
    case .cancelled, .hostClosed, .withheld, .outOfMemory, .invalidAddress, .refusedAddress,
      .invalidHeader, .unusableCertificates:
      true
    default: false
    }
  }

  /// True if the connection itself failed, not the data sent over it.
  var isOfConnection: Bool {
    switch self {
    case .couldNotResolve, .couldNotConnect, .proxyFailed, .tls, .untrusted, .timedOut, .tooSlow, .truncated,
      .connectionLost:
      true
    default: false
    }
  }

  /// True if the error concerns the server at which it occurred, so that its address is reported.
  var isOfServer: Bool {
    switch self {
    case .couldNotResolve, .couldNotConnect, .proxyFailed, .tls, .untrusted, .timedOut, .tooSlow,
      .bodyTooLarge,
      .protocolViolation, .undecodableBody, .truncated, .connectionLost, .failed:
      true
    default: false
    }
  }
}
