public import Foundation
import ManagedContext
import NewsModel
import TextOutput

/// The polling interval that a publisher requests in the document.
public struct PublisherHints: Sendable, Equatable {
  /// RSS `ttl`: the time during which the document may be cached, in seconds, or nil.
  public var timeToLive: TimeInterval?
  /// The syndication module's `updatePeriod` divided by its `updateFrequency`, in seconds.
  public var updateInterval: TimeInterval?
  /// The syndication module's `updateBase`: the time of one update. Others follow at every
  /// ``updateInterval``.
  public var updateBase: Date?
  /// RSS `skipHours`: bit 0 is the hour after midnight, UTC.
  public var skipHours: UInt32
  /// RSS `skipDays`: bit 0 is Sunday, in UTC.
  public var skipDays: UInt8

  /// Creates a document's hints; by default, it contains no hints.
  public init(
    timeToLive: TimeInterval? = nil, updateInterval: TimeInterval? = nil, updateBase: Date? = nil,
    skipHours: UInt32 = 0, skipDays: UInt8 = 0
  ) {
    self.timeToLive = timeToLive
    self.updateInterval = updateInterval
    self.updateBase = updateBase
    self.skipHours = skipHours
    self.skipDays = skipDays
  }

  /// The hours and days in which a feed may be polled.
  init(hoursOf feed: some EntityValues<Feed>) {
    self.init(
      skipHours: UInt32(truncatingIfNeeded: feed.skipHours ?? 0),
      skipDays: UInt8(truncatingIfNeeded: feed.skipDays ?? 0))
  }

  /// Returns whether the feed may be polled in the hour that contains `date`.
  ///
  /// Hints that exclude every hour in a week are ignored.
  func allows(_ date: Date) -> Bool {
    let isVoid = skipHours & 0xFF_FFFF == 0xFF_FFFF || skipDays & 0x7F == 0x7F
    if isVoid { return true }
    let time = CivilDate(date)
    return skipDays & (1 << time.weekday) == 0 && skipHours & (1 << time.hour) == 0
  }

  /// Returns the first time at or after `date` at which the feed may be polled.
  func firstAllowed(from date: Date) -> Date {
    var moment = date
    // After a week, every hour was checked, and at least one is allowed.
    for _ in 0...(24 * 7) {
      if allows(moment) { break }
      moment = Date(timeIntervalSince1970: ((moment.timeIntervalSince1970 / 3600).rounded(.down) + 1) * 3600)
    }
    return moment
  }
}
