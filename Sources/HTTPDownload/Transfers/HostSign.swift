/// What the end of a transfer tells of the host that it began at.
enum HostSign {
  /// It answers, whatever it says.
  case answer
  /// It said nothing at all: refused, not found, or timed out.
  case silence
  /// The end was ours.
  case nothing

  /// - Parameter result: How the transfer ended.
  init(_ result: Result<DownloadSummary, DownloadError>) {
    guard case .failure(let error) = result else {
      self = .answer
      return
    }
    switch error {
    case .couldNotResolve, .couldNotConnect: self = .silence
    case .timedOut(_, let phase): self = phase == .receiving ? .answer : .silence
    case .tls, .tooSlow, .bodyTooLarge, .headersTooLarge, .tooManyRedirects, .protocolViolation,
      .undecodableBody,
      .truncated, .connectionLost, .redirected:
      self = .answer
    case .invalidAddress, .refusedAddress, .invalidHeader, .cancelled, .hostClosed, .hostSilent,
      .withheld, .redirectDelayed, .outOfMemory, .failed:
      self = .nothing
    }
  }
}
