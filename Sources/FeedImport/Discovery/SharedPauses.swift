import Foundation
import HTTPDownload
import Threading
import WebAddress

/// Server pauses, shared by several downloads.
final class SharedPauses: Sendable {
  private let pauses: Locked<ServerPauses>

  init(_ pauses: ServerPauses) {
    self.pauses = Locked(pauses)
  }

  func mayRequest(_ address: WebAddress) -> Bool { failure(of: address) == nil }

  /// Notes the pause that an answer requests.
  func note(_ head: ResponseHead) {
    pauses.withLock { _ = $0.note(head, at: Date(), Schedule()) }
  }

  /// Returns the reason not to request an address; nil if it may be requested.
  func failure(of address: WebAddress) -> SingleDownload.Failure? {
    pauses.withLock { $0.refusal(of: address, at: Date()) }?.end.map {
      SingleDownload.Failure(cause: "not requested: its server requested a pause", status: 429, notBefore: $0)
    }
  }
}
