public import WebAddress

/// Receives one transfer's events, on the downloader's thread.
///
/// Every method must return quickly and must not block, because all transfers wait for it. It may call the
/// downloader.
public protocol DownloadSink: AnyObject, Sendable {
  /// Returns whether the transfer may begin when its turn comes. If not, it ends with
  /// ``DownloadError/withheld``.
  ///
  /// True by default.
  func mayStart(_ transfer: TransferID) -> Bool

  /// Returns whether a redirect to an address must wait, because it is not known yet whether it may be
  /// followed.
  ///
  /// If so, the transfer waits until ``Downloader/resume(_:)``, which asks again. Its timeout continues.
  /// Called before ``mayFollow(to:transfer:)``. False by default.
  func mustWait(toFollow address: WebAddress, transfer: TransferID) -> Bool

  /// Returns whether a redirect to an address may be followed. If not, nothing is requested there, and the
  /// transfer ends with ``DownloadError/hostClosed`` inside ``DownloadError/redirected(to:_:)``.
  ///
  /// Called during the transfer, and again before a request that had to wait is sent. It must have no side
  /// effects. True by default.
  func mayFollow(to address: WebAddress, transfer: TransferID) -> Bool

  /// Returns whether a redirect with a Retry-After field must not be followed now (RFC 9110, 10.2.3). The
  /// transfer then ends with the redirect's head.
  ///
  /// Called like ``mayFollow(to:transfer:)``. False by default.
  func mustWait(beforeRedirect retryAfter: String, transfer: TransferID) -> Bool

  /// Receives the final response's head. Called at most once, before the first chunk.
  func didReceive(head: ResponseHead, transfer: TransferID)

  /// Receives decoded body bytes from a response with status 200 or 203 (or 226, if requested), in order,
  /// never empty.
  ///
  /// - Returns: ``DownloadFlow/pause`` pauses the transfer until ``Downloader/resume(_:)``; the chunk counts
  ///   as received. A complete transfer ends anyway, but keeps its slot until then.
  func didReceive(chunk: [UInt8], transfer: TransferID) -> DownloadFlow

  /// Receives the transfer's end, exactly once, as its last event.
  ///
  /// A response with any status is a success, and its head was received before. A success follows all chunks.
  /// A failure is reported at once, even while the transfer is paused.
  func didFinish(_ result: Result<DownloadSummary, DownloadError>, transfer: TransferID)
}

extension DownloadSink {
  /// True.
  public func mayStart(_ transfer: TransferID) -> Bool { true }

  /// False.
  public func mustWait(toFollow address: WebAddress, transfer: TransferID) -> Bool { false }

  /// True.
  public func mayFollow(to address: WebAddress, transfer: TransferID) -> Bool { true }

  /// False.
  public func mustWait(beforeRedirect retryAfter: String, transfer: TransferID) -> Bool { false }
}

/// A sink's answer to a chunk.
public enum DownloadFlow: Sendable, Hashable {
  /// Continues with the next chunk.
  case proceed
  /// Pauses until ``Downloader/resume(_:)``.
  case pause
  /// Ends the transfer with ``DownloadError/cancelled``.
  case cancel
}
