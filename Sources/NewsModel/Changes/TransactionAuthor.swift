/// The authors for transactions in the store's history: command names.
package enum TransactionAuthor {
  /// The author for transactions that move articles to an archive.
  package static let archive = "archive"
  /// The author for transactions that delete old articles, also in `fetch`.
  package static let prune = "prune"
  /// The author for transactions with articles from files.
  package static let importing = "import"
}
