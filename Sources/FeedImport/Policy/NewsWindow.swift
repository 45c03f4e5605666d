public import Foundation

/// The time for which a feed's document shows an article, and the hours in which the feed publishes: polls must come often enough
/// to see each article.
public struct NewsWindow: Sendable, Equatable {
  /// The time in which as many articles as the document has appear, at the feed's fastest usual rhythm, in seconds; nil if it is
  /// not known.
  public var length: TimeInterval?
  /// The hours in which the feed publishes.
  public var hours: PublishingHours
  /// The last answer that had new articles.
  public var lastNews: Date
  /// The number of answers without an article of an earlier one: articles between them may have been missed.
  public var missed = 0
  /// The last of these answers.
  public var lastMissed: Date?

  /// Creates a window from what is known.
  public init(length: TimeInterval? = nil, hours: PublishingHours, lastNews: Date) {
    (self.length, self.hours, self.lastNews) = (length, hours, lastNews)
  }

  /// The facts about the articles in a document.
  public struct Document: Sendable {
    /// The number of its articles.
    public var articles: Int
    /// The number of them that were not known.
    public var new: Int
    /// Their dates.
    public var dates: PublishingInterval.Sample

    /// Describes a document.
    public init(articles: Int, new: Int, dates: PublishingInterval.Sample) {
      (self.articles, self.new, self.dates) = (articles, new, dates)
    }

    /// True if the document has no article that was known. One article says nothing.
    var isAllNew: Bool { articles > 1 && new >= articles }
  }

  /// Returns the window after a document.
  ///
  /// - Parameters:
  ///   - document: The document.
  ///   - known: The window before; nil for the first document.
  ///   - interval: The publishing interval before, and the newest article; nil if they are not known.
  ///   - lastFetch: The poll before; nil for the first.
  ///   - now: The time.
  public static func after(
    _ document: Document, knowing known: NewsWindow?, interval: PublishingInterval? = nil, lastFetch: Date?,
    at now: Date
  ) -> NewsWindow {
    let dates = document.dates.past(at: now)
    var window =
      known
      ?? NewsWindow(
        hours: PublishingHours(since: now), lastNews: lastFetch ?? now)
    window.hours.begin(at: now)
    window.observe(document, dates, isFirst: lastFetch == nil, at: now)
    for date in dates where date > now.addingTimeInterval(-7 * day) { window.hours.add(from: date, to: date) }
    if let lastFetch, document.new > 0 {
      if dates.isEmpty { window.addHours(of: document, since: lastFetch, at: now) }
      if document.isAllNew, !document.dates.follows(interval) {
        window.missed += 1
        window.lastMissed = now
      }
    }
    if lastFetch == nil || document.new > 0 { window.lastNews = now }
    return window
  }

  /// Learns the length from a document. A shorter one counts at once; a longer one changes it little, because the next burst may be
  /// as fast as the last.
  private mutating func observe(_ document: Document, _ dates: [Date], isFirst: Bool, at now: Date) {
    var observed = Self.length(dates, of: document.articles)
    let passed = now.timeIntervalSince(lastNews)
    if !isFirst, document.new > 0, passed > 0 {
      // Of articles without dates, all that is known is how many came since the last ones. If none is known, some were missed.
      let length =
        document.isAllNew && dates.isEmpty
        ? passed / 6 : passed * Double(document.articles) / Double(document.new)
      observed = min(observed ?? length, length)
    }
    guard let observed else { return }
    guard let length, observed > length else {
      self.length = max(observed, 1)
      return
    }
    self.length = length + (min(observed, 2 * length) - length) / 32
  }

  /// Returns the time in which a number of articles appear when they come as fast as the fastest half of a document did; nil
  /// without two dates.
  private static func length(_ dates: [Date], of articles: Int) -> TimeInterval? {
    let half = max(1, dates.count / 2)
    let spans = zip(dates, dates.dropFirst(half)).map { $0.timeIntervalSince($1) }
    return spans.min().map { $0 * Double(articles) / Double(half) }
  }

  /// Adds the hours in which the new articles without dates probably came.
  private mutating func addHours(of document: Document, since lastFetch: Date, at now: Date) {
    guard let length else { return }
    let time = length * Double(document.new) / Double(document.articles)
    hours.add(from: max(lastFetch, now.addingTimeInterval(-min(time, Self.day - 3600))), to: now)
  }

  private static let day: TimeInterval = 86_400

  /// Returns the longest time until the next poll that misses nothing, in seconds; nil if it is not known.
  ///
  /// It is half the window, or a sixth of one that was only guessed without dates, from the next hour in which the feed publishes.
  ///
  /// - Parameters:
  ///   - isDated: True if the articles have dates.
  ///   - least: The shortest time, in seconds.
  ///   - now: The time.
  public func wait(isDated: Bool, atLeast least: TimeInterval, at now: Date) -> TimeInterval? {
    guard let length else { return nil }
    return hours.next(at: now).timeIntervalSince(now) + max(length / (isDated ? 2 : 6), least)
  }
}
