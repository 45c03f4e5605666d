import NewsModel

extension TransactionAuthor {
  /// The running command, such as `fetch`; for `region add` it is `region`.
  @MainActor static var running: String?
}
