import HTTPDownload
import Threading

/// Downloads one document whole, for those who want to look at it without a store.
public enum SingleDownload {
  /// A document as its server sent it.
  public struct Document: Sendable {
    /// The decoded body.
    public let bytes: [UInt8]
    /// Where it came from, after redirects.
    public let url: String
    /// The Content-Type field; nil without one.
    public let contentType: String?
  }

  /// Why there is no document; the cause in words.
  public struct Failure: Error, Sendable {
    /// One line, safe to print.
    public let cause: String
  }

  /// Asks for a document, with the limits of a feed.
  ///
  /// - Throws: ``Failure`` for any answer but 200.
  public static func document(at url: String, userAgent: String) async throws(Failure) -> Document {
    let downloader: Downloader
    do throws(DownloadError) {
      downloader = try Downloader(configuration: DownloaderConfiguration(userAgent: userAgent))
    } catch {
      throw Failure(cause: error.description)
    }
    defer { downloader.shutdown() }
    let result = await withCheckedContinuation { continuation in
      _ = downloader.start(DownloadRequest(url: url), sink: Collector(continuation))
    }
    return try result.get()
  }

  private final class Collector: DownloadSink {
    typealias Outcome = Result<Document, Failure>

    private let bytes = Locked<[UInt8]>([])
    private let continuation: CheckedContinuation<Outcome, Never>

    init(_ continuation: CheckedContinuation<Outcome, Never>) {
      self.continuation = continuation
    }

    func didReceive(head: ResponseHead, transfer: TransferID) {}

    func didReceive(chunk: [UInt8], transfer: TransferID) -> DownloadFlow {
      bytes.withLock { $0 += chunk }
      return .proceed
    }

    func didFinish(_ result: Result<DownloadSummary, DownloadError>, transfer: TransferID) {
      switch result {
      case .failure(let error): continuation.resume(returning: .failure(Failure(cause: error.description)))
      case .success(let summary) where summary.head.status != 200:
        continuation.resume(returning: .failure(Failure(cause: Verdict.cause(summary.head.status))))
      case .success(let summary):
        let document = Document(
          bytes: bytes.withLock { $0 }, url: summary.head.effectiveURL, contentType: summary.head.contentType)
        continuation.resume(returning: .success(document))
      }
    }
  }
}
