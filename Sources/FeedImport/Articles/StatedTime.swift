import NewsModel

/// The times that documents state for themselves and their articles. They show that a document is older than what the store has: a
/// snapshot of the past, the copy of a cache, or a mirror that lags behind.
struct StatedTime {
  /// The time that a document states for itself, in seconds since 1970; nil without one that can be believed.
  let document: Int64?
  /// True if the answer of a server states the date of its newest article, as many programs write it. That date also goes back if the
  /// publisher withdraws the article, and is weak evidence.
  private let mayBeWithdrawn: Bool
  private let now: Int64
  /// True for the answer of a server, false for a file, which may be of any age.
  private let isAnswer: Bool

  /// - Parameters:
  ///   - document: The time that the document states: RSS `lastBuildDate`, Atom `updated`.
  ///   - dates: The dates of its articles.
  ///   - newest: The newest date of articles that were read before these; nil for none.
  ///   - now: The time of the import.
  ///   - isAnswer: True for the answer of a server.
  init(
    document: Int64?, dates: some Sequence<Int64>, after newest: Int64? = nil, at now: Int64, isAnswer: Bool
  ) {
    (self.now, self.isAnswer) = (now, isAnswer)
    guard let document, document <= now + Self.tolerance else {
      (self.document, mayBeWithdrawn) = (nil, false)
      return
    }
    // A document cannot have articles that were published long after it: its own time is wrong, or never changes.
    let isWrong = dates.contains { $0 > document + Self.day && $0 <= now + Self.tolerance }
    self.document = isWrong ? nil : document
    mayBeWithdrawn = isAnswer && max(dates.max() ?? .min, newest ?? .min) == document
  }

  /// The age of a text.
  enum Age {
    case current
    /// It is older than the stored text.
    case older
    /// It is older if the article has had it before.
    case doubtful
  }

  private static let day: Int64 = 86_400
  /// The time by which clocks may differ.
  private static let tolerance: Int64 = 3600
  /// The time after which the answer of a server is believed, whatever time it states: no cache keeps a document so long, and a
  /// publisher that states wrong times would never again change an article.
  private static let longest = 30 * day

  /// Compares a text with the stored one.
  ///
  /// The article's times decide if both are stated. Equal times do not count: publishers edit without changing the time.
  ///
  /// - Parameters:
  ///   - modified: The time of the article's last change, as the document states it.
  ///   - stored: The same time of the stored text.
  ///   - stated: ``Article/stated`` of the stored text.
  func age(modified: Int64?, than stored: Int64?, stated: Int64?) -> Age {
    if let modified, let stored {
      return modified < stored && stored <= now + Self.tolerance ? .older : .current
    }
    // A text with a time of its own is not older than that.
    guard let document, let stated = stated ?? stored, document < stated, stated <= now + Self.tolerance
    else {
      return .current
    }
    if mayBeWithdrawn { return .doubtful }
    return !isAnswer || now - stated <= Self.longest ? .older : .current
  }
}
