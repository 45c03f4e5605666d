/// The authors of transactions in the store's history: the names of commands.
@MainActor
enum TransactionAuthor {
  /// The running command, such as `fetch`; that of `region add` is `region`.
  static var running: String?

  /// The author of transactions that move articles to an archive.
  nonisolated static let archive = "archive"
  /// The author of transactions that delete old articles, also those of `fetch`.
  nonisolated static let prune = "prune"
  /// The author of transactions with the articles of files.
  nonisolated static let importing = "import"
}
