import Corpus

/// The imports that are measured, in the order in which one store goes through them.
enum ImportPhase: String, CaseIterable {
  /// Into a store without articles.
  case cold
  /// Every feed says 304.
  case unchanged
  /// One feed in ten has new articles, one in fifty an edited one; the others say 304.
  case changed
  /// The server knows no validators and sends the same bytes again.
  case sameBytes = "same bytes"

  /// What is served.
  var revision: Corpus.Revision { self == .cold || self == .unchanged ? .first : .second }

  /// How many articles it adds or edits.
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

  /// The bytes of the bodies that it downloads.
  func bytes(_ corpus: CorpusFolder) -> Int {
    switch self {
    case .cold: corpus.bytes(.first)
    case .unchanged: 0
    case .changed: corpus.bytes(.second, changedOnly: true)
    case .sameBytes: corpus.bytes(.second)
    }
  }
}
