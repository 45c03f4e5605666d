import NewsModel

/// The times that documents state for themselves and their articles. They show that a document is older than
/// the store: a past snapshot, a cache's copy, or a lagging mirror.
struct StatedTime {
  /// The document's own stated time, in seconds since 1970; nil without a credible one.
  let document: Int64?
  /// True if an answer's time is the date of its newest article, as in many programs. That date also goes
  /// back if the publisher withdraws the article, so it is weak evidence.
  private let mayBeWithdrawn: Bool
  private let now: Int64
  /// True for a server's answer, false for a file, which may have any age.
  private let isAnswer: Bool

  /// - Parameters:
  ///   - document: The document's stated time: RSS `lastBuildDate`, Atom `updated`.
  ///   - dates: The article dates.
  ///   - newest: The newest date among articles that were read before these; nil if none were.
  ///   - isAnswer: True for a server's answer.
  init(
    document: Int64?, dates: some Sequence<Int64>, after newest: Int64? = nil, at now: Int64, isAnswer: Bool
  ) {
    (self.now, self.isAnswer) = (now, isAnswer)
    guard let document, document <= now + Self.tolerance else {
      (self.document, mayBeWithdrawn) = (nil, false)
      return
    }
    // A document cannot have articles published long after it: its own time is wrong, or never changes.
    let isWrong = dates.contains { $0 > document + Self.day && $0 <= now + Self.tolerance }
    self.document = isWrong ? nil : document
    mayBeWithdrawn = isAnswer && max(dates.max() ?? .min, newest ?? .min) == document
  }

  enum Age {
    case current
    /// It is older than the stored text.
    case older
    /// It is older if the article has had that text before.
    case doubtful
  }

  private static let day: Int64 = 86_400
  /// The maximum difference between clocks, in seconds.
  private static let tolerance: Int64 = 3600
  /// The time after which a server's answer is believed, whatever time it states. No cache keeps a document
  /// so long, and a publisher that states wrong times could otherwise never change an article again.
  private static let longest = 30 * day

  /// Compares a text with the stored one.
  ///
  /// The article's times decide if both are stated. Equal times do not count: some edits keep the time.
  ///
  /// - Parameters:
  ///   - modified: The article's last change, as the document states it.
  ///   - stored: The same time in the stored text.
  ///   - stated: The stored text's ``Article/stated``.
  func age(modified: Int64?, than stored: Int64?, stated: Int64?) -> Age {
    if let modified, let stored {
      return modified < stored && stored <= now + Self.tolerance ? .older : .current
    }
    // A text with its own time is not older than that time.
    guard let document, let stated = stated ?? stored, document < stated, stated <= now + Self.tolerance
    else {
      return .current
    }
    if mayBeWithdrawn { return .doubtful }
    return !isAnswer || now - stated <= Self.longest ? .older : .current
  }
}
