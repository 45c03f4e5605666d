public import Foundation
import HTTPDownload
import NewsModel
import Threading
public import WebAddress

/// Downloads one whole document without a store.
public enum SingleDownload {
  /// A document as its server sent it.
  public struct Document: Sendable, Equatable {
    /// The decoded body.
    public let bytes: [UInt8]
    /// The address that answered, after redirects.
    public let address: WebAddress
    /// The Content-Type field; nil without one.
    public let contentType: String?
    /// The permanent redirects' target; nil without one.
    public let permanentAddress: WebAddress?
    /// The answer's Link field; nil without one.
    var link: String?
    /// The document's validators.
    public let validators: Validators
  }

  /// The signs by which a server recognizes a document that it has sent.
  public struct Validators: Sendable, Equatable {
    /// The ETag, byte for byte; nil without one.
    public let etag: [UInt8]?
    /// The Last-Modified value, byte for byte; nil without one.
    public let lastModified: [UInt8]?
    /// The address that sent them. They are sent to no other.
    public let address: WebAddress

    /// Creates validators.
    public init(etag: [UInt8]?, lastModified: [UInt8]?, address: WebAddress) {
      (self.etag, self.lastModified, self.address) = (etag, lastModified, address)
    }
  }

  /// The reason why there is no document.
  public struct Failure: Error, Sendable, Equatable {
    /// The cause in one line, safe to print.
    public let cause: String
    /// The cause as a value; nil if nothing was requested.
    let reason: PollFailure?
    /// The HTTP status; nil without a complete answer.
    public let status: Int?

    /// The end of a pause that the server requested (Retry-After); nil without a pause.
    public let notBefore: Date?

    /// The address that was not requested because of its server's pause; nil for other causes.
    let pausedAddress: WebAddress?
    /// True if nothing was requested because the address is not public.
    private(set) var isRefused = false
    /// The part that had arrived when the transfer failed or exceeded a limit; nil without any.
    public internal(set) var part: Document?

    init(
      cause: String, _ reason: PollFailure? = nil, status: Int? = nil, notBefore: Date? = nil,
      pausedAddress: WebAddress? = nil
    ) {
      self.cause = cause
      self.reason = reason
      self.status = status
      self.notBefore = notBefore
      self.pausedAddress = pausedAddress
    }

    fileprivate init(_ error: DownloadError) {
      let reason = PollFailure(transfer: error)
      self.init(cause: reason.description, reason)
      if case .refusedAddress = error { isRefused = true }
    }
  }

  /// Downloads a document, with the limits for feeds.
  ///
  /// - Parameters:
  ///   - address: The address; redirects are followed.
  ///   - userAgent: The User-Agent for the request.
  ///   - publicOnly: True to refuse private networks' and this machine's addresses, after name resolution.
  ///   - validators: The validators of an earlier answer. If the document is the same, a failure has status 304.
  ///   - pauses: The pauses that servers have requested.
  /// - Throws: ``Failure`` for any answer without a document.
  public static func document(
    at address: WebAddress, userAgent: String, publicOnly: Bool = false, since validators: Validators? = nil,
    obeying pauses: ServerPauses = ServerPauses()
  ) async throws(Failure) -> Document {
    var configuration = DownloaderConfiguration(userAgent: userAgent)
    configuration.allowsPrivateAddresses = !publicOnly
    let downloader = try downloader(configuration)
    defer { downloader.shutdown() }
    let shared = SharedPauses(pauses)
    do throws(Failure) {
      return try await document(at: address, with: downloader, since: validators, obeying: shared)
    } catch {
      throw error.pausedAddress.flatMap(shared.failure) ?? error
    }
  }

  /// Downloads as ``document(at:userAgent:publicOnly:since:obeying:)``, over a shared downloader's connections.
  static func document(
    at address: WebAddress, with downloader: Downloader,
    adding additions: RequestAdditions = RequestAdditions(), since validators: Validators? = nil,
    obeying pauses: SharedPauses? = nil
  ) async throws(Failure) -> Document {
    var request = DownloadRequest(
      address, etag: validators?.etag, lastModified: validators?.lastModified, headers: additions.fields)
    request.validatorsAddress = validators?.address
    request.userAgent = additions.userAgent
    request.keepsCutBody = true
    let result = await withCheckedContinuation { continuation in
      _ = downloader.start(request, sink: Receiver(address, pauses, continuation))
    }
    return try result.get()
  }

  /// Starts a downloader; its failure is reported as a document's failure.
  static func downloader(_ configuration: DownloaderConfiguration) throws(Failure) -> Downloader {
    do throws(DownloadError) {
      return try Downloader(configuration: configuration)
    } catch {
      throw Failure(error)
    }
  }

  private final class Receiver: DownloadSink {
    private struct Received: Sendable {
      var head: ResponseHead?
      var bytes: [UInt8] = []
    }

    private let address: WebAddress
    private let pauses: SharedPauses?
    private let continuation: CheckedContinuation<Result<Document, Failure>, Never>
    private let received = Locked(Received())

    init(
      _ address: WebAddress, _ pauses: SharedPauses?,
      _ continuation: CheckedContinuation<Result<Document, Failure>, Never>
    ) {
      (self.address, self.pauses, self.continuation) = (address, pauses, continuation)
    }

    func mayStart(_ transfer: TransferID) -> Bool { pauses?.mayRequest(address) ?? true }

    func mayFollow(to address: WebAddress, transfer: TransferID) -> Bool {
      pauses?.mayRequest(address) ?? true
    }

    func didReceive(head: ResponseHead, transfer: TransferID) {
      pauses?.note(head)
      received.withLock { $0.head = head }
    }

    func didReceive(chunk: [UInt8], transfer: TransferID) -> DownloadFlow {
      received.withLock { $0.bytes += chunk }
      return .proceed
    }

    func didFinish(_ result: Result<DownloadSummary, DownloadError>, transfer: TransferID) {
      let received = received.withLock { $0 }
      if case .success(let summary) = result, summary.head.isDocument {
        return continuation.resume(returning: .success(Document(received.bytes, summary.head)))
      }
      var failure = failure(result)
      if let head = received.head, head.isDocument, !received.bytes.isEmpty {
        failure.part = Document(received.bytes, head)
      }
      continuation.resume(returning: .failure(failure))
    }

    private func failure(_ result: Result<DownloadSummary, DownloadError>) -> Failure {
      switch result {
      case .failure(.withheld): return Failure(cause: "not requested", pausedAddress: address)
      case .failure(.redirected(let place, .hostClosed)):
        return Failure(cause: "not requested", pausedAddress: place)
      case .failure(let error): return Failure(error)
      case .success(let summary):
        let now = Date()
        let wait = RetryAfter.seconds(summary.head.retryAfter, at: now).flatMap { $0 > 0 ? $0 : nil }
        let reason = PollFailure(summary.head)
        return Failure(
          cause: reason.description, reason, status: summary.head.status,
          notBefore: wait.map { now.addingTimeInterval($0) })
      }
    }
  }
}

extension SingleDownload.Document {
  fileprivate init(_ bytes: [UInt8], _ head: ResponseHead) {
    self.init(
      bytes: bytes, address: head.address, contentType: head.contentType,
      permanentAddress: head.permanentAddress, link: head.link,
      validators: .init(etag: head.etag, lastModified: head.lastModified, address: head.address))
  }
}
