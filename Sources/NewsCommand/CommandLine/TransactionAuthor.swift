/// The authors for transactions in the store's history: command names.
@MainActor
enum TransactionAuthor {
  /// The running command, such as `fetch`; for `region add` it is `region`.
  static var running: String?

  /// The author for transactions that move articles to an archive.
  nonisolated static let archive = "archive"
  /// The author for transactions that delete old articles, also in `fetch`.
  nonisolated static let prune = "prune"
  /// The author for transactions with articles from files.
  nonisolated static let importing = "import"
}
