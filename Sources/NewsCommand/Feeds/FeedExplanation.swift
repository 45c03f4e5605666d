import ArticleDocuments
import FeedImport
import Foundation
import ManagedContext
import NewsModel
import WebAddress
import TextOutput

/// A feed's stored data, polling state and history, as text and as JSON.
@MainActor
struct FeedExplanation {
  let feed: Feed
  let surroundings: FeedSurroundings
  /// The latest answers, newest first.
  let log: [FetchRecord]
  /// The pause that the feed's server has requested, also in answers about other feeds; nil for none.
  let server: PollPolicy.Refusal?
  /// The request limit on the feed's host; nil if unknown.
  let limit: HostWait?
  /// The time when another run's claim to poll the publisher expires; nil without a claim.
  let claim: Date?
  /// The configuration problem that prevents polls; nil for none.
  let configurationError: String?
  /// True if the configuration has a table for the feed's address; a changed address would lose it.
  let hasTable: Bool
  let now: Date

  private var regions: [String] { surroundings.regions }

  private var hostClosed: Date? {
    if case .hostClosed(let date) = server { date } else { nil }
  }

  // MARK: For people

  /// The explanation, one line for each known fact.
  var text: String {
    var lines = [("feed", feed.url.withoutPassword), ("next", next)]
    if let configurationError { lines.append(("not polled", configurationError)) }
    if let pause { lines.append(("pause", pause)) }
    lines.append(("last", last))
    if let failure = feed.lastFailure { lines.append(("error", failure.description)) }
    if let publishingInterval { lines.append(("publishes", publishingInterval)) }
    if let missed { lines.append(("missed", missed)) }
    if !wishes.isEmpty { lines.append(("asks for", wishes.joined(separator: ", "))) }
    if let hostClosed {
      lines.append(("host", "paused until \(localMinute(hostClosed)): it rejected requests for other feeds"))
    }
    if let limit {
      let until = limit.until > now ? "; it gets no request before \(localMinute(limit.until))" : ""
      lines.append(("host", "\(limit.limit)\(until)"))
    }
    if let claim { lines.append(("claimed", "by another run until \(localMinute(claim))")) }
    for address in surroundings.formerAddresses { lines.append(("moved from", address.withoutPassword)) }
    if let moved { lines.append(("moved", moved)) }
    lines.append(("validators", validators))
    lines.append(
      (
        "regions",
        regions.isEmpty
          ? feed.isFromFiles ? "none" : "none, so it is not fetched" : regions.joined(separator: ", ")
      ))
    lines.append(("title", feed.shownTitle ?? "(no title)"))
    if let homePage = feed.homePage { lines.append(("site", homePage)) }
    if let language = feed.language { lines.append(("language", language)) }
    let last = surroundings.newestImport.map { ", the last one new at \(localMinute($0))" } ?? ""
    lines.append(("articles", grouped(surroundings.articles) + last))
    return lines.map { name, value in
      name.padding(toLength: 12, withPad: " ", startingAt: 0) + printable(value) + "\n"
    }.joined()
  }

  private var next: String {
    if feed.isGone410 { return "never: \(PollReason(.gone)); newsimport region add polls it again" }
    if feed.isFromFiles { return "never: \(Self.fromFiles)" }
    if regions.isEmpty { return "never: \(Self.regionless)" }
    guard let date = nextDate else { return "now: \(reasonForNow)" }
    let reason = nextReason ?? "no reason is known"
    return date <= now ? "now, since \(localMinute(date)): \(reason)" : "\(when(date)): \(reason)"
  }

  private static let fromFiles = "its articles come from files (newsimport import)"
  private static let regionless = "it is in no region"

  private var reasonForNow: String {
    if PollPolicy.isFromWrongClock(feed, at: now) {
      return "the clock was ahead when it was last fetched"
    }
    return log.isEmpty
      ? "it was never polled" : "it has another address, or was added again, since it was polled"
  }

  /// The next poll by `fetch --due`; nil if the feed was never polled, which means at once, or if it is never
  /// polled.
  private var nextDate: Date? { PollPolicy.nextPoll(of: feed, server: server, at: now) }

  /// The reason for that date: the schedule's, or a pause that ends later.
  private var nextReason: String? {
    guard let date = nextDate, date > feed.nextFetch ?? .distantPast else {
      return feed.nextReason?.description
    }
    if case .waiting(let wait) = server, date == wait.until { return wait.limit }
    if date == hostClosed { return PollPolicy.Refusal.closedHost }
    return "the server requested a pause until then (\(PollReason.pauseSource(feed.nextReason)))"
  }

  /// The pause during which the feed is not polled, not even by hand; nil for none.
  private var pause: String? {
    guard case .notBefore(let date)? = PollPolicy.refusal(to: feed, at: now) ?? server else {
      return nil
    }
    return "not polled before \(when(date)), even by hand (\(PollReason.pauseSource(feed.nextReason)))"
  }

  private func when(_ date: Date) -> String {
    "\(localMinute(date)) (in \(DurationText.precise(date.timeIntervalSince(now))))"
  }

  /// The latest answers' status codes, newest first.
  private var last: String {
    guard let newest = log.first else { return "never polled" }
    let statuses = log.prefix(10).map { $0.status.map(String.init) ?? "-" }.joined(separator: " ")
    return "\(statuses)   \(log.count > 1 ? "newest first, " : "")at \(localMinute(newest.date))"
  }

