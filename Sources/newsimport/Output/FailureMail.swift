import NewsModel

/// Which failures of a run are told to a person who reads cron's mail: each feed's once, and the end of it.
struct FailureMail: Equatable {
  /// How many times in a row a feed must have failed.
  let after: Int

  /// What is to be told of a feed.
  enum News: Equatable {
    /// It has failed as often as is worth a mail, just now.
    case broken
    /// It works again, which had failed at least so often.
    case recovered
  }

  /// Decides.
  ///
  /// - Parameters:
  ///   - before: How many fetches in a row had failed before this one.
  ///   - failures: How many have with this one.
  ///   - isGone: Whether its publisher ended the feed: that is told at once, since it is not asked again.
  /// - Returns: Nil for nothing.
  func news(before: Int, failures: Int, isGone: Bool) -> News? {
    if isGone { return .broken }
    if failures == 0 { return before >= after ? .recovered : nil }
    return failures >= after && before < after ? .broken : nil
  }
}
