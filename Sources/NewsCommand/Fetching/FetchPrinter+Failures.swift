import FeedImport
import Foundation
import ManagedContext
import NewsModel
import TextOutput
import WebAddress

/// Output about feeds that were not read or not saved, and about feeds that work again.
extension FetchPrinter {
  /// Prints a line for each failed feed: "URL: cause; next step".
  func printFailures() throws {
    if report.isMail {
      try report.forEach(report.mailed.prefix(Self.mostMailed), printFailure)
    } else {
      try report.forEach(report.feeds(.failed), printFailure)
    }
    try printConfigurationErrors()
    if report.isMail {
      let before = report.recoveredBefore.prefix(Self.mostMailed)
      for feed in before { Output.error.warn("\(feed.url): works again") }
      try report.forEach(report.recovered.prefix(Self.mostMailed - before.count)) { feed in
        // If the feed recovered in a run without a report, the failure count is unknown.
        let after = results.earlierFailures[feed.id].map { " after \(counted($0, "failure"))" } ?? ""
        Output.error.warn("\(feed.url): works again\(after)")
      }
      printRest(report.mailed.count, "also failed")
      printRest(report.recoveredBefore.count + report.recovered.count, "work again")
    } else {
      try printSilentHosts()
      printRemoved()
    }
    for feed in results.unsaved {
      Output.error.warn(
        "\(feed.address): not saved: \(printable("\(feed.error)")); the next fetch tries again")
    }
  }

  private func printFailure(of feed: FetchReport.PolledFeed) {
    guard let result = feed.result else { return }
    let cause = printable(result.failure?.description ?? "failed")
    Output.error.warn(
      "\(feed.url): \(cause)\(row(max(1, feed.now?.failures ?? 1))); \(next(feed.now))\(advice(result, on: feed))"
    )
  }

  /// The largest number of feeds listed in a mail: a network outage breaks all feeds at once.
  private static let mostMailed = 20

  private func printRest(_ count: Int, _ what: String) {
    guard count > Self.mostMailed else { return }
    Output.error.warn("\(grouped(count - Self.mostMailed)) other feeds \(what); newsimport doctor lists all")
  }

  private func printRemoved() {
    for feed in results.feeds.all {
      guard let url = results.removed[feed] else { continue }
      Output.error.warn("\(url): was removed meanwhile, nothing of it was saved")
    }
  }

  /// Prints a line for each problem in the configuration; one problem may affect a whole region.
  private func printConfigurationErrors() throws {
    guard !results.unusable.isEmpty else { return }
    var reported: Set<String> = []
    let first = results.feeds.all.lazy.filter {
      results.unusable[$0].map { reported.insert($0).inserted } ?? false
    }
    try report.forEach(Array(first)) { feed in
      guard let cause = results.unusable[feed.id] else { return }
      let count = results.unusable.values.count { $0 == cause }
      let who = count == 1 ? feed.url.description : counted(count, "feed")
      Output.error.warn("\(who): not polled: \(printable(cause))")
    }
  }

  /// A host that did not answer, and the number of its feeds that were not polled.
  private struct SilentHost {
    let site: String
    let next: Date
    let unanswered: Int
    let proxy: String?
    var feeds = 1
  }

  /// Prints a line for each host that did not answer.
  private func printSilentHosts() throws {
    var (hosts, places): ([SilentHost], [String: Int]) = ([], [:])
    let silent = results.feeds.all.lazy.filter { results.refusals[$0].map(Self.isSilence) == true }
    try report.forEach(silent) { feed in
      guard case .refused(.hostSilent(let date, let unanswered, let proxy))? = feed.ending else { return }
      let site = (feed.now?.currentURL ?? feed.url).site
      if let place = places[site] {
        hosts[place].feeds += 1
      } else {
        places[site] = hosts.count
        hosts.append(SilentHost(site: site, next: date, unanswered: unanswered, proxy: proxy))
      }
    }
    for host in hosts {
      Output.error.warn(
        "\(printable(silence(host.proxy, host.unanswered, of: host.site))); its other \(counted(host.feeds, "feed")) "
          + "\(host.feeds == 1 ? "was" : "were") not polled; next try in "
          + DurationText.rough(host.next.timeIntervalSinceNow))
    }
  }

  private func silence(_ proxy: String?, _ unanswered: Int, of origin: String) -> String {
    guard let proxy else { return "\(origin): did not answer \(unanswered) feeds" }
    return "proxy \(proxy): did not answer \(unanswered) feeds of \(origin)"
  }

  private static func isSilence(_ refusal: PollPolicy.Refusal) -> Bool {
    if case .hostSilent = refusal { true } else { false }
  }

  private func row(_ failures: Int) -> String {
    guard failures > 1 else { return "" }
    let ending =
      switch (failures % 10, failures % 100) {
      case (_, 11...13): "th"
      case (1, _): "st"
      case (2, _): "nd"
      case (3, _): "rd"
      default: "th"
      }
    return ", \(failures)\(ending) failure in a row"
  }

  func next(_ feed: Feed?) -> String {
    guard let feed else { return "the next fetch tries again" }
    if feed.isGone410 {
      return
        "the publisher ended the feed; it is not polled again unless you add it again (newsimport region add)"
    }
    // A pause that ends before the feed is due has no effect, and is not reported.
    if let date = feed.notBefore, feed.nextReason?.isPause == true {
      return "not polled again before \(localMinute(date)) (\(PollReason.pauseSource(feed.nextReason)))"
    }
    guard let date = feed.nextFetch else { return "the next fetch tries again" }
    return "next try in \(DurationText.rough(date.timeIntervalSinceNow))"
  }

  /// Returns advice about a failure; empty if the user can only wait.
  private func advice(_ result: FetchRecord, on feed: FetchReport.PolledFeed) -> String {
    if result.isWebPage {
      let region = results.feeds.regionNames(of: feed.id).first ?? "REGION"
      let address = shellWord(feed.url.withoutPassword)
      return "; newsimport region add \(shellWord(region)) --check \(address) searches for the page's feed"
    }
    if result.failure?.code == .bodyTooLarge {
      return "; --max-body, or max_body in the configuration, allows more"
    }
    return result.failure?.refusalAdvice.map { "; \($0)" } ?? ""
  }
}
