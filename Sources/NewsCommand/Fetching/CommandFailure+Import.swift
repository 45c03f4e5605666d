import FeedImport

extension CommandFailure {
  /// Creates the failure for an import that ended early.
  init(_ failure: ImportFailure, store: StoreLocation) {
    switch failure {
    case .store(let error): self.init(error, store: store)
    case .download(let cause): self.init(.inputOutput, "cannot download: \(cause)")
    case .settings(let cause): self.init(.configuration, cause)
    case .thread(let error): self.init(.system, "\(error)")
    }
  }
}
