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
    let bytes = Locked<[UInt8]>([])
    let begun = Locked<ResponseHead?>(nil)
    var request = DownloadRequest(
      address, etag: validators?.etag, lastModified: validators?.lastModified, headers: additions.fields)
    request.validatorsAddress = validators?.address
    request.userAgent = additions.userAgent
    request.keepsCutBody = true
    func document(_ head: ResponseHead) -> Document {
      Document(
        bytes: bytes.withLock { $0 }, address: head.address, contentType: head.contentType,
        permanentAddress: head.permanentAddress, link: head.link,
        validators: Validators(etag: head.etag, lastModified: head.lastModified, address: head.address))
    }
    do throws(Failure) {
      return document(
        try await stream(request, with: downloader, obeying: pauses) { chunk in
          bytes.withLock { $0 += chunk }
        } begin: { head in
          begun.withLock { $0 = head }
        })
    } catch {
      var failure = error
      if let head = begun.withLock({ $0 }), head.isDocument, bytes.withLock({ !$0.isEmpty }) {
        failure.part = document(head)
      }
      throw failure
    }
  }

  /// Starts a downloader; its failure is reported as a document's failure.
  static func downloader(_ configuration: DownloaderConfiguration) throws(Failure) -> Downloader {
    do throws(DownloadError) {
      return try Downloader(configuration: configuration)
    } catch {
      throw Failure(error)
    }
  }

  private static func stream(
    _ request: DownloadRequest, with downloader: Downloader, obeying pauses: SharedPauses?,
    _ receive: @escaping Receiver.Receive, begin: @escaping @Sendable (ResponseHead) -> Void
  ) async throws(Failure) -> ResponseHead {
    let result = await withCheckedContinuation { continuation in
      _ = downloader.start(request, sink: Receiver(request.address, receive, begin, pauses, continuation))
    }
    return try result.get()
  }

  private final class Receiver: DownloadSink {
    typealias Outcome = Result<ResponseHead, Failure>
    typealias Receive = @Sendable ([UInt8]) -> Void

    private let address: WebAddress
    private let receive: Receive
    private let begin: @Sendable (ResponseHead) -> Void
    private let pauses: SharedPauses?
    private let continuation: CheckedContinuation<Outcome, Never>

    init(
      _ address: WebAddress, _ receive: @escaping Receive,
      _ begin: @escaping @Sendable (ResponseHead) -> Void,
      _ pauses: SharedPauses?,
      _ continuation: CheckedContinuation<Outcome, Never>
    ) {
      self.address = address
      self.pauses = pauses
      self.receive = receive
      self.begin = begin
      self.continuation = continuation
    }

    func mayStart(_ transfer: TransferID) -> Bool { pauses?.mayRequest(address) ?? true }

    func mayFollow(to address: WebAddress, transfer: TransferID) -> Bool {
      pauses?.mayRequest(address) ?? true
    }

    func didReceive(head: ResponseHead, transfer: TransferID) {
      pauses?.note(head)
      begin(head)
    }

    func didReceive(chunk: [UInt8], transfer: TransferID) -> DownloadFlow {
      receive(chunk)
      return .proceed
    }

    func didFinish(_ result: Result<DownloadSummary, DownloadError>, transfer: TransferID) {
      switch result {
      case .failure(.withheld):
        continuation.resume(returning: .failure(Failure(cause: "not requested", pausedAddress: address)))
      case .failure(.redirected(let place, .hostClosed)):
        continuation.resume(returning: .failure(Failure(cause: "not requested", pausedAddress: place)))
      case .failure(let error): continuation.resume(returning: .failure(Failure(error)))
      case .success(let summary) where !summary.head.isDocument:
        let status = summary.head.status
        let now = Date()
        let wait = RetryAfter.seconds(summary.head.retryAfter, at: now).flatMap { $0 > 0 ? $0 : nil }
        let reason = PollFailure(summary.head)
        let failure = Failure(
          cause: reason.description, reason, status: status,
          notBefore: wait.map { now.addingTimeInterval($0) })
        continuation.resume(returning: .failure(failure))
      case .success(let summary): continuation.resume(returning: .success(summary.head))
      }
    }
  }
}
