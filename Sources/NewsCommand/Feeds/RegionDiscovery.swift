import ArticleDocuments
import FeedImport
import FeedParsing
import Foundation
import NewsConfiguration
import ManagedContext
import NewsModel
import WebAddress
import TextOutput

/// `newsimport region add NAME --check URL...`: searches the addresses for feeds, prints them, and adds
/// them.
@MainActor
struct RegionDiscovery {
  let region: String
  /// True if results are printed as JSON, one object for each address.
  let json: Bool
  /// True if the user requested the check; otherwise, messages also name the way without it.
  let isRequested: Bool
  /// The configuration: the header fields for the region's feeds and the user agent.
  let configuration: LoadedConfiguration
  /// True if addresses in private networks and on this machine are refused.
  let publicOnly: Bool

  /// The largest number of other feeds that are listed for a page.
  private static let mostOthers = 10

  /// Searches addresses for feeds, and adds all feeds to the region in one step.
  ///
  /// - Parameter addresses: Checked addresses.
  /// - Throws: ``CommandFailure`` with status 1 if some addresses led to no feed, or to a feed on a host that
  ///   must not get the region's credentials; 65 or 69 if no address led to a feed.
  func run(_ addresses: [WebAddress], _ options: StoreOptions) async throws {
    let additions = try configuration.additions(forNew: addresses, inRegion: region)
    // An unusable store is reported before any server is asked. A new store is created only for a feed.
    let existing = try NewsStack.ifThere(options)
    let known = try isRequested ? [] : existing.map { try answering(addresses, in: $0) } ?? []
    let asked = addresses.filter { !known.contains($0) }
    let pauses = try existing.map { try $0.pauses(at: $0.now) } ?? ServerPauses()
    let discovery: FeedDiscovery
    do throws(SingleDownload.Failure) {
      discovery = try FeedDiscovery(
        userAgent: configuration.userAgent, publicOnly: publicOnly, pauses: pauses)
    } catch {
      throw CommandFailure(.unavailable, "\(error.cause); nothing was added")
    }
    let status = StatusLine()
    if !asked.isEmpty { status.show("asking \(counted(asked.count, "address", "addresses"))...") }
    let results = await discovery.discover(asked, adding: additions)
    status.clear()

    let urls = known + results.compactMap(\.feed?.address)
    if urls.isEmpty {
      report(results, added: [])
    } else {
      let stack = try existing ?? NewsStack(options)
      let (members, moves, count, again) = try await stack.change {
        (
          try stack.source.region(named: region).map { try stack.source.feeds(of: $0).map(\.url) } ?? [],
          try stack.source.moves(from: urls),
          try stack.source.add(urls, toRegionNamed: region, isAnswering: true),
          try stack.source.askEndedAgain(urls)
        )
      }
      report(results, added: Set(urls).subtracting(members))
      for move in moves {
        Output.error.warn(
          "\(move.from): the feed that had this address has moved to \(move.to); "
            + "the address now has another feed")
      }
      if !json {
        Output.standard.print(addedLine(count.added, known: count.known, again: again, region: region))
      }
    }
    if let status = Self.status(of: results, addedUnasked: known.count) { throw CommandFailure(status) }
  }

  /// Returns the addresses of feeds that the store has and that answered their last poll.
  private func answering(_ addresses: [WebAddress], in stack: NewsStack) throws -> [WebAddress] {
    let feeds = try stack.reading { try stack.source.feeds(at: addresses) }
    return distinct(addresses).filter { feeds[$0]?.lastOutcome?.isSuccess == true }
  }

  /// Returns the exit status; nil if every address led to a feed.
  ///
  /// - Parameter unasked: The number of feeds that were added without a request.
  static func status(of results: [Discovery], addedUnasked unasked: Int) -> ExitStatus? {
    let failures = results.compactMap(\.failure)
    if failures.isEmpty { return nil }
    if failures.count < results.count + unasked || failures.contains(where: { $0.kind == .foreign }) {
      return .someFeedsFailed
    }
    return failures.allSatisfy { $0.kind == .unavailable } ? .unavailable : .badInput
  }

  private func report(_ results: [Discovery], added: Set<WebAddress>) {
    for result in results {
      if json { writeJSON(object(result, added: added)) }
      switch result.outcome {
      case .success(let feed):
        if !json, feed.address != result.address {
          Output.standard.print(
            "found  \(feed.address)  (\(Self.summary(feed)))\n")
        }
        if !json { reportOthers(result.others) }
      case .failure(let failure):
        let advice =
          failure.notBefore.map { "try again after \(localMinute($0)) (Retry-After)" } ?? failure.advice
        Output.error.warn("\(result.address): \(printable(failure.cause)); \(advice)")
      }
    }
    let refused = results.count { $0.failure != nil }
    if !isRequested, refused > 0 {
      Output.error.warn(
        "\(counted(refused, "address was", "addresses were")) not added; --no-check adds addresses as they are"
      )
    }
  }

  private func reportOthers(_ others: [FeedLink]) {
    for other in others.prefix(Self.mostOthers) {
      let title = other.title.map { "  " + printable($0) } ?? ""
      Output.error.print("also: \(WebAddress(other.url))\(title)\n")
    }
    if others.count > Self.mostOthers {
      Output.error.print("also: \(grouped(others.count - Self.mostOthers)) more; --json lists all\n")
    }
  }

  /// Describes a feed: "RSS 2.0, 20 articles, ttl 15 min".
  private static func summary(_ feed: FoundFeed) -> String {
    let ttl = feed.timeToLiveMinutes.map { ", ttl \(grouped($0)) min" } ?? ""
    return "\(name(of: feed.format)), \(counted(feed.items, "article"))\(ttl)"
  }

  private static func name(of format: FeedDetails.Format) -> String {
    switch format {
    case .rss20: "RSS 2.0"
    case .rss10: "RSS 1.0"
    case .rss09: "RSS 0.9x"
    case .atom10: "Atom 1.0"
    case .atom03: "Atom 0.3"
    case .json1: "JSON Feed"
    }
  }

  private func object(_ result: Discovery, added: Set<WebAddress>) -> JSONLine {
    let feed = result.feed
    return [
      "url": result.address.withoutPassword, "feed": feed?.address.withoutPassword,
      "added": feed.map { added.contains($0.address) } ?? false, "title": feed?.title,
      "format": feed?.format.rawValue, "articles": feed?.items, "ttl_minutes": feed?.timeToLiveMinutes,
      "others": result.others.map { WebAddress.withoutPassword($0.url) }, "requests": result.requests,
      "error": result.failure?.cause,
    ]
  }
}

extension Discovery {
  /// The feed that was found; nil after a failure.
  fileprivate var feed: FoundFeed? {
    try? outcome.get()
  }

  /// The failure; nil if a feed was found.
  fileprivate var failure: Failure? {
    if case .failure(let failure) = outcome { failure } else { nil }
  }
}
