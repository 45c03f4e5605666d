public import FeedParsing
public import HTTPDownload
public import NewsModel
import TextOutput
import WebAddress

extension PollFailure {
  /// Describes an answer with a status that brings no articles.
  init(status: Int) {
    // Any other redirect is followed, or has no valid address.
    self.init(Verdict.isDelayedRedirect(status) ? .delayedRedirect : .httpStatus, number: status)
  }

  /// Describes an answer without articles.
  init(_ head: ResponseHead) {
    self.init(status: head.status)
    if head.isChallenge { code = .challenge }
  }

  /// Describes a failed transfer.
  public init(transfer error: DownloadError) {
    switch error {
    case .invalidAddress(let problem): self.init(.invalidAddress, detail: "\(problem)")
    case .refusedAddress(let address): self.init(.privateAddress, detail: address)
    case .invalidHeader(let name): self.init(.invalidHeader, detail: printable(name))
    case .couldNotResolve(let cause): self.init(.unknownHost, detail: cause)
    case .couldNotConnect(let cause), .proxyFailed(let cause, _): self.init(.noConnection, detail: cause)
    case .tls(let cause), .untrusted(let cause), .unusableCertificates(let cause):
      self.init(.tls, detail: cause)
    case .timedOut(let seconds, let phase):
      self.init(Self.timeout(phase), number: Int((max(0, min(seconds, 1e9)) * 1000).rounded()))
    case .tooSlow(let bytes, let seconds): self.init(.tooSlow, number: bytes, detail: "\(seconds)")
    case .bodyTooLarge(let limit): self.init(.bodyTooLarge, number: limit)
    case .headersTooLarge(let limit): self.init(.headerTooLarge, number: limit)
    case .tooManyRedirects(let limit): self.init(.tooManyRedirects, number: limit)
    case .protocolViolation(let violation): self.init(violation: violation)
    case .undecodableBody(let cause): self.init(.undecodableBody, detail: cause)
    case .truncated(let cause): self.init(.truncatedBody, detail: cause)
    case .connectionLost(let cause): self.init(.connectionLost, detail: cause)
    case .cancelled: self.init(.cancelled)
    case .hostClosed: self.init(.pausedHost)
    case .hostSilent(let count, nil): self.init(.silentHost, number: count)
    case .hostSilent(let count, let proxy?): self.init(.silentProxy, number: count, detail: proxy)
    case .withheld, .redirectDelayed: self.init(.notRequested)
    case .outOfMemory: self.init(.outOfMemory)
    case .redirected(let address, let error):
      self.init(transfer: error)
      self.address = address.removingPassword
    case .failed(let cause): self.init(.transfer, detail: cause)
    }
  }

  /// Advice for a feed whose server refuses this program; nil for other failures.
  package var refusalAdvice: String? {
    switch (code, number) {
    case (.challenge, _):
      "look for another address of the feed, or ask the publisher to let feed readers through (contact in the "
        + "configuration names you)"
    case (.httpStatus, 401?), (.httpStatus, 403?):
      "if it requires a user or a token, set auth for it in the configuration"
    default: nil
    }
  }

  /// Describes a document that cannot be read as a feed.
  public init(document error: FeedError) {
    switch error {
    case .notAFeed(let looksLike):
      self.init(.notAFeed, detail: printable(String(looksLike.unicodeScalars.prefix(300))))
    case .limit(let name, let value): self.init(.parserLimit, number: value, detail: name)
    case .truncated: self.init(.noItem)
    case .outOfMemory: self.init(.outOfMemory)
    }
  }

  private init(violation: HTTPViolation) {
    switch violation {
    case .invalidHead: self.init(.invalidHead)
    case .switchedProtocols: self.init(.switchedProtocols)
    case .interimStatus(let status): self.init(.interimStatus, number: status)
    case .unrequestedNotModified: self.init(.unrequestedNotModified)
    case .unrequestedPart: self.init(.unrequestedPart)
    case .unmarkedPart: self.init(.unmarkedPart)
    case .noLocation(let status): self.init(.noLocation, number: status)
    case .other(let cause): self.init(.protocolViolation, detail: cause)
    }
  }

  private static func timeout(_ phase: TransferPhase) -> Code {
    switch phase {
    case .resolving: .timeoutResolving
    case .connecting: .timeoutConnecting
    case .securing: .timeoutSecuring
    case .waiting: .timeoutWaiting
    case .receiving: .timeoutReceiving
    }
  }
}
