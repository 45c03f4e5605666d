import ManagedContext
import NewsModel
import TextOutput
import WebAddress

/// Adds the feeds of a list to their regions.
@MainActor
struct FeedListImport {
  /// Some addresses of a region.
  struct Part: Equatable {
    let region: String
    let urls: ArraySlice<WebAddress>
  }

  /// What was done with the feeds of a region.
  struct Outcome {
    let region: String
    var added = 0
    var known = 0
    /// How many of the listed ones are not asked any more.
    var ended = 0
    /// A line for each feed that has moved.
    var moves = ""
  }

  private let listed: [(region: String, urls: [WebAddress])]
  private let names: [WebAddress: FeedName]

  /// - Parameters:
  ///   - listed: The regions, each once, with checked addresses; one that stands there twice counts once.
  ///   - names: Titles and pages of feeds that are not there yet, by address.
  init(_ listed: [(region: String, urls: [WebAddress])], names: [WebAddress: FeedName] = [:]) {
    self.listed = listed.map { ($0.region, distinct($0.urls)) }
    self.names = names
  }

  /// So many feeds are added in one transaction; the memory that an import takes is that of one.
  nonisolated static let mostAtOnce = 100_000

  /// What goes into each transaction.
  nonisolated static func transactions(
    _ listed: [(region: String, urls: [WebAddress])], mostAtOnce: Int = mostAtOnce
  ) -> [[Part]] {
    var transactions: [[Part]] = []
    var room = 0
    for (region, urls) in listed {
      var rest = urls[...]
      while !rest.isEmpty {
        if room == 0 {
          transactions.append([])
          room = mostAtOnce
        }
        let part = rest.prefix(room)
        transactions[transactions.count - 1].append(Part(region: region, urls: part))
        room -= part.count
        rest = rest.dropFirst(part.count)
      }
    }
    return transactions
  }

  /// Adds them. Run again after it was cut, it goes on: what is there stays.
  ///
  /// - Returns: What was done with each region.
  /// - Throws: ``CommandFailure`` of the store.
  func run(in stack: NewsStack) async throws -> [Outcome] {
    var outcomes: [String: Outcome] = [:]
    showProgress(0)
    var done = 0
    for transaction in Self.transactions(listed) {
      let results = try await stack.change {
        let lists = transaction.map { DataSource.ListedFeeds(region: $0.region, urls: Array($0.urls)) }
        return zip(lists, try stack.source.add(lists, named: names)).map { list, result in
          Outcome(
            region: list.region, added: result.added, known: result.known, ended: result.ended,
            moves: movedLines(result.moves))
        }
      }
      stack.main.context.reset()
      for (part, result) in zip(transaction, results) {
        outcomes[part.region, default: Outcome(region: part.region)].add(result)
        done += part.urls.count
      }
      showProgress(done)
    }
    return listed.map { region, _ in outcomes[region] ?? Outcome(region: region) }
  }

  /// Tells on a terminal how far a long import is; nothing is left of that at its end.
  private func showProgress(_ done: Int) {
    let total = listed.reduce(0) { $0 + $1.urls.count }
    guard total >= Self.longImport, Style.canRedraw(.error) else { return }
    // The first number that could be told is that of the whole first transaction.
    let count = done > 0 ? "\(grouped(done))/\(grouped(total))" : "\(grouped(total))"
    let text = done < total ? "adding \(count) feeds" : ""
    Output.error.write("\r\u{1B}[K\(text)")
  }

  /// So many feeds take about a second.
  private static let longImport = 20_000
}

extension FeedListImport.Outcome {
  mutating func add(_ other: FeedListImport.Outcome) {
    added += other.added
    known += other.known
    ended += other.ended
    moves += other.moves
  }

  /// What tells a person of it, a line for each feed that has moved and one for all.
  var text: String {
    let already = known > 0 ? ", \(grouped(known)) already there" : ""
    return moves
      + "added  \(counted(added, "feed")) to \(printable(region))\(already)\(endedWords(ended, in: region))\n"
  }

  /// What tells a program of it.
  ///
  /// - Parameter refused: How many of the region's addresses are none that can be fetched.
  func json(refused: Int) -> String {
    var line = JSONLine()
    line.add("region", region)
    line.add("added", added)
    line.add("known", known)
    line.add("ended", ended)
    line.add("refused", refused)
    return line.line
  }
}

/// What tells of feeds of the file that are not asked, and what asks them again.
private func endedWords(_ count: Int, in region: String) -> String {
  guard count > 0 else { return "" }
  let (have, them) = count == 1 ? ("has", "it") : ("have", "them")
  return
    "; \(grouped(count)) \(have) ended (HTTP 410): newsimport region add \(shellWord(region)) URL asks \(them) again"
}
