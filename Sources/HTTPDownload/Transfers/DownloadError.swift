import TextOutput
public import WebAddress

/// Why a transfer ended without a usable response.
///
/// The causes are libcurl's words where those say more than the case; control characters in them are
/// escaped and passwords cut out, so a description can be printed as it is.
public indirect enum DownloadError: Error, Sendable, Hashable {
  /// The address cannot be fetched, or a redirect leads to one that cannot.
  case invalidAddress(WebAddress.Problem)
  /// The address is of a private network or this machine, which the configuration forbids.
  case refusedAddress(String)
  /// A header field of the request could smuggle in a line of its own.
  case invalidHeader(name: String)
  /// The host's name has no address.
  case couldNotResolve(cause: String)
  /// Nobody answers at the address.
  case couldNotConnect(cause: String)
  /// The connection can't be made safe, such as by a certificate that isn't valid.
  case tls(cause: String)
  /// A timeout passed.
  case timedOut(seconds: Double, phase: TransferPhase)
  /// The transfer stayed under the low-speed limit.
  case tooSlow(bytesPerSecond: Int, seconds: Int)
  /// The decoded body is larger than the limit, in bytes.
  case bodyTooLarge(limit: Int)
  /// The header lines are larger than the limit, in bytes.
  case headersTooLarge(limit: Int)
  /// More redirects than the limit.
  case tooManyRedirects(limit: Int)
  /// The server's answer isn't what HTTP says or what was asked for.
  case protocolViolation(cause: String)
  /// The body can't be decoded.
  case undecodableBody(cause: String)
  /// The connection ended before the body did.
  case truncated(cause: String)
  /// The connection ended before an answer came.
  case connectionLost(cause: String)
  /// The caller or the sink ended the transfer.
  case cancelled
  /// The caller or the sink wants nothing more from the host that is next; nothing was asked there.
  case hostClosed
  /// The host has answered none of so many transfers in a row; nothing was asked. The proxy that was to blame for it, where
  /// one was.
  case hostSilent(transfers: Int, proxy: String? = nil)
  /// The sink did not let the transfer begin; nothing was asked.
  case withheld
  /// The sink does not follow a redirect now; only inside the transfer, which is a success.
  case redirectDelayed
  /// No memory for a handle.
  case outOfMemory
  /// What happened where a redirect had led.
  case redirected(to: WebAddress, DownloadError)
  /// Anything else that libcurl reports.
  case failed(cause: String)
}

/// How far a transfer had come.
public enum TransferPhase: String, Sendable, Hashable {
  /// Looking up the host's name.
  case resolving = "resolving the name"
  /// Waiting for the connection.
  case connecting = "connecting"
  /// Waiting for the TLS handshake.
  case securing = "the TLS handshake"
  /// The request was sent, the response head isn't complete.
  case waiting = "waiting for the answer"
  /// The body comes.
  case receiving = "receiving the body"
}

extension DownloadError {
  init(_ problem: WebAddress.Problem) { self = .invalidAddress(problem) }
}

extension DownloadError: CustomStringConvertible {
  /// The cause in words, one line, safe to print.
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
    case .hostClosed: "not asked: its host is left alone"
    case .hostSilent(let count, let proxy):
      "not asked: \(proxy.map { "the proxy \($0)" } ?? "its host") did not answer \(count) others"
    case .redirectDelayed: "the redirect is to be followed later"
    case .withheld: "not asked"
    case .outOfMemory: "out of memory"
    case .redirected(let address, let error): "\(error), at \(address)"
    }
  }

  /// Whether no server was reached: the cause may be this machine's own network.
  public var isUnreachable: Bool {
    switch self {
    case .couldNotResolve, .couldNotConnect, .hostSilent: true
    case .timedOut(_, let phase): phase == .resolving || phase == .connecting
    default: false
    }
  }

  /// Whether the transfer never got as far as asking anybody: its end says nothing of the network.
  public var isUnasked: Bool {
    switch self {
    case .cancelled, .hostClosed, .withheld, .outOfMemory, .invalidAddress, .refusedAddress,
      .invalidHeader:
      true
    default: false
    }
  }

  /// Whether the error is of the server at which it happened, whose address is worth telling.
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
