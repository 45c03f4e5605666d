/// The rules for `--report-after`: a feed's failure is reported once, and its recovery once, because cron mails
/// each report.
public struct FailureMail: Sendable {
  /// The numbers of failures that may be chosen.
  public static let numbers = 1...1000

  /// The number of consecutive failures after which a feed is reported.
  let after: Int

  /// Creates the rules.
  ///
  /// - Parameter after: The number of consecutive failures after which a feed is reported.
  public init(after: Int) {
    self.after = after
  }

  /// The report about a feed.
  public enum News: Sendable, Equatable {
    /// The feed has failed often enough, and this failure has not been reported yet.
    case broken
    /// The feed works again after its failure was reported.
    case recovered
  }

  /// Returns the report about a feed.
  ///
  /// - Parameters:
  ///   - failures: The number of consecutive failures; 0 after a success.
  ///   - wasReported: True if the feed's failure was reported, and the feed has not worked since.
  ///   - isGone: True if the publisher ended the feed. This is reported at once, because the feed is not
  ///     polled again.
  /// - Returns: Nil if there is nothing to report.
  public func news(failures: Int, wasReported: Bool, isGone: Bool) -> News? {
    if isGone { return .broken }
    if failures == 0 { return wasReported ? .recovered : nil }
    return failures >= after && !wasReported ? .broken : nil
  }
}
