import ArticleDocuments
import FeedImport
import Foundation
import ManagedContext
import NewsModel
import WebAddress
import TextOutput

/// Prints the results of a fetch: regions and feeds on standard output, failures on standard error.
@MainActor
struct FetchPrinter {
  let report: FetchReport
  let command: FetchCommand

  var results: ImportReport { report.results }

  /// Prints all output that the options request.
  ///
  /// - Throws: ``StoreError`` if the store cannot be read.
  func printResults() throws {
    if command.json {
      let shown = results.feeds.all.lazy.filter {
        !command.quiet || results.ending(of: $0)?.hasFailed == true
      }
      try report.forEach(shown) { writeJSON(json($0)) }
      if !command.quiet { printOthers() }
    } else if !command.quiet {
      if command.verbose { try printFeeds() }
      try printRegions()
      // Overlapping cron runs are normal and not reported; a fetch by hand reports them.
      if !command.due {
        printClaimed()
        if !(Output.standard.isTerminal || command.verbose) { try printClosed() }
      }
      try printWaiting()
    }
    printWrongClock()
    try printOutage()
    try printFailures()
    if !command.quiet { try printDowngrades() }
  }

  /// Prints how many feeds in each region were not read because they are not due.
  private func printOthers() {
    for region in results.feeds.regions where region.notDue > 0 {
      writeJSON(["event": "not_due", "region": region.name, "feeds": region.notDue])
    }
  }

  /// Prints the retention's deletions.
  func printRetention(_ report: PruneReport) {
    guard report.articles > 0, !command.quiet else { return }
    if command.json {
      writeJSON(report.event)
    } else if command.verbose {
      Output.standard.print(report.note)
    }
  }

  /// Prints when the next feed is polled, if this fetch polled none.
  ///
  /// - Throws: ``StoreError`` if the store cannot be read.
  func printNextPoll(at now: Date) throws {
    guard !command.quiet, results.totals.failed == 0 else { return }
    let notFailed = results.refusals.values.count { $0 == .notFailed }
    if command.failed, notFailed > 0, notFailed == results.feeds.count {
      Output.error.print("nothing to fetch: the last answer of no feed was a failure\n")
      return
    }
    let claimed = results.refusals.values.count { $0 == .claimed }
    var next = results.feeds.nextDue
    let refused = results.feeds.all.lazy.filter { results.refusals[$0].map { $0 != .claimed } ?? false }
    try report.forEach(refused) { feed in
      guard case .refused(let refusal)? = feed.ending, let outline = feed.now,
        let date = PollPolicy.nextPoll(of: outline, after: refusal, isByHand: !command.due, at: now)
      else { return }
      next = min(next ?? date, date)
    }
    let line = NextPoll.line(
      next, claimed: claimed, isByHand: !command.due, hasReasons: command.verbose || command.json, at: now)
    line.map(Output.error.print)
  }

  // MARK: For people

  /// Prints a line for each region. Without a terminal or --verbose, only regions with new or edited articles
  /// appear.
  private func printRegions() throws {
    let isComplete = Output.standard.isTerminal || command.verbose
    let rows = results.feeds.regions.enumerated().compactMap { place, region -> [String]? in
      let totals = results.totals(ofRegion: place)
      guard isComplete || totals.inserted + totals.edited > 0 else { return nil }
      return [
        printable(region.name), counted(totals.feeds, "feed"), part(totals.updated, "updated"),
        part(totals.unchanged, "not modified"), part(totals.inserted, "new"), part(totals.edited, "edited"),
        part(totals.failed, "failed"), part(waiting(region), "waiting"), notPolled(region),
      ]
    }
    Output.standard.print(aligned(fitted(rows, to: Output.standard.columns, least: 20)))
    guard isComplete else { return }
    try report.forEach(results.feeds.all.lazy.filter { results.polled[$0] != nil }) { feed in
      guard let target = feed.now?.currentURL, results.hasMoved(feed.id, from: feed.url, to: target) else {
        return
      }
      printMove("moved  ", from: feed.url, to: target)
    }
    for move in results.moves { printMove("moved for good", from: move.from, to: move.to) }
  }

