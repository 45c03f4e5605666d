import FeedImport
import Foundation
import NewsModel
import WebAddress
import TextOutput

/// Something that is not as it should be with a feed.
@MainActor
struct FeedFinding {
  /// What it is.
  enum Kind: String, CaseIterable {
    case moved, gone, unassigned, secret, failing, silent, duplicate
  }

  let feed: Feed
  let kind: Kind
  /// It has moved to where its header fields and credentials must not be sent: nobody but the user can follow.
  let isBound: Bool
  /// The feed has a table in the configuration, which it would lose with its address.
  let hasTable: Bool
  private let words: String
  /// ``words`` for programs, with times in UTC; nil where they are the same.
  private var machineWords: String?

  /// Failures in a row that are worth telling.
  static let manyFailures = 5
  /// How many times its own rhythm a feed may be silent.
  nonisolated static let longSilence = 8.0
  /// In seconds: how long any feed may be silent.
  nonisolated static let leastSilence = 7 * 86400.0

  /// What is not as it should be: the most telling finding, and for a feed that has moved also what it needs to be asked.
  static func all(
    of feed: Feed, isUnassigned: Bool, isBound: Bool, hasTable: Bool, mistake: String?, brokenSince: Date?,
    at now: Date
  ) -> [FeedFinding] {
    guard
      let first = FeedFinding(
        of: feed, isUnassigned: isUnassigned, isBound: isBound, hasTable: hasTable, mistake: mistake,
        brokenSince: brokenSince, at: now)
    else { return [] }
    guard first.kind == .moved, let mistake else { return [first] }
    return [
      first, FeedFinding(feed: feed, kind: .secret, isBound: false, hasTable: hasTable, words: mistake),
    ]
  }

  private init(feed: Feed, kind: Kind, isBound: Bool, hasTable: Bool, words: String) {
    (self.feed, self.kind, self.isBound, self.hasTable, self.words) = (feed, kind, isBound, hasTable, words)
  }

  /// The most telling finding; nil when the feed is well.
  ///
  /// - Parameters:
  ///   - isUnassigned: Whether it is in no region. One that has moved is told to have moved: that is mended first.
  ///   - mistake: What the configuration lacks, so that the feed is not asked; nil for nothing.
  ///   - brokenSince: When it was asked for the first time without success, of as many times as are known; nil where that
  ///     is not known.
  private init?(
    of feed: Feed, isUnassigned: Bool, isBound: Bool, hasTable: Bool, mistake: String?, brokenSince: Date?,
    at now: Date
  ) {
    self.feed = feed
    self.hasTable = hasTable
    self.isBound = isBound && !feed.isGone410
    if isUnassigned, feed.isGone410 || feed.movedTo == nil {
      let address = shellWord(feed.url.withoutPassword)
      let commands =
        "newsimport feed move \(address) REGION brings it back, newsimport feed remove \(address)"
      (kind, words) = (.unassigned, "in no region, so it is not fetched; \(commands) deletes it")
    } else if feed.isGone410 {
      (kind, words) = (.gone, "its publisher ended it (HTTP 410)")
    } else if let target = feed.movedTo {
      let why =
        if isBound {
          ", another host, to which its credentials or headers are not sent"
        } else {
          hasTable ? "; write it in the feed's table of the configuration, which keeps the old one" : ""
        }
      (kind, words) = (.moved, "-> \(target.withoutPassword)\(why)")
    } else if let mistake {
      (kind, words) = (.secret, mistake)
    } else if feed.failures >= Self.manyFailures {
      let since = brokenSince.map { ", broken for \(DurationText.rough(now.timeIntervalSince($0)))" } ?? ""
      (kind, words) = (.failing, "\(feed.failures) failures in a row\(since): \(feed.lastError ?? "")")
    } else if let gap = feed.rhythm, let newest = feed.newestArticle,
      now.timeIntervalSince(newest) > max(Double(gap) * Self.longSilence, Self.leastSilence)
    {
      let times = Int(now.timeIntervalSince(newest) / Double(max(1, gap)))
      let silence = { (since: String) in "since \(since), \(grouped(times)) times its rhythm" }
      (kind, words) = (.silent, silence(localMinute(newest)))
      machineWords = silence(iso8601(newest))
    } else {
      return nil
    }
  }

  /// A feed that is the same as another one.
  init(_ duplicate: FeedDuplicates.Pair, hasTable: Bool) {
    feed = duplicate.feed
    kind = .duplicate
    isBound = false
    self.hasTable = hasTable
    let (one, other) = (feed.url.withoutPassword, duplicate.original.url.withoutPassword)
    words =
      "\(duplicate.reason.words) \(other); newsimport feed rename \(shellWord(one)) \(shellWord(other)) makes them one"
  }

  /// Whether it has moved, and its table in the configuration keeps it from getting its new address.
  var isKept: Bool { kind == .moved && hasTable && !isBound }

  /// The finding as one JSON object on one line.
  var json: String {
    var line = JSONLine()
    line.add("feed", feed.url.withoutPassword)
    line.add("finding", kind.rawValue)
    if kind == .moved {
      line.add("moved_to", feed.movedTo.map(\.withoutPassword))
      line.addRaw("fixed", "false")
      line.add("only_by_you", isBound)
    } else {
      line.add("cause", machineWords ?? words)
    }
    return line.line
  }

  /// The finding as a row of a table: what it is, of which feed, and why.
  var row: [String] { [kind.rawValue, feed.url.description, printable(words)] }
}
