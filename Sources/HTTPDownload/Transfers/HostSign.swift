/// The information that a transfer's end gives about its host.
enum HostSign: Equatable {
  /// The host answered, with any status; the time that the transfer took, in seconds. It is infinite for a
  /// transfer that ended too early to tell.
  case answer(seconds: Double)
  /// The host answered that it allows no request now (429, 503).
  case refusal
  /// The host sent nothing: the connection was refused, the name was not found, or a timeout expired.
  case silence
  /// This process ended the transfer, so nothing is known about the host.
  case nothing

  /// - Parameter result: The transfer's result.
  init(_ result: Result<DownloadSummary, DownloadError>) {
    let error: DownloadError
    switch result {
    case .success(let summary):
      self = [429, 503].contains(summary.head.status) ? .refusal : .answer(seconds: summary.totalSeconds)
      return
    case .failure(let failure): error = failure
    }
    switch error {
    case .couldNotResolve, .couldNotConnect, .proxyFailed: self = .silence
    case .timedOut(_, let phase): self = phase == .receiving ? .answer(seconds: .infinity) : .silence
    case .tls, .untrusted, .tooSlow, .bodyTooLarge, .headersTooLarge, .tooManyRedirects, .protocolViolation,
      .undecodableBody,
      .truncated, .connectionLost, .redirected:
      self = .answer(seconds: .infinity)
    case .invalidAddress, .refusedAddress, .invalidHeader, .cancelled, .hostClosed, .hostSilent,
      .withheld, .redirectDelayed, .outOfMemory, .unusableCertificates, .failed:
      self = .nothing
    }
  }
}