  private func printClaimed() {
    let count = results.refusals.values.count { $0 == .claimed }
    guard count > 0 else { return }
    let verb = count == 1 ? "is" : "are"
    Output.error.warn("\(counted(count, "feed")) \(verb) being fetched by another run, and skipped here")
  }

  /// Prints the hosts that rejected requests, with the number of feeds that wait for each. On a terminal, the
  /// region lines count these feeds instead.
  private func printClosed() throws {
    var waiting: [String: (feeds: Int, until: Date)] = [:]
    let refused = results.feeds.all.lazy.filter {
      if case .hostClosed? = results.refusals[$0] { true } else { false }
    }
    try report.forEach(refused) { feed in
      guard case .refused(.hostClosed(let date))? = feed.ending else { return }
      let site = (feed.now?.currentURL ?? feed.url).site
      waiting[site] = ((waiting[site]?.feeds ?? 0) + 1, max(waiting[site]?.until ?? date, date))
    }
    for (site, (feeds, until)) in waiting.sorted(by: { $0.key < $1.key }) {
      Output.error.warn(
        "\(printable(site)): \(counted(feeds, "feed")) not polled before \(localMinute(until)), because the host rejected "
          + "requests for others")
    }
  }

  private func printMove(_ what: String, from: WebAddress, to: WebAddress) {
    Output.standard.print("  \(what)  \(from) -> \(to)\n")
  }

  private func part(_ number: Int, _ what: String) -> String {
    number == 0 ? "" : "\(grouped(number)) \(what)"
  }

  private func printFeeds() throws {
    try report.forEach(results.feeds.all) { feed in
      let (label, text): (String, String)
      switch feed.ending {
      case .polled(.refused, _): (label, text) = ("waiting", refusal(of: feed))
      case .polled(let outcome, _): (label, text) = (outcome.rawValue, feed.result.map(news) ?? "")
      case .refused(let refusal): (label, text) = ("not polled", refusal.text(feed.now?.nextReason))
      case .unusable(let cause): (label, text) = ("failed", "not polled: \(printable(cause))")
      case .unreachable(let failure):
        (label, text) = ("failed", "not counted: \(printable(failure.description))")
      case .removed, nil: return
      }
      let column = label.padding(toLength: 12, withPad: " ", startingAt: 0)
      Output.standard.print("  \(column)  \(feed.url)  \(text)".trimmedEnd + "\n")
    }
  }

  /// Describes a poll's results.
  private func news(of result: FetchRecord) -> String {
    [
      part(result.inserted, "new"), part(result.edited, "edited"),
      part(result.markupChanges, "with new markup"), part(result.dateChanges, "with new dates"),
      part(result.archivedEdits, "changed after archiving, not taken"), part(result.skipped, "skipped"),
      part(result.joined, "joined with another of the same guid, link, title and date"),
      // The server sent the whole feed again instead of a 304.
      result.outcome == .unchanged && (result.status == 200 || result.status == 203)
        && result.markupChanges + result.dateChanges + result.archivedEdits == 0
        ? "nothing new in it" : "",
      warning(result) ?? "",
    ].filter { !$0.isEmpty }.joined(separator: "  ")
  }

  /// Reports a clock that was ahead in an earlier run. It is reported once, because the feeds are fetched
  /// now.
  private func printWrongClock() {
    guard let (count, latest) = results.wrongClock else { return }
    Output.error.warn(
      "the clock was ahead when \(counted(count, "feed")) \(count == 1 ? "was" : "were") last fetched "
        + "(\(localMinute(latest))); fetched again now")
  }

