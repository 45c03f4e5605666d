public import Foundation

/// The hours in a day in which a feed has published, in UTC, over one to two weeks.
///
/// A poll that comes too late after a night misses the first articles in the morning, and polls during the
/// night find nothing.
public struct PublishingHours: Sendable, Equatable {
  /// The hours in the week before ``week``: bit 0 is the hour after midnight.
  private var former: UInt32 = 0
  /// The hours since ``began``.
  private var week: UInt32 = 0
  /// The present week's first day, in days since 1970.
  private var began: Int

  /// Creates an empty value.
  ///
  /// - Parameter date: The first day.
  public init(since date: Date) { began = Self.day(date) }

  /// Reads the stored number; nil if it is missing.
  public init?(number: Int64?) {
    guard let number, number >= 0 else { return nil }
    week = UInt32(truncatingIfNeeded: number) & Self.allHours
    former = UInt32(truncatingIfNeeded: number >> 24) & Self.allHours
    began = Int(number >> 48)
  }

  /// The number that is stored: 24 bits for each week, then the day.
  public var number: Int64 { Int64(began) << 48 | Int64(former) << 24 | Int64(week) }

  private static let allHours: UInt32 = 0xFF_FFFF

  /// The length of a week in days, after which its hours become the former ones.
  private static let daysOfWeek = 7
  /// The maximum number of hours for a feed that does not publish around the clock.
  private static let mostHours = 20

  /// Begins a new week if the present one has passed.
  public mutating func begin(at now: Date) {
    let today = Self.day(now)
    // A date in the future comes from a wrong clock.
    guard today < began || today >= began + Self.daysOfWeek else { return }
    former = today >= began && today < began + 2 * Self.daysOfWeek ? week : 0
    (week, began) = (0, today)
  }

  /// Adds the hours from one time to another, which are at most a day apart.
  public mutating func add(from first: Date, to last: Date) {
    let hours = (Self.hour(first), Self.hour(last))
    guard hours.0 <= hours.1, hours.1 - hours.0 < 24 else { return }
    for hour in hours.0...hours.1 { week |= 1 << Self.hourOfDay(hour) }
  }

  /// Returns the time at or after `now` at which the feed publishes: the start of the next hour in which it
  /// has published.
  ///
  /// It is `now` for a feed that publishes around the clock, or that has been known for less than a week:
  /// weekdays differ.
  public func next(at now: Date) -> Date {
    let hours = former | week
    guard former != 0, hours.nonzeroBitCount <= Self.mostHours else { return now }
    let hour = Self.hour(now)
    for later in 0..<24 where hours & 1 << Self.hourOfDay(hour + later) != 0 {
      return later == 0 ? now : Date(timeIntervalSince1970: TimeInterval(hour + later) * 3600)
    }
    return now
  }

  private static func hour(_ date: Date) -> Int {
    Int((max(0, min(date.timeIntervalSince1970, 1e11)) / 3600).rounded(.down))
  }

  private static func day(_ date: Date) -> Int { hour(date) / 24 % (1 << 15) }

  private static func hourOfDay(_ hour: Int) -> UInt32 { UInt32(hour % 24) }
}
