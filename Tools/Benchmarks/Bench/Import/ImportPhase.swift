import Corpus

/// The measured imports, in their order on one store.
enum ImportPhase: String, CaseIterable {
  /// An import into a store without articles.
  case cold
  /// Every feed answers 304.
  case unchanged
  /// One feed in ten has new articles, one in fifty an edited one, and the others answer 304.
  case changed
  /// The server sends no validators, and sends the same bytes again.
  case sameBytes = "same bytes"

  var revision: Corpus.Revision { self == .cold || self == .unchanged ? .first : .second }

  /// Returns the number of articles that the import adds or edits.
  func rows(_ corpus: Corpus) -> Int {
    switch self {
    case .cold: corpus.size.articles
    case .unchanged, .sameBytes: 0
    case .changed:
      (0..<corpus.size.feeds).reduce(0) { sum, feed in
        let change = corpus.change(of: feed)
        return sum + change.new + (change.hasEdit ? 1 : 0)
      }
    }
  }

  /// Returns the size of the downloaded bodies, in bytes.
  func bytes(_ corpus: CorpusFolder) -> Int {
    switch self {
    case .cold: corpus.bytes(.first)
    case .unchanged: 0
    case .changed: corpus.bytes(.second, changedOnly: true)
    case .sameBytes: corpus.bytes(.second)
    }
  }
}
