/// The statistics of a region's feeds or of one feed, which are printed in one line.
public struct FeedStatistics: Equatable, Sendable {
  /// The region's name, or the feed's address without its password.
  public let name: String
  /// The title of a feed; nil of a region, and of a feed without one.
  public var title: String?
  /// The names of a feed's regions, ordered; empty for a region.
  public var regions: [String] = []
  /// The number of feeds in each state; each feed is counted once.
  public var states: [FeedState: Int] = [:]
  /// The number of articles.
  public var articles = 0
  /// The number of articles for each day of their dates, oldest first.
  public var days: [Int] = []
  /// The number of the feeds' latest answers in the logs.
  public var answers = 0
  /// The number of answers 304 among them.
  public var notModified = 0
  /// The number of articles that they added.
  public var inserted = 0
  /// The number of articles that they edited.
  public var edited = 0
  /// The number of articles of which they changed the markup, without an edit.
  public var markupChanges = 0
  /// The number of articles of which they changed the dates alone.
  public var dateChanges = 0
  /// The number of all answers of the feeds that had only new articles: others may have been missed before them.
  public var missedAnswers = 0
  /// The bytes that were transferred, by day.
  public var bytesPerDay = 0.0

  /// Creates the statistics of a region or feed.
  ///
  /// - Parameter days: A zero for each day.
  public init(name: String, days: [Int] = []) {
    self.name = name
    self.days = days
  }

  /// The number of feeds.
  public var feeds: Int { states.values.reduce(0, +) }
  /// Articles per day, over all ``days``.
  public var newPerDay: Double { days.isEmpty ? 0 : Double(days.reduce(0, +)) / Double(days.count) }
  /// The share of edits among the articles of the latest answers; nil if these had none.
  public var editRate: Double? {
    inserted + edited > 0 ? Double(edited) / Double(inserted + edited) : nil
  }
  /// The share of "not modified" (304) among the latest answers; nil without answers.
  public var notModifiedRate: Double? { answers > 0 ? Double(notModified) / Double(answers) : nil }
}
