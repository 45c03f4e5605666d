import Foundation
import NewsModel

/// The statistics of a region's feeds or of one feed, which are printed in one line.
struct FeedStatistics: Equatable {
  /// The region's name, or the feed's address without its password.
  let name: String
  /// The number of feeds in each state; each feed is counted once.
  var states: [FeedState: Int] = [:]
  var articles = 0
  /// The number of articles for each day of their dates, oldest first.
  var days: [Int] = []
  /// True if ``days`` or the figures from the logs are estimates.
  var isEstimated = false
  /// The number of the feeds' latest answers in the logs.
  var answers = 0
  var notModified = 0
  var inserted = 0
  var edited = 0
  var bytesPerDay = 0.0

  /// The number of feeds.
  var feeds: Int { states.values.reduce(0, +) }
  /// Articles per day, over all ``days``.
  var newPerDay: Double { days.isEmpty ? 0 : Double(days.reduce(0, +)) / Double(days.count) }
  /// The share of edits among the articles of the latest answers; nil if these had none.
  var editRate: Double? {
    inserted + edited > 0 ? Double(edited) / Double(inserted + edited) : nil
  }
  /// The share of "not modified" (304) among the latest answers; nil without answers.
  var notModifiedRate: Double? { answers > 0 ? Double(notModified) / Double(answers) : nil }
}
