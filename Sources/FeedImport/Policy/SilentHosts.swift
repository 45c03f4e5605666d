import HTTPDownload

/// Which hosts have not answered several feeds of one run, so that their other feeds need not wait for the same in vain.
///
/// A host is taken for silent when requests of so many feeds in a row ended without any answer of it: refused, not
/// found, or timed out. One answer proves the contrary, of whatever status.
struct SilentHosts {
  /// So many requests without an answer are enough.
  static let enough = 4

  /// The requests that got no answer since the last answer, by origin.
  private var unanswered: [String: Set<TransferID>] = [:]

  /// Whether nothing has to be noted of an answer.
  var isEmpty: Bool { unanswered.isEmpty }

  /// Whether the feeds of an origin that wait for their turn are not asked in this run.
  func isSilent(_ origin: String) -> Bool { unanswered[origin, default: []].count >= Self.enough }

  /// Notes how a request of an origin ended; that of several feeds counts once.
  ///
  /// - Returns: Whether the origin is taken for silent from now on.
  mutating func note(_ error: DownloadError?, of id: TransferID, at origin: String) -> Bool {
    // What has been put off stays so, and once is enough.
    if isSilent(origin) { return false }
    switch error?.tells ?? .answer {
    case .answer: unanswered[origin] = nil
    case .silence: unanswered[origin, default: []].insert(id)
    case .nothing: break
    }
    return isSilent(origin)
  }
}

extension DownloadError {
  /// What an end tells of a host.
  fileprivate enum Sign {
    case silence, answer, nothing
  }

  fileprivate var tells: Sign {
    switch self {
    case .couldNotResolve, .couldNotConnect: .silence
    case .timedOut(_, let phase): phase == .receiving ? .answer : .silence
    case .tls, .tooSlow, .bodyTooLarge, .headersTooLarge, .tooManyRedirects, .protocolViolation,
      .undecodableBody,
      .truncated, .connectionLost, .redirected:
      .answer
    // The end was ours.
    case .invalidURL, .refusedScheme, .refusedAddress, .invalidHeader, .cancelled, .hostClosed, .withheld,
      .outOfMemory, .failed:
      .nothing
    }
  }
}
