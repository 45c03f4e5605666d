import Foundation

/// How the feeds of a region do, or one feed: numbers that are printed in a line.
struct FeedStatistics: Equatable {
  /// The region's name, or the feed's address without its password.
  let name: String
  /// Feeds by how they do; each is counted once.
  var states: [FeedState: Int] = [:]
  var articles = 0
  /// Articles by the day for which they are dated, the oldest first.
  var days: [Int] = []
  /// Whether ``days`` or what the logs have are estimates.
  var isEstimated = false
  /// What the logs have of the feeds' last answers.
  var answers = 0
  var notModified = 0
  var inserted = 0
  var edited = 0
  var bytesPerDay = 0.0

  /// How many feeds there are.
  var feeds: Int { states.values.reduce(0, +) }
  /// Articles a day, over all ``days``.
  var newPerDay: Double { days.isEmpty ? 0 : Double(days.reduce(0, +)) / Double(days.count) }
  /// The share of edits among what the last answers brought; nil where they brought nothing.
  var editRate: Double? {
    inserted + edited > 0 ? Double(edited) / Double(inserted + edited) : nil
  }
  /// The share of "not modified" (304) among the last answers; nil without answers.
  var notModifiedRate: Double? { answers > 0 ? Double(notModified) / Double(answers) : nil }
}

/// How a feed does; the first that fits.
enum FeedState: String, CaseIterable {
  /// Its publisher ended it (HTTP 410).
  case gone
  /// Its last fetch failed.
  case failing
  /// It has been silent for many times its rhythm.
  case stale
  /// It was never asked.
  case unasked
  case healthy
}
