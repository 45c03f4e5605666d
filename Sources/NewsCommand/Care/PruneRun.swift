import FeedImport
import Foundation
import ManagedContext
import NewsModel
import WebAddress
import TextOutput

/// One `prune`: applies the retention of each feed, reports what would be deleted, asks for confirmation, and
/// deletes.
@MainActor
final class PruneRun {
  private let command: PruneCommand
  private let stack: NewsStack
  private let now = Date()
  /// The feeds with a limited retention.
  private let feeds: [PruneReport.Feed]

  init(_ command: PruneCommand) throws {
    self.command = command
    let rule = try PruneRule(command)
    let use = command.dryRun ? NewsStack.Use.reading : .writing
    if let name = command.region {
      stack = try NewsStack.existing(command.storeOptions, forRegion: name, for: use)
      _ = try stack.region(named: name)
    } else {
      stack = try NewsStack.needed(command.storeOptions, for: use)
    }
    feeds = try Self.feeds(of: command, rule, stack)
  }

  func run() async throws {
    let isSure = command.yes && !command.dryRun
    let canAsk = Question.isPossible && !command.json && !command.dryRun
    var report = PruneReport(feeds, isDone: false)
    if !isSure {
      try forEachFeed { feed, pruning in
        let selection = try pruning.selection(in: stack.main.context)
        report.add(feed, articles: selection.articles.count, starred: selection.starred)
      }
      guard canAsk, report.articles > 0 else {
        print(report)
        if !command.dryRun, report.articles > 0 { throw unconfirmed }
        return
      }
      print(report)
      Output.standard.finish()
      guard try Question.isConfirmed("delete \(counted(report.articles, "article"))", isGiven: false) else {
        Output.error.print("nothing was deleted\n")
        return
      }
    }
    try await delete(reportsAll: isSure)
  }

  /// Deletes in transactions of about the same size, regardless of the number of feeds.
  ///
  /// - Parameter reportsAll: True if the deletions by region have not been reported yet.
  private func delete(reportsAll: Bool) async throws {
    // A background context, so that the main queue can receive signals meanwhile.
    let context = BackgroundContext(parent: stack.root, name: "prune")
    var report = PruneReport(feeds, isDone: true)
    var waiting: [(feed: PruneReport.Feed, articles: [ManagedObjectID])] = []
    var count = 0
    let now = now
    let signals = SignalWatch {}
    let status = StatusLine(isWanted: !command.json)
    func goOn() throws {
      guard let signal = signals.status else { return }
      status.clear()
      if command.json { print(report) }
      throw CommandFailure(
        signal, "stopped: \(counted(report.articles, "article")) deleted, the others are unchanged")
    }
    func deleteWaiting() async throws(StoreError) {
      let batch = waiting
      (waiting, count) = ([], 0)
      let articles = batch.flatMap(\.articles)
      let gone = try await context.perform { (context) throws(StoreError) in
        try Pruning.delete(articles, at: now, in: context)
      }
      // The main context collects all saved changes, including these; it does not need them.
      try stack.main.flush()
      for (feed, articles) in batch { report.add(feed, articles: articles.count(where: gone.contains)) }
      status.show("\(grouped(report.articles)) deleted")
    }
    do {
      for feed in feeds {
        try goOn()
        let selection = try await context.perform { (context) throws(StoreError) in
          try Pruning(feed: feed.id, retention: feed.retention, now: now).selection(in: context)
        }
        report.add(feed, starred: selection.starred)
        var rest = selection.articles[...]
        while !rest.isEmpty {
          let taken = rest.prefix(Pruning.batch - count)
          waiting.append((feed, Array(taken)))
          count += taken.count
          rest = rest.dropFirst(taken.count)
          if count == Pruning.batch {
            try await deleteWaiting()
            if !rest.isEmpty { try goOn() }
          }
        }
      }
      if !waiting.isEmpty {
        try goOn()
        try await deleteWaiting()
      }
    } catch let error as StoreError {
      status.clear()
      let failure = CommandFailure(error, store: stack.path)
      let deleted = report.articles > 0 ? "; \(counted(report.articles, "article")) were deleted before" : ""
      throw CommandFailure(signals.status ?? failure.status, (failure.message ?? "") + deleted)
    }
    status.clear()
    if reportsAll { print(report) } else { Output.standard.print(report.sum) }
  }

  private func forEachFeed(_ body: (PruneReport.Feed, Pruning) throws -> Void) throws {
    try stack.reading {
      for feed in feeds {
        try body(feed, Pruning(feed: feed.id, retention: feed.retention, now: now))
      }
    }
  }

  private func print(_ report: PruneReport) {
    if command.json {
      Output.standard.write(report.json)
    } else {
      Output.standard.print(report.text(byFeed: command.region != nil))
    }
  }

  /// The failure of a prune that needs a confirmation and cannot ask for it.
  private var unconfirmed: CommandFailure {
    var words = ["newsimport", "prune"]
    if let keep = command.keep { words += ["--keep", printable(keep.text)] }
    if let count = command.keepLast { words += ["--keep-last", "\(count)"] }
    if let region = command.region { words += ["--region", shellWord(region)] }
    return CommandFailure(
      .usage,
      "nothing was deleted: no terminal to ask on; to delete: \(words.joined(separator: " ")) --yes")
  }

  /// Returns the requested feeds with a limited retention, in the order in which they were added.
  private static func feeds(
    of command: PruneCommand, _ rule: PruneRule, _ stack: NewsStack
  ) throws -> [PruneReport.Feed] {
    try stack.reading {
      var regions: [ManagedObjectID: [String]] = [:]
      var asked: Set<ManagedObjectID>?
      for region in try stack.source.regions() {
        let members = try stack.source.feedIDs(of: region)
        for feed in members { regions[feed, default: []].append(region.name) }
        if region.name == command.region { asked = Set(members) }
      }
      let request = FetchRequest(Feed.self)
      let ids = try stack.source.context.fetchIDs(request)
      let urls = try stack.source.context.fetchValues(request, \.url)
      return zip(ids, urls).compactMap { id, url in
        guard asked?.contains(id) ?? true else { return nil }
        let names = regions[id] ?? []
        guard let (retention, source) = rule.retention(ofFeed: url, inRegions: names) else { return nil }
        return PruneReport.Feed(id: id, url: url, regions: names, retention: retention, source: source)
      }
    }
  }
}

/// The source of the retention: the command line, or else the configuration.
private enum PruneRule {
  case given(Retention, source: String)
  case configured(Configuration)

  /// - Throws: ``CommandFailure`` with status 64 if no source states a retention.
  init(_ command: PruneCommand) throws {
    if let keep = command.keep {
      self = .given(Retention(age: keep.length), source: "--keep")
    } else if let count = command.keepLast {
      self = .given(Retention(count: count), source: "--keep-last")
    } else {
      let loaded = try command.configurationOptions.load()
      guard loaded.configuration.saysRetention else {
        throw CommandFailure(
          .usage,
          "prune: no retention is set; give --keep 90d or --keep-last 500, or write keep = \"90d\" "
            + "below [retention] in \(loaded.path)")
      }
      self = .configured(loaded.configuration)
    }
  }

  func retention(
    ofFeed url: WebAddress, inRegions names: [String]
  ) -> (retention: Retention, source: String)? {
    switch self {
    case .given(let retention, let source): (retention, source)
    case .configured(let configuration): configuration.retention(ofFeed: url, inRegions: names)
    }
  }
}