  private var publishingInterval: String? {
    guard let gap = feed.publishingInterval, let newest = feed.newestArticle else { return nil }
    return
      "an article about every \(DurationText.precise(TimeInterval(gap))), the newest of \(localMinute(newest))\(Self.shortestWindow(of: feed))"
  }

  /// Returns how long a feed's document shows an article, as the end of a sentence; empty if unknown or long.
  static func shortestWindow(of feed: Feed) -> String {
    guard let window = feed.newsWindow, window < 86400 else { return "" }
    return
      "; its document shows an article for about \(DurationText.precise(TimeInterval(window))) at its fastest"
  }

  /// The answers after which articles may be missing.
  private var missed: String? {
    guard feed.missedAnswers > 0, let last = feed.lastMissed else { return nil }
    return
      "\(grouped(feed.missedAnswers)) of \(counted(feed.fetches, "answer")) had only new articles, the last at \(localMinute(last)): others may have been missed before them"
  }

  /// The polling hints in the feed's document.
  private var wishes: [String] {
    var wishes: [String] = []
    if let time = feed.timeToLive { wishes.append("ttl \(DurationText.precise(TimeInterval(time)))") }
    if let time = feed.updateInterval {
      wishes.append("updates every \(DurationText.precise(TimeInterval(time)))")
    }
    let hours = skippedHours.map(String.init)
    if !hours.isEmpty { wishes.append("skipHours \(hours.joined(separator: " "))") }
    if !skippedDays.isEmpty { wishes.append("skipDays \(skippedDays.joined(separator: " "))") }
    return wishes
  }

  private var skippedHours: [Int] { (0..<24).filter { (feed.skipHours ?? 0) & 1 << $0 != 0 } }

  private var skippedDays: [String] {
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    return days.indices.filter { (feed.skipDays ?? 0) & 1 << $0 != 0 }.map { days[$0] }
  }

  private var moved: String? {
    guard let target = feed.movedTo else { return nil }
    let since = feed.movedSince.map { " since \(localMinute($0))" } ?? ""
    guard feed.goodFetchesOfTarget != nil else {
      return
        "to \(target.withoutPassword)\(since), another host, to which its credentials or headers are not sent"
    }
    let next =
      hasTable
      ? "its table in the configuration keeps the old one: change it there, then newsimport doctor --fix"
      : "newsimport doctor --fix makes it the feed's address"
    return "to \(target.withoutPassword)\(since), "
      + "\(counted(feed.goodFetchesOfTarget ?? 0, "good answer")); \(next)"
  }

  private var validators: String {
    var parts = [("etag", feed.etag), ("last-modified", feed.lastModified)].compactMap { name, bytes in
      bytes.map { "\(name) \(String(decoding: $0, as: UTF8.self))" }
    }
    // The validators are sent only to the address that issued them, and that address may never answer again.
    if let place = feed.validatorsURL,
      place.identity != feed.currentURL.removingPassword.identity,
      !parts.isEmpty
    {
      parts.append("sent to \(place.withoutPassword) alone")
    }
    guard parts.isEmpty else { return parts.joined(separator: "   ") }
    return log.isEmpty ? "none yet" : "none: each fetch gets the whole document"
  }

  // MARK: For machines

  /// The next poll; nil for never.
  private var nextPoll: Date? {
    if regions.isEmpty { return nil }
    return nextDate == nil && !feed.isGone410 && !feed.isFromFiles ? now : nextDate
  }

  /// The explanation as a JSON object.
  var json: JSONLine {
    let isNew = nextDate == nil && !feed.isGone410 && !feed.isFromFiles
    let reason = feed.isFromFiles ? Self.fromFiles : isNew ? reasonForNow : nextReason
    return [
      "feed": feed.url.withoutPassword, "regions": regions,
      "next_fetch": nextPoll,
      "next_reason": regions.isEmpty && !feed.isFromFiles ? Self.regionless : reason,
      "not_asked": configurationError, "not_before": feed.notBefore, "host_closed": hostClosed,
      "claimed_until": claim, "gone": feed.isGone410, "failures": feed.failures,
      "last_fetch": feed.lastFetch, "error": feed.lastFailure?.description,
      // Newest first; null for a poll without an answer.
      "statuses": log.map(\.status), "rhythm": feed.publishingInterval,
      "newest_article": feed.newestArticle, "time_to_live": feed.timeToLive,
      "update_interval": feed.updateInterval, "update_base": feed.updateBase, "skip_hours": skippedHours,
      "skip_days": skippedDays, "moved_from": surroundings.formerAddresses.map(\.withoutPassword),
      "moved_to": feed.movedTo?.withoutPassword, "moved_since": feed.movedSince,
      "moved_good_fetches": feed.goodFetchesOfTarget,
      "etag": feed.etag.map { String(decoding: $0, as: UTF8.self) },
      "last_modified": feed.lastModified.map { String(decoding: $0, as: UTF8.self) },
      "title": feed.shownTitle, "host_requests": limit?.requests,
      "host_seconds": limit.flatMap { $0.seconds > 0 ? Int($0.seconds) : nil },
      "host_waits_until": limit.flatMap { $0.until > now ? $0.until : nil },
      "news_window": feed.newsWindow, "missed_answers": feed.missedAnswers, "last_missed": feed.lastMissed,
      "home_page_url": feed.homePage, "articles": surroundings.articles,
      "newest_import": surroundings.newestImport,
      "language": feed.language,
    ]
  }
}
