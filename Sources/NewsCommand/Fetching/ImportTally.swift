import FeedImport
import TextOutput
import WebAddress

/// Counts an import's results.
struct ImportTally {
  private(set) var documents = 0
  private var failed = 0
  private var partial = 0
  private var stopped = 0
  private var failedLines = 0
  private var unreadable = 0
  private var missing = 0
  private var known = 0
  private var inserted = 0
  private var edited = 0
  /// The feeds that the imported documents belong to.
  private(set) var feeds: Set<WebAddress> = []
  /// True if an archive's end is missing.
  var hasDoubts = false
  /// Results so far for documents that are not at their end, by document name.
  private var ongoing: [String: DocumentImport.Result] = [:]

  var isEmpty: Bool { documents == 0 }

  mutating func add(_ result: DocumentImport.Result) {
    if result.isOngoing {
      ongoing[result.name] = result
      return
    }
    ongoing[result.name] = nil
    documents += 1
    inserted += result.inserted
    edited += result.edited
    failedLines += result.failedLines
    if let feed = result.feed, !result.isKnown, result.isPartial || result.cause == nil { feeds.insert(feed) }
    if result.isStopped { stopped += 1 }
    if result.isPartial { partial += 1 } else if result.cause != nil { failed += 1 }
    if result.isUnreadable { unreadable += 1 }
    if result.isMissing { missing += 1 }
    if result.isKnown { known += 1 }
  }

  /// Nil if all documents were imported.
  var status: ExitStatus? {
    if missing > 0 { return .noInput }
    if failed + partial == 0 { return !hasDoubts ? nil : isEmpty ? .badInput : .someFeedsFailed }
    return unreadable == documents ? .badInput : .someFeedsFailed
  }

  var progress: String {
    let inserted = ongoing.values.reduce(inserted) { $0 + $1.inserted }
    let edited = ongoing.values.reduce(edited) { $0 + $1.edited }
    return "\(counted(documents, "document"))  \(grouped(inserted)) new"
      + (edited > 0 ? "  \(grouped(edited)) edited" : "")
      + (failed + partial > stopped ? "  \(grouped(failed + partial - stopped)) failed" : "")
  }

  /// Returns the result in one line; empty without documents.
  ///
  /// - Parameter regionless: The number of feeds that are in no region and could be polled.
  func text(of command: ImportCommand, regionless: Int) -> String {
    guard !isEmpty else { return "" }
    // Empty for export files, in which each line names its feed.
    let place = feeds.isEmpty ? "" : " of \(counted(feeds.count, "feed"))"
    let verb = command.dryRun ? "would import" : "imported"
    let read = documents - failed - known
    var parts = ["\(verb)  \(counted(read, "document"))\(place)\(partText(of: read))"]
    parts.append("\(grouped(inserted)) new")
    if edited > 0 { parts.append("\(grouped(edited)) edited") }
    if known > 0 { parts.append("\(counted(known, "document")) known from before") }
    if failed > 0 { parts.append("\(counted(failed, "document")) failed\(partial > 0 ? "" : lines)") }
    let isInVain = documents == failed
    let next = command.dryRun || isInVain ? "" : ".   Next: \(next(after: command, regionless))"
    return parts.joined(separator: "   ") + next + "\n"
  }

  /// Describes the documents that were read in part, to follow their count.
  private func partText(of read: Int) -> String {
    guard partial > 0 else { return "" }
    return (partial < read ? ", \(grouped(partial)) of them" : "") + " in part\(lines)"
  }

  private var lines: String { failedLines > 0 ? ", \(counted(failedLines, "line")) failed" : "" }

  /// Returns the likely next command: after a move from another program, it polls the feeds.
  private func next(after command: ImportCommand, _ regionless: Int) -> String {
    let region = command.region.map(shellWord) ?? "--all"
    let list = "newsimport \(command.from == nil ? "list" : "fetch") \(region)"
    guard regionless > 0 else { return list }
    let again = "the same command with --region NAME"
    let isEach = regionless == feeds.count
    let which =
      isEach
      ? regionless == 1 ? "its feed is" : "its \(grouped(regionless)) feeds are"
      : "\(counted(regionless, "feed")) \(regionless == 1 ? "is" : "are")"
    // Without any feed in a region there is nothing to poll.
    let first = isEach && command.from != nil ? "" : list + ", or "
    return "\(first)\(again): \(which) in no region, and not fetched"
  }
}
