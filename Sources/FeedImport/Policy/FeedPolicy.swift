import FeedParsing
import Foundation
import ManagedContext
import NewsModel

/// Reads the facts for the schedule from the feed's row and its document.
extension PublisherHints {
  /// Reads the last document's hints.
  init(of feed: StoredRow<Feed>) {
    self.init(
      timeToLive: feed.timeToLive.map(TimeInterval.init),
      updateInterval: feed.updateInterval.map(TimeInterval.init),
      updateBase: feed.updateBase,
      skipHours: UInt32(truncatingIfNeeded: feed.skipHours ?? 0),
      skipDays: UInt8(truncatingIfNeeded: feed.skipDays ?? 0))
  }

  /// Reads a document's hints.
  init(of details: FeedDetails) {
    self.init(
      timeToLive: details.timeToLiveMinutes.flatMap { $0 > 0 ? TimeInterval($0) * 60 : nil },
      updateInterval: Self.updateInterval(details),
      updateBase: details.updateBase.map { Date(timeIntervalSince1970: TimeInterval($0)) })
    for hour in details.skipHours where (0..<24).contains(hour) { skipHours |= 1 << hour }
    for day in details.skipDays {
      if let place = Self.days.firstIndex(where: { day.lowercased().hasPrefix($0) }) {
        skipDays |= 1 << place
      }
    }
  }

  /// Writes the hints into the feed's row.
  func write(to feed: Feed) {
    feed.timeToLive = timeToLive.map { Int(min($0, 1e9)) }
    feed.updateInterval = updateInterval.map { Int(min($0, 1e9)) }
    feed.updateBase = updateBase
    feed.skipHours = skipHours == 0 ? nil : Int(skipHours)
    feed.skipDays = skipDays == 0 ? nil : Int(skipDays)
  }

  private static let days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

  /// Returns the period, a day by default, divided by its update count (RSS 1.0 syndication module). Nil if
  /// both are missing, or if the period is unknown.
  private static func updateInterval(_ details: FeedDetails) -> TimeInterval? {
    guard details.updatePeriod != nil || details.updateFrequency != nil else { return nil }
    let periods = [
      "hourly": 3600, "daily": 86400, "weekly": 604_800, "monthly": 2_592_000, "yearly": 31_536_000,
    ]
    guard let period = periods[details.updatePeriod ?? "daily"] else { return nil }
    return TimeInterval(period) / TimeInterval(max(1, details.updateFrequency ?? 1))
  }
}

extension NewsWindow {
  /// Reads the information from the documents so far; nil before the first.
  init?(of feed: StoredRow<Feed>) {
    guard let hours = PublishingHours(number: feed.publishingHours),
      let lastNews = feed.lastNews
    else { return nil }
    self.init(length: feed.newsWindow.map(TimeInterval.init), hours: hours, lastNews: lastNews)
    missed = min(max(0, feed.storedMissedAnswers ?? 0), Int(Int32.max))
    lastMissed = feed.lastMissed
  }

  /// Writes the window into the feed's row.
  func write(to feed: Feed) {
    feed.newsWindow = length.map { Int(min($0, 1e9)) }
    feed.publishingHours = hours.number
    feed.lastNews = lastNews
    feed.missedAnswers = missed
    feed.lastMissed = lastMissed
  }
}

extension PublishingInterval {
  /// Reads the publishing interval in the last document; nil if its articles had no dates.
  init?(of feed: StoredRow<Feed>) {
    guard let gap = feed.publishingInterval, let newest = feed.newestArticle
    else { return nil }
    self.init(gap: TimeInterval(gap), newest: newest)
  }

  /// Writes the publishing interval into the feed's row.
  func write(to feed: Feed) {
    feed.publishingInterval = Int(min(gap, 1e9))
    feed.newestArticle = newest
  }
}
