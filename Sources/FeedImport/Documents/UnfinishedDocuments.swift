import ManagedContext
import Threading

/// The documents that workers have. The reader waits while there are too many.
final class UnfinishedDocuments: Sendable {
  private struct State: Sendable {
    /// The documents that have not ended.
    var documents = 0
    /// The bytes that wait for a worker.
    var bytes = 0
  }

  /// The bytes that may wait for workers.
  private static let mostBytes = 8 << 20
  /// The documents that may wait: small ones take more memory than their bytes.
  private static let mostDocuments = 4096

  private let state = Monitor(State())
  private let root: RootContext

  init(_ root: RootContext) {
    self.root = root
  }

  /// Notes a document that a worker will read, as soon as there is room.
  func begin(_ bytes: Int) {
    // The writer saves documents when it has no other saves, or when it is flushed.
    if state.update({ $0.documents >= Self.mostDocuments }) { root.flush() }
    state.wait { state -> Void? in
      guard state.documents < Self.mostDocuments, state.bytes == 0 || state.bytes + bytes <= Self.mostBytes
      else { return nil }
      state.bytes += bytes
      state.documents += 1
      return ()
    }
  }

  func didRead(_ bytes: Int) { state.update { $0.bytes -= bytes } }

  func end() { state.update { $0.documents -= 1 } }

  /// Waits until all documents so far have ended.
  func awaitEnd() {
    root.flush()
    state.wait { $0.documents == 0 ? () : nil }
  }
}
