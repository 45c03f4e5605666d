public import Foundation

/// The time that an article stays in a feed's document, and the hours in which the feed publishes.
///
/// Polls must come often enough to see each article.
public struct NewsWindow: Sendable, Equatable {
  /// The time in which the feed replaces all articles in its document when it publishes at its fastest usual
  /// pace, in seconds; nil if it is not known.
  public var length: TimeInterval?
  /// The hours in which the feed publishes.
  public var hours: PublishingHours
  /// The time of the last answer that had new articles.
  public var lastNews: Date
  /// The number of answers that shared no article with an earlier answer: articles between them may have been
  /// missed.
  public var missed = 0
  /// The time of the last such answer.
  public var lastMissed: Date?

  /// Creates a window from known facts.
  public init(length: TimeInterval? = nil, hours: PublishingHours, lastNews: Date) {
    (self.length, self.hours, self.lastNews) = (length, hours, lastNews)
  }

  /// The facts about a document's articles.
  public struct Document: Sendable {
    /// The number of articles.
    public var articles: Int
    /// The number of new articles.
    public var new: Int
    /// The articles' dates.
    public var dates: PublishingInterval.Sample

    /// Describes a document.
    public init(articles: Int, new: Int, dates: PublishingInterval.Sample) {
      (self.articles, self.new, self.dates) = (articles, new, dates)
    }

    /// True if all articles in the document are new. A single article does not count.
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

  /// Learns the length from a document. A shorter length counts at once; a longer one changes it little,
  /// because the next burst may be as fast as the last.
  private mutating func observe(_ document: Document, _ dates: [Date], isFirst: Bool, at now: Date) {
    var observed = Self.length(dates, of: document.articles)
    let passed = now.timeIntervalSince(lastNews)
    if !isFirst, document.new > 0, passed > 0 {
      // Without dates, only the number of articles since the last ones is known. If all are new, some were
      // missed.
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

  /// Returns the time in which `articles` articles appear at the pace of the document's fastest half; nil
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
  /// It is half the window, or a sixth if the window was only guessed without dates. It counts from the next
  /// hour in which the feed publishes.
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
