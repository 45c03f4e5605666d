import NewsModel

/// Which failures of a run are told to a person who reads cron's mail: each feed's once, and the end of it.
struct FailureMail: Equatable {
  /// How many times in a row a feed must have failed.
  let after: Int

  /// What is to be told of a feed.
  enum News: Equatable {
    /// It has failed as often as is worth a mail, which nobody was told yet.
    case broken
    /// It works again, of which was told that it failed.
    case recovered
  }

  /// Decides.
  ///
  /// - Parameters:
  ///   - failures: How many fetches in a row have failed; 0 after a success.
  ///   - wasTold: Whether somebody was told that it fails, and it has not worked since.
  ///   - isGone: Whether its publisher ended the feed: that is told at once, since it is not asked again.
  /// - Returns: Nil for nothing.
  func news(failures: Int, wasTold: Bool, isGone: Bool) -> News? {
    if isGone { return .broken }
    if failures == 0 { return wasTold ? .recovered : nil }
    return failures >= after && !wasTold ? .broken : nil
  }
}