  /// Reports a network outage once when it begins and once when it ends; a fetch by hand reports it each
  /// time.
  private func printOutage() throws {
    switch results.outage {
    case .continues(let isNew) where isNew || !command.due:
      var example = ""
      let failed = results.feeds.all.lazy.filter { results.unreachable[$0] != nil }
      try report.forEach(failed.prefix(1)) { feed in
        guard case .unreachable(let failure)? = feed.ending else { return }
        example = "\((feed.now?.currentURL ?? feed.url).site): \(failure)"
      }
      Output.error.warn(
        OutageNotice.line(
          results.outageCause ?? .network, unreachable: results.unreachable.count,
          example: printable(example),
          left: results.refusals.values.count { $0 == .offline }))
    case .ended(let began):
      let length = DurationText.precise(Date().timeIntervalSince(began))
      Output.error.warn("servers can be reached again, after \(length)")
    default: break
    }
  }

  /// Warns about https feeds that are redirected to http.
  private func printDowngrades() throws {
    try report.forEach(results.unencrypted) { feed in
      guard let place = feed.result?.openURL else { return }
      Output.error.warn(
        "\(feed.url): warning: redirected to \(place), without encryption; "
          + "its content may have been changed on the way")
    }
  }

  /// Describes how many feeds were not polled, and why: "19 not polled (15 not due, 4 paused)".
  private func notPolled(_ region: RegionFeeds) -> String {
    var counts: [String: Int] = [:]
    if region.notDue > 0 { counts[PollPolicy.Refusal.notDue(.distantFuture).summary] = region.notDue }
    for (feed, refusal) in zip(results.refusals.feeds, results.refusals.values)
    where region.feeds.contains(feed) {
      if case .waiting = refusal { continue }
      counts[refusal.summary, default: 0] += 1
    }
    let total = counts.values.reduce(0, +)
    guard total > 0 else { return "" }
    let parts = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let reasons = parts.map { counts.count > 1 ? "\(grouped($0.value)) \($0.key)" : $0.key }
    return "\(grouped(total)) not polled (\(reasons.joined(separator: ", ")))"
  }

  /// Returns a warning about shortened or omitted document parts; nil without any.
  private func warning(_ result: FetchRecord) -> String? {
    omissionText(texts: result.shortenedTexts, lists: result.shortenedLists, dropped: result.dropped)
  }

  // MARK: For machines

  private func json(_ feed: FetchReport.PolledFeed) -> JSONLine {
    let result = feed.result
    var (outcome, error, reason): (String?, String?, String?) = (nil, nil, nil)
    switch feed.ending {
    case .polled(let polled, _): (outcome, error) = (polled.rawValue, result?.failure?.description)
    case .refused(let refusal):
      (outcome, reason) = ("not asked", refusal.text(feed.now?.nextReason, iso8601))
    case .unusable(let cause): (outcome, error) = ("failed", cause)
    case .unreachable(let failure): (outcome, error) = ("failed", failure.description)
    case .removed: (outcome, reason) = ("removed", "it was removed meanwhile, nothing of it was saved")
    case nil: break
    }
    let polled = result.flatMap { _ in feed.now }
    return [
      "feed": feed.url.withoutPassword, "regions": results.feeds.regionNames(of: feed.id), "outcome": outcome,
      "status": result?.status, "new": result?.inserted, "edited": result?.edited, "bytes": result?.bytes,
      "first_byte_ms": result?.firstByte, "total_ms": result?.total,
      "error": error, "warning": result.flatMap(warning), "next_fetch": polled?.nextFetch,
      "next_reason": polled?.nextReason?.description, "not_before": feed.now?.notBefore,
      // Fields are only ever added at the end.
      "skipped": result?.skipped, "reason": reason, "joined": result?.joined,
      "transferred": result?.transferred, "markup_changes": result?.markupChanges,
      "date_changes": result?.dateChanges,
      "title": feed.now?.shownTitle, "archived_edits": result?.archivedEdits,
    ]
  }
}
