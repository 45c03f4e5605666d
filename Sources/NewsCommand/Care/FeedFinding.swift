import FeedImport
import Foundation
import NewsModel
import WebAddress
import TextOutput

/// A problem of a feed that `doctor` reports.
@MainActor
struct FeedFinding {
  /// The kinds of problems.
  enum Kind: String, CaseIterable {
    case moved, gone, unassigned, secret, failing, silent, duplicate
  }

  let feed: Feed
  let kind: Kind
  /// True if the feed has moved to an address to which its header fields and credentials must not be sent, so
  /// that only the user can accept the move.
  let isBound: Bool
  /// True if the configuration has a table for the feed's address. The table is lost if the address changes.
  let hasTable: Bool
  private let text: String
  /// ``text`` for programs, with times in UTC; nil if both are the same.
  private var machineText: String?

  /// The number of consecutive failures after which a feed is reported.
  static let manyFailures = 5
  /// The multiple of the publishing interval after which a feed counts as silent.
  nonisolated static let longSilence = 8.0
  /// The shortest silence that is reported, in seconds.
  nonisolated static let leastSilence = 7 * 86400.0

  /// Returns the most important finding; for a moved feed, also a missing secret.
  static func all(
    of feed: Feed, isUnassigned: Bool, isBound: Bool, hasTable: Bool, configurationError: String?,
    brokenSince: Date?,
    at now: Date
  ) -> [FeedFinding] {
    guard
      let first = FeedFinding(
        of: feed, isUnassigned: isUnassigned, isBound: isBound, hasTable: hasTable,
        configurationError: configurationError,
        brokenSince: brokenSince, at: now)
    else { return [] }
    guard first.kind == .moved, let configurationError else { return [first] }
    return [
      first,
      FeedFinding(feed: feed, kind: .secret, isBound: false, hasTable: hasTable, text: configurationError),
    ]
  }

  private init(feed: Feed, kind: Kind, isBound: Bool, hasTable: Bool, text: String) {
    (self.feed, self.kind, self.isBound, self.hasTable, self.text) = (feed, kind, isBound, hasTable, text)
  }

  /// Determines the most important finding; nil if the feed is well.
  ///
  /// - Parameters:
  ///   - isUnassigned: True if the feed is in no region. A move is reported first, because it is repaired
  ///     first.
  ///   - configurationError: The configuration problem that prevents a poll of the feed; nil for none.
  ///   - brokenSince: The time of the first of the consecutive failures; nil if it is unknown.
  private init?(
    of feed: Feed, isUnassigned: Bool, isBound: Bool, hasTable: Bool, configurationError: String?,
    brokenSince: Date?,
    at now: Date
  ) {
    self.feed = feed
    self.hasTable = hasTable
    self.isBound = isBound && !feed.isGone410
    if isUnassigned, feed.isGone410 || feed.movedTo == nil {
      let address = shellWord(feed.url.withoutPassword)
      let commands =
        "newsimport feed move \(address) REGION brings it back, newsimport feed remove \(address)"
      (kind, text) = (.unassigned, "in no region, so it is not fetched; \(commands) deletes it")
    } else if feed.isGone410 {
      (kind, text) = (.gone, "its publisher ended it (HTTP 410)")
    } else if let target = feed.movedTo {
      let why =
        if isBound {
          ", another host, to which its credentials or headers are not sent"
        } else {
          hasTable ? "; write it in the feed's table of the configuration, which keeps the old one" : ""
        }
      (kind, text) = (.moved, "-> \(target.withoutPassword)\(why)")
    } else if let configurationError {
      (kind, text) = (.secret, configurationError)
    } else if feed.failures >= Self.manyFailures {
      let since = brokenSince.map { ", broken for \(DurationText.rough(now.timeIntervalSince($0)))" } ?? ""
      (kind, text) = (.failing, "\(feed.failures) failures in a row\(since): \(feed.lastError ?? "")")
    } else if let gap = feed.rhythm, let newest = feed.newestArticle,
      now.timeIntervalSince(newest) > max(Double(gap) * Self.longSilence, Self.leastSilence)
    {
      let times = Int(now.timeIntervalSince(newest) / Double(max(1, gap)))
      let silence = { (since: String) in "since \(since), \(grouped(times)) times its rhythm" }
      (kind, text) = (.silent, silence(localMinute(newest)))
      machineText = silence(iso8601(newest))
    } else {
      return nil
    }
  }

  /// Creates the finding of a duplicate feed.
  init(_ duplicate: FeedDuplicates.Pair, hasTable: Bool) {
    feed = duplicate.feed
    kind = .duplicate
    isBound = false
    self.hasTable = hasTable
    let (one, other) = (feed.url.withoutPassword, duplicate.original.url.withoutPassword)
    text =
      "\(duplicate.reason.text) \(other); newsimport feed rename \(shellWord(one)) \(shellWord(other)) makes them one"
  }

  /// True if the feed has moved, and its table in the configuration prevents the change of its address.
  var isKept: Bool { kind == .moved && hasTable && !isBound }

  /// The finding as one line with a JSON object.
  var json: String {
    var line = JSONLine()
    line.add("feed", feed.url.withoutPassword)
    line.add("finding", kind.rawValue)
    if kind == .moved {
      line.add("moved_to", feed.movedTo.map(\.withoutPassword))
      line.addRaw("fixed", "false")
      line.add("only_by_you", isBound)
    } else {
      line.add("cause", machineText ?? text)
    }
    return line.line
  }

  /// The finding as a row of a table: the kind, the feed, and the reason.
  var row: [String] { [kind.rawValue, feed.url.description, printable(text)] }
}
