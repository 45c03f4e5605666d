public import Foundation
import HTTPDownload
import Threading
public import WebAddress

/// Downloads one document whole, for those who want to look at it without a store.
public enum SingleDownload {
  /// A document as its server sent it.
  public struct Document: Sendable, Equatable {
    /// The decoded body.
    public let bytes: [UInt8]
    /// The address that answered, after redirects.
    public let address: WebAddress
    /// The Content-Type field; nil without one.
    public let contentType: String?
    /// The target of permanent redirects; nil without.
    public let permanentAddress: WebAddress?
  }

  /// Why there is no document; the cause in words.
  public struct Failure: Error, Sendable, Equatable {
    /// One line, safe to print.
    public let cause: String
    /// What the server answered; nil without a whole answer.
    public let status: Int?

    /// Until when its server wants to be left alone (Retry-After); nil when it does not say.
    public let notBefore: Date?

    /// The address that was not asked because of what its server has asked for; nil where that is not the cause.
    let leftAlone: WebAddress?
    /// Nothing was asked since the address is not public.
    private(set) var isRefused = false
    /// What had come of the document before its transfer broke off or went over a limit; nil where that is nothing.
    public internal(set) var part: Document?

    init(cause: String, status: Int? = nil, notBefore: Date? = nil, leftAlone: WebAddress? = nil) {
      self.cause = cause
      self.status = status
      self.notBefore = notBefore
      self.leftAlone = leftAlone
    }

    fileprivate init(_ error: DownloadError) {
      self.init(cause: error.description)
      if case .refusedAddress = error { isRefused = true }
    }
  }

  /// Heeds what servers ask for, for several downloads together.
  protocol Heed: Sendable {
    /// Whether an address may be asked.
    func mayAsk(_ address: WebAddress) -> Bool
    /// Takes note of what an answer asks for.
    func note(_ head: ResponseHead)
  }

  /// Asks for a document, with the limits of a feed.
  ///
  /// - Throws: ``Failure`` for any answer but 200.
  public static func document(at address: WebAddress, userAgent: String) async throws(Failure) -> Document {
    let downloader = try downloader(DownloaderConfiguration(userAgent: userAgent))
    defer { downloader.shutdown() }
    return try await document(at: address, with: downloader)
  }

  /// As ``document(at:userAgent:)``, over the connections of a downloader that others use, too.
  static func document(
    at address: WebAddress, with downloader: Downloader,
    adding additions: RequestAdditions = RequestAdditions(),
    heeding heed: (any Heed)? = nil
  ) async throws(Failure) -> Document {
    let bytes = Locked<[UInt8]>([])
    let begun = Locked<ResponseHead?>(nil)
    var request = DownloadRequest(address, headers: additions.fields)
    request.userAgent = additions.userAgent
    request.keepsCutBody = true
    func document(_ head: ResponseHead) -> Document {
      Document(
        bytes: bytes.withLock { $0 }, address: head.address, contentType: head.contentType,
        permanentAddress: head.permanentAddress)
    }
    do throws(Failure) {
      let receiver: Receiver.Receive = { chunk in
        bytes.withLock { $0 += chunk }
        return true
      }
      return document(
        try await stream(request, with: downloader, heeding: heed, receiver) { head in
          begun.withLock { $0 = head }
        })
    } catch {
      var failure = error
      if let head = begun.withLock({ $0 }), head.status == 200, bytes.withLock({ !$0.isEmpty }) {
        failure.part = document(head)
      }
      throw failure
    }
  }

  /// Asks for a file, however long it takes, and hands it over piece by piece.
  ///
  /// - Parameters:
  ///   - address: Its address; redirects are followed.
  ///   - userAgent: What the server is told of us.
  ///   - maxBytes: A larger one is refused.
  ///   - receive: Called on a thread of the downloader's; says whether it wants more.
  /// - Throws: ``Failure`` for any answer but 200, and when `receive` wanted no more.
  public static func file(
    at address: WebAddress, userAgent: String, maxBytes: Int, receive: @escaping @Sendable ([UInt8]) -> Bool
  ) async throws(Failure) {
    var limits = DownloadLimits()
    limits.maxBodyBytes = maxBytes
    limits.totalTimeout = .seconds(24 * 3600)
    let downloader = try downloader(DownloaderConfiguration(userAgent: userAgent))
    defer { downloader.shutdown() }
    _ = try await stream(DownloadRequest(address, limits: limits), with: downloader, receive)
  }

  /// Starts a downloader; its failure is that of a document.
  static func downloader(_ configuration: DownloaderConfiguration) throws(Failure) -> Downloader {
    do throws(DownloadError) {
      return try Downloader(configuration: configuration)
    } catch {
      throw Failure(cause: error.description)
    }
  }

  private static func stream(
    _ request: DownloadRequest, with downloader: Downloader, heeding heed: (any Heed)? = nil,
    _ receive: @escaping Receiver.Receive, begin: @escaping @Sendable (ResponseHead) -> Void = { _ in }
  ) async throws(Failure) -> ResponseHead {
    let result = await withCheckedContinuation { continuation in
      _ = downloader.start(request, sink: Receiver(request.address, receive, begin, heed, continuation))
    }
    return try result.get()
  }

  private final class Receiver: DownloadSink {
    typealias Outcome = Result<ResponseHead, Failure>
    typealias Receive = @Sendable ([UInt8]) -> Bool

    private let address: WebAddress
    private let receive: Receive
    private let begin: @Sendable (ResponseHead) -> Void
    private let heed: (any Heed)?
    private let continuation: CheckedContinuation<Outcome, Never>

    init(
      _ address: WebAddress, _ receive: @escaping Receive,
      _ begin: @escaping @Sendable (ResponseHead) -> Void,
      _ heed: (any Heed)?,
      _ continuation: CheckedContinuation<Outcome, Never>
    ) {
      self.address = address
      self.heed = heed
      self.receive = receive
      self.begin = begin
      self.continuation = continuation
    }

    func mayStart(_ transfer: TransferID) -> Bool { heed?.mayAsk(address) ?? true }

    func mayFollow(to address: WebAddress, transfer: TransferID) -> Bool { heed?.mayAsk(address) ?? true }

    func didReceive(head: ResponseHead, transfer: TransferID) {
      heed?.note(head)
      begin(head)
    }

    func didReceive(chunk: [UInt8], transfer: TransferID) -> DownloadFlow {
      receive(chunk) ? .proceed : .cancel
    }

    func didFinish(_ result: Result<DownloadSummary, DownloadError>, transfer: TransferID) {
      switch result {
      case .failure(.withheld):
        continuation.resume(returning: .failure(Failure(cause: "not asked", leftAlone: address)))
      case .failure(.redirected(let place, .hostClosed)):
        continuation.resume(returning: .failure(Failure(cause: "not asked", leftAlone: place)))
      case .failure(let error): continuation.resume(returning: .failure(Failure(error)))
      case .success(let summary) where summary.head.status != 200:
        let status = summary.head.status
        let now = Date()
        let wait = RetryAfter.seconds(summary.head.retryAfter, at: now).flatMap { $0 > 0 ? $0 : nil }
        let failure = Failure(
          cause: Verdict.cause(status), status: status, notBefore: wait.map { now.addingTimeInterval($0) })
        continuation.resume(returning: .failure(failure))
      case .success(let summary): continuation.resume(returning: .success(summary.head))
      }
    }
  }
}
