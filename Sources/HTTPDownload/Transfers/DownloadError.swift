import TextOutput
public import WebAddress

/// A reason for which a transfer ended without a usable response.
///
/// Causes are libcurl's text if that says more than the case. Control characters are escaped and passwords removed, so a
/// description can be printed as it is.
public indirect enum DownloadError: Error, Sendable, Hashable {
  /// The address cannot be fetched, or a redirect leads to one that cannot.
  case invalidAddress(WebAddress.Problem)
  /// The address is of a private network or this machine, which the configuration forbids.
  case refusedAddress(String)
  /// A header field of the request could inject another line.
  case invalidHeader(name: String)
  /// The host's name could not be resolved.
  case couldNotResolve(cause: String)
  /// The connection failed.
  case couldNotConnect(cause: String)
  /// The connection could not be secured, for example because of an invalid certificate.
  case tls(cause: String)
  /// A timeout expired.
  case timedOut(seconds: Double, phase: TransferPhase)
  /// The transfer stayed under the low-speed limit.
  case tooSlow(bytesPerSecond: Int, seconds: Int)
  /// The decoded body is larger than the limit, in bytes.
  case bodyTooLarge(limit: Int)
  /// The header lines are larger than the limit, in bytes.
  case headersTooLarge(limit: Int)
  /// More redirects than the limit.
  case tooManyRedirects(limit: Int)
  /// The server's answer violates HTTP or does not fit the request.
  case protocolViolation(cause: String)
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
  /// The host has not answered this many consecutive transfers, possibly because of a proxy. Nothing was requested.
  case hostSilent(transfers: Int, proxy: String? = nil)
  /// The sink did not allow the transfer to begin. Nothing was requested.
  case withheld
  /// The sink does not follow a redirect now. Used only inside the transfer, which ends as a success.
  case redirectDelayed
  /// There was no memory for a handle.
  case outOfMemory
  /// An error at the target of a redirect.
  case redirected(to: WebAddress, DownloadError)
  /// Any other error that libcurl reports.
  case failed(cause: String)
}

/// A phase of a transfer.
public enum TransferPhase: String, Sendable, Hashable {
  /// The host's name is being resolved.
  case resolving = "resolving the name"
  /// The connection is being made.
  case connecting = "connecting"
  /// The TLS handshake is in progress.
  case securing = "the TLS handshake"
  /// The request was sent, and the head of the response is not complete.
  case waiting = "waiting for the answer"
  /// The body is being received.
  case receiving = "receiving the body"
}

extension DownloadError {
  init(_ problem: WebAddress.Problem) { self = .invalidAddress(problem) }
}

extension DownloadError: CustomStringConvertible {
  /// The cause in one line, safe to print.
  public var description: String {
    switch self {
    case .invalidAddress(let problem): "\(problem)"
    case .refusedAddress(let address): "address refused: \(address) is not public"
    case .invalidHeader(let name): "the header field \(printable(name)) can't be sent"
    case .couldNotResolve(let cause), .couldNotConnect(let cause), .failed(let cause): cause
    case .tls(let cause): "TLS: \(cause)"
    case .timedOut(let seconds, let phase): "timed out after \(Self.number(seconds)) s (\(phase.rawValue))"
    case .tooSlow(let bytes, let seconds): "too slow: under \(bytes) bytes a second for \(seconds) s"
    case .bodyTooLarge(let limit): "body too large: over the limit of \(Self.size(limit))"
    case .headersTooLarge(let limit): "header too large: over the limit of \(Self.size(limit))"
    case .tooManyRedirects(let limit): "too many redirects: over the limit of \(limit)"
    case .protocolViolation(let cause): cause
    case .undecodableBody(let cause): "the body can't be decoded: \(cause)"
    case .truncated(let cause): "truncated: \(cause)"
    case .connectionLost(let cause): "connection lost: \(cause)"
    case .cancelled: "cancelled"
    case .hostClosed: "not requested: its host requested a pause"
    case .hostSilent(let count, let proxy):
      "not requested: \(proxy.map { "the proxy \($0)" } ?? "its host") did not answer \(count) others"
    case .redirectDelayed: "the redirect is to be followed later"
    case .withheld: "not requested"
    case .outOfMemory: "out of memory"
    case .redirected(let address, let error): "\(error), at \(address)"
    }
  }

  /// True if no server was reached. The cause may be this machine's own network.
  public var isUnreachable: Bool {
    switch self {
    case .couldNotResolve, .couldNotConnect, .hostSilent: true
    case .timedOut(_, let phase): phase == .resolving || phase == .connecting
    default: false
    }
  }

  /// True if the transfer made no request, so its end contains no information about the network.
  public var isUnsent: Bool {
    switch self {
    case .cancelled, .hostClosed, .withheld, .outOfMemory, .invalidAddress, .refusedAddress,
      .invalidHeader:
      true
    default: false
    }
  }

  /// True if the error concerns the server at which it occurred, so that its address is reported.
  var isOfServer: Bool {
    switch self {
    case .couldNotResolve, .couldNotConnect, .tls, .timedOut, .tooSlow, .bodyTooLarge, .protocolViolation,
      .undecodableBody, .truncated, .connectionLost, .failed:
      true
    default: false
    }
  }

  private static func number(_ seconds: Double) -> String {
    seconds == seconds.rounded() && seconds < 1e9 ? "\(Int(seconds))" : "\(seconds)"
  }

  private static func size(_ bytes: Int) -> String {
    if bytes >= 1 << 20, bytes % (1 << 20) == 0 { return "\(bytes >> 20) MiB" }
    if bytes >= 1 << 10, bytes % (1 << 10) == 0 { return "\(bytes >> 10) KiB" }
    return "\(bytes) bytes"
  }
}
