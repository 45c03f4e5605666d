/// The statistics for one feed or a region's feeds, which are printed in one line.
public struct FeedStatistics: Equatable, Sendable {
  /// The region's name, or the feed's address without its password.
  public let name: String
  /// The feed's title; nil for a region, and for a feed without a title.
  public var title: String?
  /// A feed's region names, ordered; empty for a region.
  public var regions: [String] = []
  /// Feeds in each state; each feed is counted once.
  public var states: [FeedState: Int] = [:]
  /// The article count.
  public var articles = 0
  /// Article counts by day, oldest first.
  public var days: [Int] = []
  /// The feeds' latest answers in the logs.
  public var answers = 0
  /// Answers with status 304 among them.
  public var notModified = 0
  /// Articles that they added.
  public var inserted = 0
  /// Articles that they edited.
  public var edited = 0
  /// Articles with changed markup, without an edit.
  public var markupChanges = 0
  /// Articles with changes only in their dates.
  public var dateChanges = 0
  /// All answers from the feeds that had only new articles: others may have been missed before them.
  public var missedAnswers = 0
  /// The bytes that were transferred, by day.
  public var bytesPerDay = 0.0

  /// Creates the statistics for a region or feed.
  ///
  /// - Parameter days: A zero for each day.
  public init(name: String, days: [Int] = []) {
    self.name = name
    self.days = days
  }

  /// The feed count.
  public var feeds: Int { states.values.reduce(0, +) }
  /// Articles per day, over all ``days``.
  public var newPerDay: Double { days.isEmpty ? 0 : Double(days.reduce(0, +)) / Double(days.count) }
  /// The share of edits among the articles in the latest answers; nil without such articles.
  public var editRate: Double? {
    inserted + edited > 0 ? Double(edited) / Double(inserted + edited) : nil
  }
  /// The share of "not modified" (304) among the latest answers; nil without answers.
  public var notModifiedRate: Double? { answers > 0 ? Double(notModified) / Double(answers) : nil }
}
