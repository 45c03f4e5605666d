public import WebAddress

/// Receives one transfer's events, all on the downloader's own thread.
///
/// Every method must return quickly and never block: all transfers wait meanwhile. It may call the downloader.
public protocol DownloadSink: AnyObject, Sendable {
  /// Whether the transfer may begin, now that it is its turn; one that may not ends as ``DownloadError/withheld``.
  ///
  /// True by default.
  func mayStart(_ transfer: TransferID) -> Bool

  /// Whether a redirect may be followed to an address, told before anything is asked there; a transfer that may not ends
  /// as ``DownloadError/hostClosed``, inside ``DownloadError/redirected(to:_:)``.
  ///
  /// Called in the midst of the transfer, and again when a request that had to wait is sent: nothing but an answer may come
  /// of it. True by default.
  func mayFollow(to address: WebAddress, transfer: TransferID) -> Bool

  /// Whether a redirect with a Retry-After field is not to be followed now (RFC 9110, 10.2.3); the transfer ends with its
  /// head then, as if it had led nowhere.
  ///
  /// Called as ``mayFollow(to:transfer:)``. False by default.
  func mustWait(beforeRedirect retryAfter: String, transfer: TransferID) -> Bool

  /// The head of the final response; called at most once, before the first chunk.
  func didReceive(head: ResponseHead, transfer: TransferID)

  /// Decoded body bytes of a response with status 200 (or 226, where asked for), in order, never empty.
  ///
  /// - Returns: ``DownloadFlow/pause`` holds the transfer until ``Downloader/resume(_:)``; the chunk has been taken. One
  ///   that is complete ends, and its place is left to no other until then.
  func didReceive(chunk: [UInt8], transfer: TransferID) -> DownloadFlow

  /// The last event of a transfer, exactly one.
  ///
  /// A response with any status is a success here, and its head was received before. A success comes after all
  /// chunks; a failure comes at once, also while the transfer is paused.
  func didFinish(_ result: Result<DownloadSummary, DownloadError>, transfer: TransferID)
}

extension DownloadSink {
  /// True.
  public func mayStart(_ transfer: TransferID) -> Bool { true }

  /// True.
  public func mayFollow(to address: WebAddress, transfer: TransferID) -> Bool { true }

  /// False.
  public func mustWait(beforeRedirect retryAfter: String, transfer: TransferID) -> Bool { false }
}

/// What a sink wants next.
public enum DownloadFlow: Sendable, Hashable {
  /// The next chunk as soon as there is one.
  case proceed
  /// No chunk until ``Downloader/resume(_:)``.
  case pause
  /// No more at all; the transfer ends as ``DownloadError/cancelled``.
  case cancel
}
