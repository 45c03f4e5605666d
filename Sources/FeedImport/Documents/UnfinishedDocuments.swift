import ManagedContext
import Threading

/// The documents that workers have. The reader waits while they are too many.
final class UnfinishedDocuments: Sendable {
  private struct State: Sendable {
    /// The documents that have not ended.
    var documents = 0
    /// The bytes that wait for a worker.
    var bytes = 0
  }

  /// The bytes that may wait for the workers.
  private static let mostBytes = 8 << 20
  /// The documents that may wait: small ones take more memory than their bytes.
  private static let mostDocuments = 4096

  private let state = Monitor(State())
  private let root: RootContext

  init(_ root: RootContext) {
    self.root = root
  }

  /// Notes a document that a worker will read, when there is room for it.
  func begin(_ bytes: Int) {
    // The saves of documents end when the writer has no others, or when it must.
    if state.update({ $0.documents >= Self.mostDocuments }) { root.flush() }
    state.wait { state -> Void? in
      guard state.documents < Self.mostDocuments, state.bytes == 0 || state.bytes + bytes <= Self.mostBytes
      else { return nil }
      state.bytes += bytes
      state.documents += 1
      return ()
    }
  }

  /// Notes that a document was read, although its save may not have ended.
  func didRead(_ bytes: Int) { state.update { $0.bytes -= bytes } }

  /// Notes the end of a document.
  func end() { state.update { $0.documents -= 1 } }

  /// Waits until all documents so far have ended.
  func awaitEnd() {
    root.flush()
    state.wait { $0.documents == 0 ? () : nil }
  }
}
