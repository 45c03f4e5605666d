import ArticleDocuments
import FeedImport
import Foundation
import ManagedContext
import NewsModel
import WebAddress
import TextOutput

/// A feed problem that `doctor` reports.
@MainActor
struct FeedFinding {
  enum Kind: String, CaseIterable {
    case moved, gone, unassigned, secret, failing, refused, silent, duplicate, volatile, missed
  }

  /// The feed's ID.
  let id: ManagedObjectID
  let url: WebAddress
  private let title: String?
  private let movedTo: WebAddress?
  let kind: Kind
  /// True if only the user can accept the feed's move, because the new address must not get its header fields
  /// and credentials.
  let isBound: Bool
  /// True if the configuration has a table for the feed's address; a changed address would lose it.
  let hasTable: Bool
  private let text: String
  /// ``text`` for programs, with times in UTC; nil if both are the same.
  private var machineText: String?
  /// The address of the feed that has the same articles; nil for other findings.
  private var other: String?

  /// Returns the most important finding, and for a moved feed also its configuration problem.
  ///
  /// - Parameters:
  ///   - problem: The problem that the store shows; nil for none.
  ///   - configurationError: The configuration problem that prevents polls; nil for none. A move, an end and
  ///     a missing region are more important.
  static func all(
    of feed: Feed, _ problem: FeedProblem?, isBound: Bool, hasTable: Bool, configurationError: String?,
    at now: Date
  ) -> [FeedFinding] {
    let secret = configurationError.map {
      FeedFinding(feed: feed, kind: .secret, isBound: false, hasTable: hasTable, text: $0)
    }
    guard let problem else { return secret.map { [$0] } ?? [] }
    let finding = FeedFinding(feed, problem, isBound: isBound, hasTable: hasTable, at: now)
    switch problem {
    case .unassigned, .gone: return [finding]
    case .moved: return [finding] + (secret.map { [$0] } ?? [])
    case .failing, .refused, .silent, .missed: return [secret ?? finding]
    }
  }

  private init(feed: Feed, kind: Kind, isBound: Bool, hasTable: Bool, text: String) {
    (id, url, title, movedTo) = (feed.id, feed.url, feed.shownTitle, feed.movedTo)
    (self.kind, self.isBound, self.hasTable, self.text) = (kind, isBound, hasTable, text)
  }

  private init(_ feed: Feed, _ problem: FeedProblem, isBound: Bool, hasTable: Bool, at now: Date) {
    (id, url, title, movedTo) = (feed.id, feed.url, feed.shownTitle, feed.movedTo)
    self.hasTable = hasTable
    self.isBound = isBound && !feed.isGone410
    switch problem {
    case .unassigned:
      let address = shellWord(feed.url.withoutPassword)
      let commands =
        "newsimport region add REGION \(address) brings it back, newsimport feed remove \(address)"
      (kind, text) = (.unassigned, "in no region, so it is not fetched; \(commands) deletes it")
    case .gone: (kind, text) = (.gone, "its publisher ended it (HTTP 410)")
    case .moved(let target):
      let why =
        if isBound {
          ", another host, to which its credentials or headers are not sent"
        } else {
          hasTable ? "; write it in the feed's table of the configuration, which keeps the old one" : ""
        }
      (kind, text) = (.moved, "-> \(target.withoutPassword)\(why)")
    case .failing(let since):
      let duration = since.map { ", broken for \(DurationText.rough(now.timeIntervalSince($0)))" } ?? ""
      (kind, text) = (
        .failing, "\(feed.failures) failures in a row\(duration): \(feed.lastFailure?.description ?? "")"
      )
    case .refused(let since):
      let age = DurationText.rough(now.timeIntervalSince(since))
      (kind, text) = (
        .refused,
        "its host has refused each request for \(age): \(feed.lastFailure?.description ?? "")"
      )
    case .silent(let since, let times):
      let silence = { (since: String) in "since \(since), \(grouped(times)) times its publishing interval" }
      (kind, text) = (.silent, silence(localMinute(since)))
      machineText = silence(iso8601(since))
    case .missed(let answers, let last):
      let missed = { (last: String) in
        "may have missed articles: \(grouped(answers)) of \(counted(feed.fetches, "answer")) had only new ones, the last at \(last)"
      }
      (kind, text) = (.missed, missed(localMinute(last)) + FeedExplanation.shortestWindow(of: feed))
      machineText = missed(iso8601(last)) + FeedExplanation.shortestWindow(of: feed)
    }
  }

  init(_ duplicate: FeedDuplicates.Pair, hasTable: Bool) {
    let (one, other) = (duplicate.feed.url.withoutPassword, duplicate.original.url.withoutPassword)
    let same = duplicate.reason == .address ? "nearly the same address as" : "the same document as"
    self.init(
      feed: duplicate.feed, kind: .duplicate, isBound: false, hasTable: hasTable,
      text: "\(same) \(other); newsimport feed rename \(shellWord(one)) \(shellWord(other)) makes them one")
    self.other = other
  }

  /// Creates the finding for a feed whose server changes article fields with each fetch.
  ///
  /// - Parameter names: The fields that the configuration does not name yet.
  init(_ volatile: VolatileFields, _ names: [String], of feed: Feed, hasTable: Bool) {
    let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
    let articles = volatile.articles == 1 ? "an article" : "\(grouped(volatile.articles)) articles"
    self.init(
      feed: feed, kind: .volatile, isBound: false, hasTable: hasTable,
      text:
        "\(names.joined(separator: ", ")) of \(articles) changed in \(Article.volatileAfter) answers in a row; "
        + "volatile = [\(list)] in its [[feed]] table of the configuration makes such changes no edits")
  }

  /// True if the feed has moved, but its table in the configuration keeps its address.
  var isKept: Bool { kind == .moved && hasTable && !isBound }

  /// - Parameter regions: The feed's region names.
  func json(in regions: [String]) -> JSONLine {
    let finding: JSONLine = ["feed": url.withoutPassword, "finding": kind.rawValue]
    let details: JSONLine =
      kind == .moved
      ? ["moved_to": movedTo?.withoutPassword, "fixed": false, "only_by_you": isBound]
      : ["cause": machineText ?? text]
    let line = finding + details + ["feed_title": title, "regions": regions]
    return other == nil ? line : line + ["other": other]
  }

  /// The finding as a table row: the kind, the feed, and the reason.
  var row: [String] { [kind.rawValue, url.description, printable(text)] }
}
