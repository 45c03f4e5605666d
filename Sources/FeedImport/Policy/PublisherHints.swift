public import Foundation

/// How often a publisher wants its feed to be read, as the document says it.
public struct PublisherHints: Sendable, Equatable {
  /// RSS `ttl`: for how long the document may be kept, in seconds; nil when it does not say.
  public var timeToLive: TimeInterval?
  /// The syndication module's `updatePeriod` divided by its `updateFrequency`, in seconds.
  public var updateInterval: TimeInterval?
  /// The syndication module's `updateBase`: updates come at this time and every ``updateInterval`` after it.
  public var updateBase: Date?
  /// RSS `skipHours`: bit 0 is the hour from midnight, UTC.
  public var skipHours: UInt32
  /// RSS `skipDays`: bit 0 is Sunday, in UTC.
  public var skipDays: UInt8

  /// Says what a document says; by default nothing.
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

  /// Whether the feed may be read in the hour that `date` is in.
  ///
  /// Hints that leave no hour of the week mean nothing.
  func allows(_ date: Date) -> Bool {
    let isVoid = skipHours & 0xFF_FFFF == 0xFF_FFFF || skipDays & 0x7F == 0x7F
    if isVoid { return true }
    let hours = Int((date.timeIntervalSince1970 / 3600).rounded(.down))
    // 1 January 1970 was a Thursday.
    let day = (Self.remainder(Self.quotient(hours, 24) + 4, 7), Self.remainder(hours, 24))
    return skipDays & (1 << day.0) == 0 && skipHours & (1 << day.1) == 0
  }

  /// The first moment from `date` on in which the feed may be read.
  func firstAllowed(from date: Date) -> Date {
    var moment = date
    // Every hour of a week has been looked at then, and one is allowed.
    for _ in 0...(24 * 7) {
      if allows(moment) { break }
      moment = Date(timeIntervalSince1970: ((moment.timeIntervalSince1970 / 3600).rounded(.down) + 1) * 3600)
    }
    return moment
  }

  private static func quotient(_ value: Int, _ divisor: Int) -> Int {
    Int((Double(value) / Double(divisor)).rounded(.down))
  }

  private static func remainder(_ value: Int, _ divisor: Int) -> Int {
    value - quotient(value, divisor) * divisor
  }
}
