import FeedImport
import Foundation
import ManagedContext
import NewsModel
import TextOutput
import WebAddress

/// Output about feeds that wait for hosts with request limits.
extension FetchPrinter {
  /// A host that limits requests.
  private struct WaitingHost {
    var wait: HostWait
    var feeds: Int
  }

  /// Prints a line for each host that limits requests: on standard output for people; else, after a fetch by
  /// hand, on standard error.
  func printWaiting() throws {
    var hosts: [String: WaitingHost] = [:]
    for refusal in results.refusals.values {
      guard case .waiting(let wait) = refusal else { continue }
      var host = hosts[wait.origin] ?? WaitingHost(wait: wait, feeds: 0)
      host.feeds += 1
      // The newest limit applies.
      if wait.until > host.wait.until || host.wait.requests == nil { host.wait = wait }
      hosts[wait.origin] = host
    }
    let isShown = Output.standard.isTerminal || command.verbose
    try report.forEach(report.feeds(.refused)) { feed in
      if let origin = feed.now?.currentURL.origin, hosts[origin] != nil {
        hosts[origin]?.feeds += 1
      } else if !isShown, !command.due {
        Output.error.warn("\(feed.url): \(refusal(of: feed))")
      } else if isShown, !command.verbose {
        Output.standard.print("  waiting  \(feed.url)  \(refusal(of: feed))\n")
      }
    }
    for host in hosts.sorted(by: { $0.key < $1.key }).map(\.value) {
      let feeds = host.feeds == 1 ? "1 feed waits" : "\(grouped(host.feeds)) feeds wait"
      let end =
        host.feeds == 1
        ? "it is polled from \(NextPoll.minute(host.wait.until, at: Date())) on"
        : host.wait.end(for: host.feeds).map {
          "the feed that has waited longest comes first, all are read by \(NextPoll.minute($0, at: Date())) with a fetch every 10 min"
        } ?? "they are polled from \(NextPoll.minute(host.wait.until, at: Date())) on"
      if isShown {
        Output.standard.print(printable("  waiting  \(host.wait.limit): \(feeds); \(end)") + "\n")
      } else if !command.due {
        Output.error.warn(printable("\(host.wait.limit): \(feeds); \(end)"))
      }
    }
  }

  /// Describes a host's refusal, and when the request is sent again.
  func refusal(of feed: FetchReport.PolledFeed) -> String {
    "\(printable(feed.result?.failure?.description ?? "refused")); \(next(feed.now))"
  }

  /// Counts the region's feeds that wait because their hosts allow no request now, or have refused one.
  func waiting(_ region: RegionFeeds) -> Int {
    let waiting = zip(results.refusals.feeds, results.refusals.values).count { feed, refusal in
      if case .waiting = refusal { region.feeds.contains(feed) } else { false }
    }
    return waiting + report.feeds(.refused).count { region.feeds.contains($0) }
  }
}
