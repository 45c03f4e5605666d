import ArticleDocuments
import ManagedContext
import NewsModel
import TextOutput
import WebAddress

/// Adds the feeds in a list to their regions.
@MainActor
struct FeedListImport {
  /// Addresses for one region.
  struct Part: Equatable {
    let region: String
    let urls: ArraySlice<WebAddress>
  }

  /// The results for a region.
  struct Outcome {
    let region: String
    var added = 0
    var known = 0
    /// The number of listed feeds that their publishers ended, so that they are not polled.
    var ended = 0
    /// A line for each feed that has moved.
    var moves = ""
  }

  private let listed: [(region: String, urls: [WebAddress])]
  private let names: [WebAddress: FeedName]

  /// - Parameters:
  ///   - listed: The regions, each once, with checked addresses; a repeated address counts once.
  ///   - names: Titles and pages for feeds that are not in the store yet, by address.
  init(_ listed: ListedRegions, names: [WebAddress: FeedName] = [:]) {
    self.listed = listed.lists.map { ($0.region, distinct($0.urls)) }
    self.names = names
  }

  /// The number of feeds added in one transaction, which bounds an import's memory.
  nonisolated static let mostAtOnce = 5000
  /// The largest number of regions in a list: each one costs more memory and time than its feeds.
  nonisolated static let mostRegions = 10_000

  /// Returns the addresses for each transaction.
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

  /// Adds the feeds. An interrupted import can be repeated: feeds that are already in the store stay.
  ///
  /// - Returns: The result for each region.
  /// - Throws: ``CommandFailure`` from the store.
  func run(in stack: NewsStack) async throws -> [Outcome] {
    var outcomes: [String: Outcome] = [:]
    let status = StatusLine(isWanted: total >= Self.longImport)
    defer { status.clear() }
    // Nothing is done until the first transaction ends, so only the total is shown.
    status.show("adding \(grouped(total)) feeds")
    var done = 0
    let transactions = Self.transactions(listed)
    for transaction in transactions {
      let results = try await stack.change { try add(transaction, in: stack.source) }
      stack.main.context.reset()
      for (part, result) in zip(transaction, results) {
        outcomes[part.region, default: Outcome(region: part.region)].add(result)
        done += part.urls.count
      }
      if done < total { status.show("adding \(grouped(done))/\(grouped(total)) feeds") }
    }
    return listed.map { region, _ in outcomes[region] ?? Outcome(region: region) }
  }

  /// Returns the results that ``run(in:)`` would have, without changing the store.
  ///
  /// - Parameter stack: The store; nil if it does not exist yet.
  func preview(in stack: NewsStack?) throws -> [Outcome] {
    guard let stack else { return listed.map { Outcome(region: $0.region, added: $0.urls.count) } }
    var outcomes: [String: Outcome] = [:]
    for transaction in Self.transactions(listed) {
      let results = try stack.reading { try add(transaction, in: stack.source) }
      stack.main.context.reset()
      for result in results { outcomes[result.region, default: Outcome(region: result.region)].add(result) }
    }
    return listed.map { region, _ in outcomes[region] ?? Outcome(region: region) }
  }

  /// Adds addresses; the next save writes them.
  private func add(_ parts: [Part], in source: DataSource) throws -> [Outcome] {
    let lists = parts.map { DataSource.ListedFeeds(region: $0.region, urls: Array($0.urls)) }
    return zip(lists, try source.add(lists, named: names)).map { list, result in
      Outcome(
        region: list.region, added: result.added, known: result.known, ended: result.ended,
        moves: movedLines(result.moves))
    }
  }

  private var total: Int { listed.reduce(0) { $0 + $1.urls.count } }

  /// Adding this many feeds takes about a second.
  private static let longImport = 20_000
}

extension FeedListImport.Outcome {
  mutating func add(_ other: FeedListImport.Outcome) {
    added += other.added
    known += other.known
    ended += other.ended
    moves += other.moves
  }

  /// True if feeds were added, or have moved.
  var hasNews: Bool { added > 0 || !moves.isEmpty }

  /// Returns the result as text: a line for each feed that has moved, and one for the region.
  func text(isDone: Bool = true) -> String {
    let already = known > 0 ? ", \(grouped(known)) already there" : ""
    return moves
      + "\(isDone ? "added" : "would add")  \(counted(added, "feed")) to \(printable(region))\(already)\(endedText(ended, in: region))\n"
  }

  /// - Parameter refused: The number of addresses in the region that cannot be fetched.
  func json(refused: Int) -> JSONLine {
    ["region": region, "added": added, "known": known, "ended": ended, "refused": refused]
  }
}

/// Describes listed feeds that their publishers ended, and the command that polls them again.
private func endedText(_ count: Int, in region: String) -> String {
  guard count > 0 else { return "" }
  let (have, them) = count == 1 ? ("has", "it") : ("have", "them")
  return
    "; \(grouped(count)) \(have) ended (HTTP 410): newsimport region add \(shellWord(region)) URL polls \(them) again"
}

/// Returns addresses in their order, each once.
///
/// It compares neighbors in the order of their hashes. A set would take a multiple of the addresses' memory.
func distinct(_ addresses: [WebAddress]) -> [WebAddress] {
  let hashes = addresses.map(\.hashValue)
  let order = addresses.indices.sorted { (hashes[$0], $0) < (hashes[$1], $1) }
  var repeated: Set<Int> = []
  for (one, other) in zip(order, order.dropFirst())
  where hashes[one] == hashes[other] && addresses[one] == addresses[other] {
    repeated.insert(other)
  }
  if repeated.isEmpty { return addresses }
  return addresses.indices.filter { !repeated.contains($0) }.map { addresses[$0] }
}
